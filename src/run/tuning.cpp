#include "run/tuning.h"

#include <algorithm>
#include <map>
#include <vector>

#include "base/format.h"
#include "base/log.h"
#include "base/run_folder.h"
#include "base/signals.h"
#include "base/strings.h"
#include "config/differences.h"
#include "config/print.h"
#include "run/base_model.h"
#include "run/model_folder.h"
#include "run/saved_config.h"
#include "train/schedule.h"

namespace heed::run {
namespace {

/// Keys of a section that have other values than their defaults, as lines of YAML.
template <config::Section Section>
std::string lines_of(const Section& section, const std::vector<std::string>& left_out) {
  std::string lines;
  std::map<std::string, std::vector<std::string>> inner;  // of sections in it
  for (const config::Difference& one : config::differences(Section(), section)) {
    if (std::ranges::find(left_out, one.path) != left_out.end()) continue;
    const std::size_t point = one.path.find('.');
    if (point == std::string::npos)
      lines += fmt::format("  {}: {}\n", one.path, one.after);
    else
      inner[one.path.substr(0, point)].push_back(one.path.substr(point + 1) + ": " + one.after);
  }
  for (const auto& [name, keys] : inner)
    lines += fmt::format("  {}: {{{}}}\n", name, join(keys, ", "));
  return lines;
}

/// Target pieces of an update of the run; 0 where its batches are counted in sentences.
int64_t update_of(const train::TrainConfig& training) {
  return training.batch_type == train::BatchType::tokens ? training.batch_size * training.accumulate
                                                         : 0;
}

/// What decides the steps that an update takes, but for the learning rate.
std::string optimizer_lines(const train::TrainConfig& training) {
  train::TrainConfig optimizer;
  optimizer.optimizer = training.optimizer;
  optimizer.betas = training.betas;
  optimizer.epsilon = training.epsilon;
  optimizer.weight_decay = training.weight_decay;
  return lines_of(optimizer, {});
}

/// Whether more than a hundredth of the first lines has a piece that the vocabulary does not know.
bool knows_too_little(const text::Vocabulary& vocabulary, const std::string& file) {
  constexpr int64_t kLines = 20000;
  text::LineReader reader(file);
  int64_t unknown = 0;
  for (std::string line; reader.line_number() < kLines && reader.next(line);) {
    signals::stop_if_interrupted();
    const std::vector<int32_t> ids = vocabulary.encode(line);
    unknown += std::ranges::find(ids, text::kUnknown) != ids.end();
  }
  return 100 * unknown > reader.line_number();
}

}  // namespace

Config config_of_base(const std::string& run) {
  Config wanted = saved_config(run);
  Config tuned = wanted;
  tuned.training.from = run;
  require_base(tuned);
  return wanted;
}

Recipe tuning_recipe(const Config& base, const std::string& run, const data::CorpusShape& shape,
                     const Machine& machine) {
  Recipe recipe = recipe_for(shape, machine);
  const train::TrainConfig& training = base.training;
  const bool joint = is_joint(base);
  const Vocabularies vocabularies = load_vocabularies(run, joint);
  recipe.vocabulary = std::max(vocabularies.source.size(), vocabularies.target.size());
  recipe.own_vocabulary =
      fmt::format("  # The pieces of {}.\n  vocabulary: {{kind: {}}}\n", one_line(run, 1000),
                  config::name_of(base.data.vocabulary.kind));
  recipe.network =
      fmt::format("  # The network of {}.\n  type: {}\n{}", one_line(run, 1000),
                  config::name_of(base.model.type), lines_of(base.model, {"type", "dropout"}));
  recipe.is_smaller = false;
  recipe.dropout = base.model.dropout;
  std::string folder = run;
  recipe.training = fmt::format("  # It begins with the weights of this run.\n  from: {}\n{}",
                                config::value_text(&folder), optimizer_lines(training));
  recipe.label_smoothing = training.label_smoothing;
  recipe.clip_norm = training.clip_norm;
  recipe.ema = 0.99;  // a longer memory would still be of the run after a short training
  recipe.decoding = lines_of(base.decoding, {});
  const double highest = train::learning_rate(
      training,
      {.update = std::max<int64_t>(1, train::warmup_updates(training)), .width = base.model.width});
  recipe.learning_rate = highest / 3;
  set_length(recipe, shape, update_of(training), machine);
  return recipe;
}

void extend_vocabularies(const Config& base, const std::string& run, const data::CorpusShape& shape,
                         const data::CorpusFiles& corpus, const std::string& folder,
                         const std::function<void(const std::string& path)>& claim,
                         Recipe& recipe) {
  const bool joint = is_joint(base);
  const Vocabularies old = load_vocabularies(run, joint);
  // Each new character is a piece, and a quarter of what a vocabulary of this corpus would have.
  const int64_t more = shape.characters + fresh_vocabulary_size(shape) / 4;
  std::vector<std::string> keys{"kind: " + config::name_of(base.data.vocabulary.kind)};
  const auto extend = [&](const text::Vocabulary& vocabulary, const std::string& key,
                          const std::string& name, const std::vector<std::string>& files) {
    if (!vocabulary.can_sample() || std::ranges::none_of(files, [&](const std::string& file) {
          return knows_too_little(vocabulary, file);
        }))
      return;
    std::string path = file_in(folder, name);
    claim(path);
    const text::Vocabulary larger = vocabulary.extended(
        {.files = {files.begin(), files.end()}, .size = vocabulary.size() + more});
    larger.save(path);
    log::info("{}: {} pieces more than {} has", path, larger.size() - vocabulary.size(), run);
    keys.push_back(key + ": " + config::value_text(&path));
    recipe.vocabulary = std::max<int64_t>(recipe.vocabulary, larger.size());
  };
  if (joint) {
    extend(old.source, "source", kJointVocabulary, {corpus.source, corpus.target});
  } else {
    extend(old.source, "source", kSourceVocabulary, {corpus.source});
    extend(old.target, "target", kTargetVocabulary, {corpus.target});
  }
  if (keys.size() > 1)
    recipe.own_vocabulary = fmt::format(
        "  # The pieces of {} and, behind them, more for this text.\n  vocabulary: {{{}}}\n",
        one_line(run, 1000), join(keys, ", "));
}

}  // namespace heed::run
