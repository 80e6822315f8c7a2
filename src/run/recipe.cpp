#include "run/recipe.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/machine.h"
#include "base/run_folder.h"
#include "base/signals.h"
#include "base/strings.h"
#include "config/differences.h"
#include "config/io.h"
#include "config/print.h"
#include "config/schema.h"
#include "data/config.h"
#include "run/build.h"
#include "run/check.h"
#include "run/folder.h"
#include "run/model_folder.h"
#include "run/saved_config.h"
#include "text/extension.h"
#include "text/lines.h"
#include "text/script.h"
#include "text/vocabulary.h"
#include "train/config.h"
#include "train/schedule.h"

namespace heed::run {
namespace {

/// With 2,000 pairs a Transformer of any size is far worse; with 10,000 both are about as good.
constexpr int64_t kEnoughForTransformer = 5000;

/// A batch of fewer pieces holds no long pair.
constexpr int64_t kFewestInBatch = 256;

/// A Transformer, and how it learns.
struct Network {
  int64_t width, feed_forward, heads, layers;
  int64_t update;  // target pieces
  double learning_rate;
  int64_t warmup;
};

/// The smallest first.
constexpr std::array<Network, 3> kNetworks{{{192, 512, 4, 3, 1024, 0.0015, 400},
                                            {256, 1024, 4, 3, 1024, 0.0015, 400},
                                            {512, 2048, 8, 6, 8192, 0.0007, 4000}}};

std::string small_rnn() {
  return "  # From so few pairs a recurrent model with attention learns more than a Transformer.\n"
         "  type: rnn\n"
         "  attention: luong_general\n"
         "  embedding_size: 128\n"
         "  hidden_size: 256\n"
         "  # The output layer shares the weights of the target's embedding.\n"
         "  tie: decoder\n";
}

std::string transformer(const Network& network) {
  const std::string layers = std::to_string(network.layers);
  return fmt::format(
      "  # Or type: rnn with attention: bahdanau, luong_general, ...\n  type: transformer\n  "
      "width: {}\n  feed_forward: {}\n  heads: {}\n  encoder_layers: {}\n  decoder_layers: {}\n  # "
      "Both embeddings and the output layer are one matrix.\n  tie: all\n",
      network.width, network.feed_forward, network.heads, layers, layers);
}

/// Pieces of a vocabulary that is trained for the corpus.
int64_t fresh_vocabulary_size(const data::CorpusShape& shape) {
  const int64_t pairs = shape.pairs;
  const int64_t size = pairs < 5000      ? 1000
                       : pairs < 200000  ? 8000
                       : pairs < 2000000 ? 16000
                                         : 32000;
  // A text of few different words does not fill more pieces.
  const int64_t types = shape.source_types + shape.target_types;
  const int64_t fillable = std::max<int64_t>(100, std::min(size, types / 2 / 50 * 50));
  // Each character is a piece, and a Chinese line of many characters counts as one word.
  return std::max(fillable, 2 * shape.characters);
}

int64_t epochs_for(int64_t pairs) {
  if (pairs < 20000) return 30;
  if (pairs < 50000) return 12;
  if (pairs < 200000) return 10;
  return pairs < 2000000 ? 6 : 3;
}

/// Returns the number of target pieces of an epoch. Words become about a third more pieces, and
/// without blanks a piece is one letter or two.
double pieces_of_an_epoch(const data::CorpusShape& shape) {
  const double pieces = text::has_no_blanks(shape.target_script)
                            ? 0.7 * static_cast<double>(shape.target_letters)
                            : 1.35 * static_cast<double>(shape.target_words);
  return std::max(1.0, pieces);
}

bool fits(const Recipe& recipe, const Machine& machine) {
  if (!machine.memory) return true;
  Config config;
  config::load_text(config, sections_of(recipe), "heed init");
  const MemoryNeed needed = memory_of(config, {.source = recipe.vocabulary,
                                               .target = recipe.vocabulary,
                                               .cpu = !machine.gpu,
                                               .threads = machine.cores});
  return needed.total() <= *machine.memory / 4 * 3;  // other programs want some, too
}

/// Whether the network fits with batches of some size; the largest such is taken.
bool cut_batches_to_fit(Recipe& recipe, const Machine& machine) {
  for (recipe.accumulate = 1; recipe.update / recipe.accumulate >= kFewestInBatch;
       recipe.accumulate *= 2)
    if (fits(recipe, machine)) return true;
  recipe.accumulate = 1;
  return false;
}

/// The largest network up to `wanted`, a place in kNetworks, that fits, or else the smallest.
void choose_transformer(Recipe& recipe, std::size_t wanted, const Machine& machine) {
  for (std::size_t place = wanted;; --place) {
    const Network& network = kNetworks[place];
    recipe.network = transformer(network);
    recipe.is_smaller = place < wanted;
    recipe.update = network.update;
    recipe.learning_rate = network.learning_rate;
    recipe.warmup = network.warmup;
    if (cut_batches_to_fit(recipe, machine) || place == 0) return;
  }
}

/// 0.1, 0.0015, 1.0: without more zeros at the end. Small values have two digits.
std::string short_number(double value) {
  int digits = 4;
  for (double least = 0.001; value < least && digits < 12; least /= 10) ++digits;
  std::string text = fixed(value, digits);
  while (text.ends_with('0') && !text.ends_with(".0")) text.pop_back();
  return text;
}

std::string batch_lines(const Recipe& recipe) {
  const std::string size = std::to_string(recipe.update / recipe.accumulate);
  if (recipe.accumulate == 1) return "  # Target pieces of an update.\n  batch_size: " + size;
  return fmt::format(
      "  # Target pieces of a batch. One for a whole update does not fit the memory that was "
      "free.\n  batch_size: {}\n  accumulate: {}",
      size, recipe.accumulate);
}

/// So many epochs, but no fewer than so many updates.
void set_updates(Recipe& recipe, const data::CorpusShape& shape, int64_t epochs, int64_t fewest) {
  const double pieces = pieces_of_an_epoch(shape);
  const auto update = static_cast<double>(recipe.update);
  const auto updates = static_cast<int64_t>(pieces * static_cast<double>(epochs) / update);
  recipe.updates = std::max<int64_t>(fewest, (updates + 50) / 100 * 100);
  recipe.epochs =
      std::max<int64_t>(1, std::llround(static_cast<double>(recipe.updates) * update / pieces));
  recipe.warmup = std::min(recipe.warmup, recipe.updates / 10);
}

/// Sets the training of a network that is trained already: batches of at most `update` target
/// pieces (0: as many as the recipe has), which fit the memory, and a few epochs.
void set_length(Recipe& recipe, const data::CorpusShape& shape, int64_t update,
                const Machine& machine) {
  // So that the corpus has some updates, and each of them some sentences.
  const auto most = static_cast<int64_t>(pieces_of_an_epoch(shape) / 20);
  const int64_t own = update > 0 ? update : recipe.update;
  recipe.update = std::min(own, std::max(most, kFewestInBatch));
  cut_batches_to_fit(recipe, machine);
  set_updates(recipe, shape, shape.pairs < 20000 ? 10 : shape.pairs < 200000 ? 4 : 2, 100);
}

/// Target pieces of an update of the run; 0 where its batches are counted in sentences.
int64_t update_of(const train::TrainConfig& training) {
  return training.batch_type == train::BatchType::tokens ? training.batch_size * training.accumulate
                                                         : 0;
}

/// Returns the lines of the settings that decide the step of an update, except for the learning
/// rate.
std::string optimizer_lines(const train::TrainConfig& training) {
  train::TrainConfig optimizer;
  optimizer.optimizer = training.optimizer;
  optimizer.betas = training.betas;
  optimizer.epsilon = training.epsilon;
  optimizer.weight_decay = training.weight_decay;
  return config::changed_lines(optimizer);
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

/// Languages of a model of many, and what its sources end with.
std::string lines_text(data::DataConfig data) {
  std::string text = data.source_end ? "" : "  source_end: false\n";
  for (auto [key, code] :
       {std::pair("source", &data.source_language), std::pair("target", &data.target_language)})
    if (!code->empty()) text += fmt::format("  {}_language: {}\n", key, config::value_text(code));
  return text;
}

}  // namespace

Machine this_machine(bool gpu) {
  return {.gpu = gpu,
          .cores = available_cores(),
          .memory = gpu ? free_memory_of_gpu() : available_memory()};
}

std::string yaml_text(std::string text) {
  return config::value_text(&text);
}

Recipe recipe_for(const data::CorpusShape& shape, const Machine& machine) {
  Recipe recipe;
  const int64_t pairs = shape.pairs;
  recipe.vocabulary = fresh_vocabulary_size(shape);
  recipe.dropout = pairs < 50000 ? 0.3 : pairs < 200000 ? 0.2 : 0.1;
  if (pairs < kEnoughForTransformer) {
    recipe.network = small_rnn();
    cut_batches_to_fit(recipe, machine);
  } else {
    choose_transformer(recipe, machine.gpu && pairs >= 200000 ? 2 : pairs < 20000 ? 0 : 1, machine);
  }
  set_updates(recipe, shape, epochs_for(pairs), 1000);
  return recipe;
}

std::string sections_of(const Recipe& recipe) {
  const int64_t tenth = std::max<int64_t>(100, recipe.updates / 10 / 50 * 50);
  const std::string every = std::to_string(std::min(tenth, recipe.updates));
  return fmt::format(
      "model:\n{}{}  # More for a small corpus, less for a large one.\n  dropout: "
      "{}\n\ntraining:\n{}{}\n  learning_rate: {}\n  schedule: cosine\n  warmup: {}\n  "
      "label_smoothing: {}\n  clip_norm: {}\n  # The model is the running average of its "
      "weights.\n  ema: {}\n  # About {} epochs.\n  updates: {}\n  validate_every: {}\n  "
      "save_every: {}\n{}{}",
      recipe.network,
      recipe.is_smaller ? "  # A larger model does not fit the memory that was free.\n" : "",
      short_number(recipe.dropout), recipe.training, batch_lines(recipe),
      short_number(recipe.learning_rate), recipe.warmup, short_number(recipe.label_smoothing),
      short_number(recipe.clip_norm), short_number(recipe.ema), recipe.epochs, recipe.updates,
      every, every, recipe.decoding.empty() ? "" : "\ndecoding:\n" + recipe.decoding,
      recipe.tokenizer == "13a" ? ""
                                : fmt::format("\nevaluation:\n  # Finds the words of the target "
                                              "language for BLEU.\n  tokenize: {}\n",
                                              recipe.tokenizer));
}

Config config_of_base(const std::string& run) {
  Config wanted = saved_config(run);
  Config tuned = wanted;
  tuned.training.from = run;
  require_base(tuned);
  return wanted;
}

Recipe tuning_recipe(const Config& base, const std::string& run, const data::CorpusShape& shape,
                     const Machine& machine, bool adapters) {
  Recipe recipe = recipe_for(shape, machine);
  const train::TrainConfig& training = base.training;
  const bool joint = is_joint(base);
  const Vocabularies vocabularies = load_vocabularies(run, joint);
  recipe.vocabulary = std::max(vocabularies.source.size(), vocabularies.target.size());
  recipe.own_vocabulary =
      fmt::format("  # The pieces of {}.\n  vocabulary: {{kind: {}}}\n", one_line(run, 1000),
                  config::name_of(base.data.vocabulary.kind)) +
      lines_text(base.data);
  recipe.network = fmt::format("  # The network of {}.\n  type: {}\n{}", one_line(run, 1000),
                               config::name_of(base.model.type),
                               config::changed_lines(base.model, {"type", "dropout"}));
  recipe.is_smaller = false;
  recipe.dropout = base.model.dropout;
  recipe.training = fmt::format("  # It begins with the weights of this run.\n  from: {}\n{}",
                                yaml_text(run), optimizer_lines(training));
  if (adapters)
    recipe.training +=
        "  # Low-rank matrices beside those of the attention layers are trained, and nothing "
        "else.\n"
        "  adapters: {kind: lora}\n";
  recipe.label_smoothing = training.label_smoothing;
  recipe.clip_norm = training.clip_norm;
  recipe.ema = 0.99;  // a longer memory would still be of the run after a short training
  // A shortlist has no pieces of another text, and inline terms are learned with data.terms.
  std::vector<std::string> not_taken{"shortlist"};
  if (base.decoding.glossary_inline)
    not_taken.insert(not_taken.end(), {"glossary", "glossary_inline"});
  recipe.decoding = config::changed_lines(base.decoding, not_taken);
  const double highest = train::learning_rate(
      training,
      {.update = std::max<int64_t>(1, train::warmup_updates(training)), .width = base.model.width});
  recipe.learning_rate = highest / 3 * (adapters ? 10 : 1);
  set_length(recipe, shape, update_of(training), machine);
  return recipe;
}

void extend_vocabularies(const Config& base, const std::string& run, const data::CorpusShape& shape,
                         const data::CorpusFiles& corpus, const std::string& folder,
                         const std::function<void(const std::string& path)>& claim,
                         Recipe& recipe) {
  if (base.data.vocabulary.kind == data::VocabularyKind::shared) return;  // each gets other pieces
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
    const text::Vocabulary larger = text::extended(
        vocabulary, {.files = {files.begin(), files.end()}, .size = vocabulary.size() + more});
    larger.save(path);
    log::info("{}: {} pieces more than {} has", path, larger.size() - vocabulary.size(), run);
    keys.push_back(key + ": " + yaml_text(path));
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
                                "  # The pieces of {} and, after them, more for this text.\n"
                                "  vocabulary: {{{}}}\n",
                                one_line(run, 1000), join(keys, ", ")) +
                            lines_text(base.data);
}

}  // namespace heed::run
