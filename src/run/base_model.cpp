#include "run/base_model.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "base/run_folder.h"
#include "base/strings.h"
#include "config/differences.h"
#include "model/description/kinds.h"
#include "model/model.h"
#include "model/weights.h"
#include "run/binding.h"
#include "run/build.h"

namespace heed::run {
namespace {

namespace fs = std::filesystem;
using at::Tensor;

constexpr const char* kKey = "training.from: ";

/// `ready`, which must extend `base`; or `base`. It must serve the config.
text::Vocabulary extension(const text::Vocabulary& base, const std::string& ready,
                           const std::string& key, const Config& config,
                           const std::vector<std::string>& symbols) {
  const std::string& folder = config.training.from;
  if (ready.empty()) {
    require_serves(base, config, symbols, kKey + folder);
    return base;
  }
  text::Vocabulary larger = text::Vocabulary::load(ready);
  const std::string problem = fmt::format(
      "{}: {} does not extend the vocabulary of {} (training.from): ", key, ready, folder);
  const std::string cure = "; leave the key out, or make one with `heed vocab --extend`";
  if (larger.size() < base.size())
    throw UserError("{}it has {} pieces instead of {} or more{}", problem, larger.size(),
                    base.size(), cure);
  for (int32_t id = 0; id < base.size(); ++id)
    if (larger.piece(id) != base.piece(id))
      throw UserError("{}piece {} is '{}' instead of '{}'{}", problem, id, larger.piece(id),
                      base.piece(id), cure);
  require_serves(larger, config, symbols, ready);
  return larger;
}

/// Ids of the base's pieces that spell a piece which it does not have; all where none does.
std::vector<int64_t> pieces_that_spell(const text::Vocabulary& base, const std::string& piece) {
  static const std::string word_start = "\u2581";
  const bool begins = piece.starts_with(word_start);
  const auto ids = base.encode(begins ? piece.substr(word_start.size()) : piece);
  std::vector<int64_t> known;
  for (const int32_t id : ids)
    // The start of a word that is none stands alone, or at the front.
    if (id != text::kUnknown && (begins || base.piece(id) != word_start)) known.push_back(id);
  if (known.empty())
    for (int32_t id = text::kEnd + 1; id < base.size(); ++id) known.push_back(id);
  return known;
}

/// rows [base's pieces, ...] with those of the new pieces behind them.
Tensor with_new_rows(const Tensor& rows, const text::Vocabulary& base,
                     const text::Vocabulary& larger) {
  std::vector<Tensor> all{rows};
  for (int32_t id = base.size(); id < larger.size(); ++id) {
    const std::vector<int64_t> spelling = pieces_that_spell(base, larger.piece(id));
    all.push_back(rows.index_select(0, at::tensor(spelling, at::kLong)).mean(0, true));
  }
  return at::cat(all);
}

using model::ModelConfig;

/// Two ways of writing one network become one.
ModelConfig written_out(ModelConfig model) {
  if (model.kv_heads == 0) model.kv_heads = model.heads;
  // The same weights, which see less.
  if (model::self_attention_info(model.self_attention).weights == model::WeightsOf::kProducts)
    model.self_attention = "softmax";
  return model;
}

}  // namespace

void require_base(const Config& config) {
  const std::string& base = config.training.from;
  if (base.empty()) return;
  for (const char* name : {kConfigFile, kWeightsFile})
    if (!fs::exists(fs::path(base) / name))
      throw UserError("{}{}: has no {}; give the folder of a finished `heed train`", kKey, base,
                      name);
  const Config theirs = load_config(file_in(base, kConfigFile), {});
  require_bound(file_in(base, kWeightsFile), base);
  if (is_joint(theirs) != is_joint(config))
    throw UserError("{}{} has data.vocabulary.kind: {}; set the same", kKey, base,
                    config::name_of(theirs.data.vocabulary.kind));
}

std::string vocabulary_wishes_in_vain(const Config& config) {
  const std::string& base = config.training.from;
  const data::VocabularyConfig& wanted = config.data.vocabulary;
  if (base.empty() || !wanted.source.empty()) return "";
  const Config theirs = load_config(file_in(base, kConfigFile), {});
  const text::Vocabulary pieces = load_vocabularies(base, is_joint(theirs)).target;
  const auto keys_of = [&](const data::VocabularyConfig& other) {
    std::vector<std::string> keys;
    for (const config::Difference& one : config::differences(other, wanted))
      if (one.path == "algorithm" || one.path == "coverage" ||
          (one.path == "size" && wanted.size != pieces.size()))
        keys.push_back(fmt::format("data.vocabulary.{}: {}", one.path, one.after));
    return keys;
  };
  const auto set = keys_of(data::VocabularyConfig());
  std::vector<std::string> in_vain = keys_of(theirs.data.vocabulary);
  std::erase_if(in_vain, [&](const std::string& key) { return std::ranges::count(set, key) == 0; });
  if (in_vain.empty()) return "";
  return fmt::format(
      "{}: not used; the run has the vocabulary of {} (training.from), {} pieces. `heed vocab "
      "--extend` makes a larger one for data.vocabulary.source",
      join(in_vain, ", "), base, pieces.size());
}

void require_base_network(const Config& config, const std::string& name) {
  const std::string& base = config.training.from;
  if (base.empty()) return;
  const ModelConfig theirs = written_out(load_config(file_in(base, kConfigFile), {}).model);
  std::vector<std::string> wrong;
  for (const config::Difference& one : config::differences(theirs, written_out(config.model)))
    if (one.path == "type" ||
        (theirs.type == config.model.type && model::is_of_network(one.path, config.model)))
      wrong.push_back(fmt::format("model.{}: {} (wanted: {})", one.path, one.before, one.after));
  if (!wrong.empty())
    throw UserError("{}{}{} has {}; a run has the network that it begins with: set the same", name,
                    kKey, base, join(wrong, ", "));
}

Vocabularies vocabularies_from_base(const Config& config) {
  require_base(config);
  const std::string& folder = config.training.from;
  const bool joint = is_joint(config);
  const Vocabularies base = load_vocabularies(folder, joint);
  const data::VocabularyConfig& wanted = config.data.vocabulary;
  const auto source = extension(base.source, wanted.source, "data.vocabulary.source", config,
                                data::source_symbols(config.data));
  if (joint) return {source, source};
  return {source,
          extension(base.target, wanted.target, "data.vocabulary.target", config, wanted.symbols)};
}

void take_base_weights(const ModelFolder& run) {
  require_base(run.config);
  require_base_network(run.config);
  const std::string& folder = run.config.training.from;
  const Vocabularies base = load_vocabularies(folder, is_joint(run.config));
  const std::string file = file_in(folder, kWeightsFile);
  model::TensorFile loaded = model::load_tensors(file);
  warn_if_unbound(loaded.metadata, file, folder);
  auto& weights = loaded.tensors;
  for (auto& [name, tensor] : weights) {
    const bool source = name.starts_with("source_embedding.");
    const bool target = name.starts_with("target_embedding.") || name.starts_with("embedding.") ||
                        name.starts_with("output.");
    const auto& [old, larger] =
        source ? std::tie(base.source, run.source) : std::tie(base.target, run.target);
    if ((source || target) && old.size() < larger.size() && tensor.size(0) == old.size())
      tensor = with_new_rows(tensor, old, larger);
  }
  model::load_weights(*run.model, weights, kKey + file);
  const int64_t more = run.target.size() - base.target.size();
  log::info("begins with the weights of {}{}", folder,
            more > 0 ? fmt::format(" and {} new pieces", more) : std::string());
}

ModelFolder open_base(const ModelFolder& run) {
  return open_model(run.config.training.from,
                    {.device = run.device.str(),
                     .settings = {"threads=" + std::to_string(at::get_num_threads())}});
}

}  // namespace heed::run
