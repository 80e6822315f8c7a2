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
#include "config/schema.h"
#include "data/config.h"
#include "run/build.h"
#include "run/check.h"
#include "run/folder.h"
#include "run/model_folder.h"
#include "run/saved_config.h"
#include "text/extension.h"
#include "text/lines.h"
#include "text/piece_rule.h"
#include "text/script.h"
#include "text/vocabulary.h"
#include "train/config.h"
#include "train/schedule.h"

namespace heed::run {
namespace {

using config::Yaml;

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

Yaml small_rnn() {
  return Yaml()
      .comment("From so few pairs a recurrent model with attention learns more than a Transformer.")
      .add("type", "rnn")
      .add("attention", "luong_general")
      .add("embedding_size", 128)
      .add("hidden_size", 256)
      .comment("The output layer shares the weights of the target's embedding.")
      .add("tie", "decoder");
}

Yaml transformer(const Network& network) {
  return Yaml()
      .comment("Or type: rnn with attention: bahdanau, luong_general, ...")
      .add("type", "transformer")
      .add("width", network.width)
      .add("feed_forward", network.feed_forward)
      .add("heads", network.heads)
      .add("encoder_layers", network.layers)
      .add("decoder_layers", network.layers)
      .comment("Both embeddings and the output layer are one matrix.")
      .add("tie", "all");
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

/// Returns the pieces of a target word with its share of the line's end. Of a vocabulary half of
/// the pieces are whole words, the most frequent ones; the letters of other words are in pieces of
/// some length, which grows with the vocabulary. In nine vocabularies of seven corpora this is
/// within 11 per cent of the right number (docs/results.md).
double pieces_of_a_word(const data::CorpusShape& shape, int64_t vocabulary) {
  constexpr double kUsual = 1.35;  // where nothing is known of the words
  if (shape.target_lengths.beyond[0] == 0) return kUsual;
  const auto size = static_cast<double>(vocabulary);
  const double letters_of_piece = 3 * std::pow(size / 8000, 0.2);
  const double ends = static_cast<double>(shape.pairs) /
                      static_cast<double>(std::max<int64_t>(shape.target_words, 1));
  return 1 + shape.target_lengths.beyond_rank(size / 2) / letters_of_piece + ends;
}

/// Returns the number of target pieces of an epoch. Without blanks a piece is one letter or two.
double pieces_of_an_epoch(const data::CorpusShape& shape, int64_t vocabulary) {
  const double pieces =
      text::has_no_blanks(shape.target_script)
          ? 0.7 * static_cast<double>(shape.target_letters)
          : pieces_of_a_word(shape, vocabulary) * static_cast<double>(shape.target_words);
  return std::max(1.0, pieces);
}

bool fits(const Recipe& recipe, const Machine& machine) {
  if (!machine.memory) return true;
  Config config;
  config::load_text(config, sections_of(recipe).text(), "heed init");
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

/// The largest network up to `wanted`, an index of kNetworks, that fits, or else the smallest.
void choose_transformer(Recipe& recipe, std::size_t wanted, const Machine& machine) {
  for (std::size_t index = wanted;; --index) {
    const Network& network = kNetworks[index];
    recipe.network = transformer(network);
    recipe.is_smaller = index < wanted;
    recipe.update = network.update;
    recipe.learning_rate = network.learning_rate;
    recipe.warmup = network.warmup;
    if (cut_batches_to_fit(recipe, machine) || index == 0) return;
  }
}

void add_batches(const Recipe& recipe, Yaml& training) {
  const bool whole = recipe.accumulate == 1;
  training
      .comment(whole ? "Target pieces of an update."
                     : "Target pieces of a batch. One for a whole update does not fit the memory "
                       "that was free.")
      .add("batch_size", recipe.update / recipe.accumulate);
  if (!whole) training.add("accumulate", recipe.accumulate);
}

/// So many epochs, but no fewer than so many updates.
void set_updates(Recipe& recipe, const data::CorpusShape& shape, int64_t epochs, int64_t fewest) {
  const double pieces = pieces_of_an_epoch(shape, recipe.vocabulary);
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
  const auto most = static_cast<int64_t>(pieces_of_an_epoch(shape, recipe.vocabulary) / 20);
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

/// Returns the settings that decide the step of an update, except for the learning rate.
Yaml optimizer_lines(const train::TrainConfig& training) {
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

/// The keys that a run has in common with the one whose vocabulary it takes.
Yaml vocabulary_lines(const data::VocabularyConfig& vocabulary) {
  Yaml lines = Yaml().add("kind", config::name_of(vocabulary.kind));
  if (vocabulary.algorithm != data::VocabularyAlgorithm::pieces) return lines;
  lines.add("algorithm", config::name_of(vocabulary.algorithm));
  if (!vocabulary.codes.empty()) lines.add("codes", vocabulary.codes);
  if (vocabulary.separator != text::kUsualSeparator) lines.add("separator", vocabulary.separator);
  return lines;
}

/// The vocabulary of the run with the keys in `vocabulary`, languages of a model of many, and what
/// its sources end with.
Yaml data_lines(const std::string& comment, const Yaml& vocabulary, const data::DataConfig& data) {
  Yaml lines = Yaml().comment(comment).add_flow("vocabulary", vocabulary);
  if (!data.source_end) lines.add("source_end", false);
  if (data.pieces) lines.add("pieces", true);
  if (!data.source_language.empty()) lines.add("source_language", data.source_language);
  if (!data.target_language.empty()) lines.add("target_language", data.target_language);
  return lines;
}

}  // namespace

Machine this_machine(bool gpu) {
  return {.gpu = gpu,
          .cores = available_cores(),
          .memory = gpu ? free_memory_of_gpu() : available_memory()};
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

Yaml sections_of(const Recipe& recipe) {
  const int64_t tenth = std::max<int64_t>(100, recipe.updates / 10 / 50 * 50);
  const int64_t every = std::min(tenth, recipe.updates);
  Yaml model = recipe.network;
  if (recipe.is_smaller) model.comment("A larger model does not fit the memory that was free.");
  model.comment("More for a small corpus, less for a large one.")
      .add_text("dropout", config::short_number(recipe.dropout));
  Yaml training = recipe.training;
  add_batches(recipe, training);
  training.add_text("learning_rate", config::short_number(recipe.learning_rate))
      .add("schedule", "cosine")
      .add("warmup", recipe.warmup)
      .add_text("label_smoothing", config::short_number(recipe.label_smoothing))
      .add_text("clip_norm", config::short_number(recipe.clip_norm))
      .comment("The model is the running average of its weights.")
      .add_text("ema", config::short_number(recipe.ema))
      .comment(fmt::format("About {} epochs.", recipe.epochs))
      .add("updates", recipe.updates)
      .add("validate_every", every)
      .add("save_every", every);
  Yaml all;
  all.add_section("model", model).blank_line().add_section("training", training);
  if (!recipe.decoding.empty()) all.blank_line().add_section("decoding", recipe.decoding);
  if (recipe.tokenizer != "13a")
    all.blank_line().add_section("evaluation",
                                 Yaml()
                                     .comment("Finds the words of the target language for BLEU.")
                                     .add("tokenize", recipe.tokenizer));
  return all;
}

Config config_of_base(const std::string& run) {
  require_model_folder(run);
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
  recipe.own_vocabulary = data_lines(fmt::format("The pieces of {}.", one_line(run, 1000)),
                                     vocabulary_lines(base.data.vocabulary), base.data);
  recipe.network = Yaml()
                       .comment(fmt::format("The network of {}.", one_line(run, 1000)))
                       .add("type", config::name_of(base.model.type))
                       .append(config::changed_lines(base.model, {"type", "dropout"}));
  recipe.is_smaller = false;
  recipe.dropout = base.model.dropout;
  recipe.training = Yaml()
                        .comment("It begins with the weights of this run.")
                        .add("from", run)
                        .append(optimizer_lines(training));
  if (adapters)
    recipe.training
        .comment(
            "Low-rank matrices beside those of the attention layers are trained, and nothing else.")
        .add_flow("adapters", Yaml().add("kind", "lora"));
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
  Yaml keys;
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
    keys.add(key, path);
    recipe.vocabulary = std::max<int64_t>(recipe.vocabulary, larger.size());
  };
  if (joint) {
    extend(old.source, "source", kJointVocabulary, {corpus.source, corpus.target});
  } else {
    extend(old.source, "source", kSourceVocabulary, {corpus.source});
    extend(old.target, "target", kTargetVocabulary, {corpus.target});
  }
  if (keys.empty()) return;
  recipe.own_vocabulary = data_lines(
      fmt::format("The pieces of {} and, after them, more for this text.", one_line(run, 1000)),
      vocabulary_lines(base.data.vocabulary).append(keys), base.data);
}

}  // namespace heed::run
