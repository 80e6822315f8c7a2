#include "data/config.h"

#include <string>

#include "base/error.h"

namespace heed::data {
namespace {

void check_pair(const CorpusFiles& files, const std::string& path, bool may_be_absent) {
  if (may_be_absent && files.source.empty() && files.target.empty()) return;
  if (files.source.empty()) throw config::ConfigError(path + ".source: no file is given");
  if (files.target.empty()) throw config::ConfigError(path + ".target: no file is given");
  if (files.source == files.target)
    throw config::ConfigError(path + ": source and target are the same file, '" + files.source +
                              "'");
}

}  // namespace

void check(const DataConfig& config) {
  for (std::size_t i = 0; i < config.train.size(); ++i)
    check_pair(config.train[i],
               config.train.size() == 1 ? "data.train" : "data.train." + std::to_string(i), false);
  check_pair(config.valid, "data.valid", true);
  check_pair(config.test, "data.test", true);

  const VocabularyConfig& vocabulary = config.vocabulary;
  if (vocabulary.kind == VocabularyKind::joint && !vocabulary.target.empty() &&
      vocabulary.target != vocabulary.source)
    throw config::ConfigError(
        "data.vocabulary.target: with kind: joint there is one model, vocabulary.source; leave "
        "this empty, or set "
        "kind: separate");
}

}  // namespace heed::data
