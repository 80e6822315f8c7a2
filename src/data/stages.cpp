#include "data/stages.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "base/strings.h"
#include "config/schema.h"
#include "config/suggest.h"

namespace heed::data {
namespace {

constexpr int64_t kEndless = std::numeric_limits<int64_t>::max();

/// The index of the training corpus with this name.
std::size_t number_of(const DataConfig& config, const std::string& name, const std::string& key) {
  std::vector<std::string> names;
  for (const CorpusFiles& files : config.train)
    if (!files.name.empty()) names.push_back(files.name);
  const auto count = std::ranges::count(names, name);
  if (names.empty())
    throw config::ConfigError(key + ": no corpus of data.train has a name; set data.train.0.name");
  if (count == 0)
    throw config::ConfigError("{}: no corpus of data.train has the name '{}'{}", key,
                              one_line(name), config::did_you_mean(name, names));
  if (count > 1)
    throw config::ConfigError("{}: {} corpora of data.train have the name '{}'; give each its own",
                              key, count, one_line(name));
  return static_cast<std::size_t>(std::ranges::find(config.train, name, &CorpusFiles::name) -
                                  config.train.begin());
}

Mixture mixture_of(const DataConfig& config, const Stage& stage, const std::string& key,
                   bool last) {
  const std::size_t count = stage.corpora.size();
  if (count == 0)
    throw config::ConfigError(key + ".corpora: names none; name a corpus of data.train");
  if (stage.shares.size() != count && (count > 1 || !stage.shares.empty()))
    throw config::ConfigError(
        "{}.shares: {} of them for {} corpora; give one for each, as in [0.6, 0.4]", key,
        stage.shares.size(), count);
  const StageEnd& end = stage.until;
  Mixture mixture{.shares = std::vector<double>(config.train.size()), .epochs = end.epochs};
  const double sum = std::accumulate(stage.shares.begin(), stage.shares.end(), 0.0);
  for (std::size_t i = 0; i < count; ++i) {
    double& share = mixture.shares[number_of(config, stage.corpora[i], key + ".corpora")];
    if (share > 0)
      throw config::ConfigError("{}.corpora: '{}' is there twice; add its shares up", key,
                                one_line(stage.corpora[i]));
    share = stage.shares.empty() ? 1 : stage.shares[i] / sum;
  }
  if (end.epochs > 0 && end.updates > 0)
    throw config::ConfigError(key + ".until: epochs and updates are two ends; leave one out");
  if (!last && end.epochs == 0 && end.updates == 0)
    throw config::ConfigError(
        key + ".until: only the last stage may have no end; set updates, or epochs of a corpus");
  if (end.epochs == 0 && !end.corpus.empty())
    throw config::ConfigError(key + ".until.epochs: of a corpus; set how many, as in 2");
  if (end.epochs == 0) return mixture;
  const bool only = count == 1 && end.corpus.empty();
  mixture.counted =
      number_of(config, only ? stage.corpora.front() : end.corpus, key + ".until.corpus");
  if (mixture.shares[mixture.counted] == 0)
    throw config::ConfigError(
        "{}.until.corpus: the stage does not read '{}'; name one of its corpora", key,
        one_line(end.corpus));
  return mixture;
}

/// Number i of a random order of [0, count), which `seed` decides: a Feistel network over the least
/// power of four that is large enough, applied until the number is below `count` (cycle walking,
/// Black and Rogaway 2002). It avoids keeping the order in memory.
int64_t shuffled(int64_t i, int64_t count, uint64_t seed) {
  constexpr uint64_t kRounds = 4;
  const int half = (std::bit_width(static_cast<uint64_t>(count - 1)) + 1) / 2;  // bits
  const uint64_t mask = (uint64_t{1} << half) - 1;
  auto index = static_cast<uint64_t>(i);
  do {
    for (uint64_t round = 0; round < kRounds; ++round) {
      const uint64_t left = index >> half, right = index & mask;
      index = right << half | (left ^ (mix({seed, round, right}) & mask));
    }
  } while (index >= static_cast<uint64_t>(count));
  return static_cast<int64_t>(index);
}

}  // namespace

std::vector<Mixture> mixtures_of(const DataConfig& config, int64_t batches_per_update) {
  std::vector<Mixture> mixtures;
  std::vector<bool> read(config.train.size());
  for (const Stage& stage : config.stages) {
    const auto key = fmt::format("data.stages.{}", mixtures.size());
    const bool last = mixtures.size() + 1 == config.stages.size();
    mixtures.push_back(mixture_of(config, stage, key, last));
    mixtures.back().batches = stage.until.updates * batches_per_update;
    for (std::size_t i = 0; i < read.size(); ++i)
      read[i] = read[i] || mixtures.back().shares[i] > 0;
  }
  for (std::size_t i = 0; i < read.size() && !mixtures.empty(); ++i) {
    if (!read[i])
      throw config::ConfigError(
          "{}: no stage of data.stages reads it; leave it out, or give it a "
          "name and a share",
          train_key(config, i));
    if (config.train[i].weight != 1)
      throw config::ConfigError("{}.weight: data.stages say how often it is read; leave it out",
                                train_key(config, i));
  }
  return mixtures;
}

StagePools::StagePools(const Corpus& corpus, Mixture mixture, int64_t pool, uint64_t seed,
                       const std::string& key)
    : parts_(corpus.parts()),
      mixture_(std::move(mixture)),
      pool_(std::max(pool, std::ssize(parts_))),  // at least one pair of each corpus
      seed_(seed),
      length_(kEndless),
      count_(kEndless) {
  expect(mixture_.shares.size() == parts_.size(), "a share for each corpus");
  const auto pairs_of = [&](std::size_t part) { return parts_[part].end - parts_[part].begin; };
  for (std::size_t i = 0; i < parts_.size(); ++i)
    if (mixture_.shares[i] > 0 && pairs_of(i) == 0)
      throw UserError("{}.corpora: no pair of data.train.{} is left to read; leave it out", key, i);
  if (mixture_.epochs == 0) return;
  const double last = std::round(mixture_.epochs * static_cast<double>(pairs_of(mixture_.counted)));
  length_ = std::llround(std::max(1.0, last) / mixture_.shares[mixture_.counted]);
  count_ = std::max<int64_t>(1, length_ / pool_);
}

int64_t StagePools::read_before(int64_t pool, std::size_t part) const {
  const int64_t pairs = pool < count_ ? pool * pool_ : length_;
  return std::llround(mixture_.shares[part] * static_cast<double>(pairs));
}

std::vector<int64_t> StagePools::pairs(int64_t pool) const {
  std::vector<int64_t> pairs;
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    const int64_t begin = parts_[part].begin, count = parts_[part].end - begin;
    const int64_t end = read_before(pool + 1, part);
    for (int64_t i = read_before(pool, part); i < end; ++i) {
      const uint64_t pass = mix({seed_, part, static_cast<uint64_t>(i / count)});
      pairs.push_back(begin + shuffled(i % count, count, pass));
    }
  }
  return pairs;
}

}  // namespace heed::data
