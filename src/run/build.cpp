#include "run/build.h"

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/run_folder.h"
#include "base/shell_names.h"
#include "base/strings.h"
#include "config/differences.h"
#include "config/schema.h"
#include "data/batch.h"
#include "data/batches.h"
#include "data/config.h"
#include "data/corpus.h"
#include "data/corpus_reader.h"
#include "data/flaws.h"
#include "data/languages.h"
#include "data/notice.h"
#include "decode/search/config.h"
#include "decode/search/pieces.h"
#include "model/description/config.h"
#include "model/description/kinds.h"
#include "model/description/traits.h"
#include "model/device.h"
#include "model/embedding.h"
#include "model/model.h"
#include "model/weights.h"
#include "run/folder.h"
#include "run/line_models.h"
#include "run/precision.h"
#include "run/saved_config.h"
#include "text/lines.h"
#include "text/piece_rule.h"
#include "text/tsv.h"
#include "text/vocabulary.h"
#include "text/vocabulary_training.h"
#include "train/config.h"
#include "train/trainer.h"

namespace heed::run {
namespace {

/// Learned positions have an end, before which there has to be room for eos.
data::CorpusReading within_model(data::CorpusReading reading, const model::ModelConfig& model) {
  const int64_t most = model::traits(model).longest - 1;
  if (most < reading.max_length) {
    reading.max_length = most;
    reading.limit = "model.max_positions";
  }
  return reading;
}

/// Returns a name of the machine that is the same for processes that see each other's memory maps.
std::string machine() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  std::error_code ignored;
  return boot + std::filesystem::read_symlink("/proc/self/ns/pid", ignored).string();
}

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

/// rows [base's pieces, ...] followed by those of the new pieces.
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
  // This kind of attention has the same weights as softmax attention and only sees less.
  if (model::self_attention_info(model.self_attention).weights == model::WeightsOf::kProducts)
    model.self_attention = "softmax";
  return model;
}

/// The base's own vocabularies, or those that data.vocabulary names, where they extend the base's.
Vocabularies vocabularies_from_base(const Config& config) {
  require_base(config);
  const std::string& folder = config.training.from;
  const bool joint = is_joint(config);
  const Vocabularies base = load_vocabularies(folder, joint);
  const data::VocabularyConfig& vocabulary = config.data.vocabulary;
  if (base.source.is_cut() != (vocabulary.algorithm == data::VocabularyAlgorithm::pieces))
    throw UserError("{}{} has data.vocabulary.algorithm: {}; set {}", kKey, folder,
                    base.source.algorithm(),
                    base.source.is_cut() ? "the same" : "it, or leave the key out");
  const auto source = extension(base.source, vocabulary.source, "data.vocabulary.source", config,
                                data::source_symbols(config.data));
  const auto target = joint ? source
                            : extension(base.target, vocabulary.target, "data.vocabulary.target",
                                        config, vocabulary.symbols);
  require_shared_pieces({source, target}, config);
  return with_languages({source, target}, config);
}

}  // namespace

data::CorpusReading training_reading(const Config& config) {
  return within_model({.max_length = config.data.max_length,
                       .long_sentences = config.data.long_sentences,
                       .max_words = config.data.max_words,
                       .keep_text = config.data.subword_sampling > 0 ||
                                    is_noisy(config.data.noise) || config.data.terms > 0,
                       .aligned = config.training.guided_alignment > 0 || config.data.terms > 0,
                       .threads = at::get_num_threads(),
                       .cleaning = data::cleaning_of(config.data)},
                      config.model);
}

data::CorpusReading validation_reading(const Config& config) {
  data::CorpusReading reading{.max_length = config.data.max_length};
  if (config.decoding.max_source_length > reading.max_length) {
    reading.max_length = config.decoding.max_source_length;
    reading.limit = "decoding.max_source_length";
  }
  return within_model(reading, config.model);
}

text::PieceRule piece_rule(const Config& config, bool sources) {
  const data::VocabularyConfig& vocabulary = config.data.vocabulary;
  text::PieceRule rule{.separator = vocabulary.separator,
                       .split_unknown = vocabulary.split_unknown};
  if (vocabulary.codes.empty()) return rule;
  const std::string& file = sources ? vocabulary.codes.front() : vocabulary.codes.back();
  require_file(file, "data.vocabulary.codes");
  rule.codes = read_file(file);
  if (rule.codes.empty()) throw UserError("data.vocabulary.codes: {} is empty", file);
  return rule;
}

text::Vocabulary ready_vocabulary(const std::string& file,
                                  const text::VocabularyTraining& training) {
  if (training.algorithm == config::name_of(data::VocabularyAlgorithm::pieces))
    return text::load_pieces(file, training.symbols, training.rule);
  const auto vocabulary = text::Vocabulary::load(file);
  if (vocabulary.is_cut())
    throw UserError(
        "{}: is for text that another program cuts; set data.vocabulary.algorithm: "
        "pieces",
        file);
  return vocabulary;
}

text::VocabularyTraining vocabulary_training(const Config& config, bool sources, bool targets) {
  using text::TsvColumn;
  const data::VocabularyConfig& vocabulary = config.data.vocabulary;
  const bool shared = vocabulary.kind == data::VocabularyKind::shared;
  if (shared && (sources ? vocabulary.source : vocabulary.target).empty())
    throw UserError(
        "data.vocabulary.{}: kind: shared begins with two files that are there; name one, or set "
        "kind: joint",
        sources ? "source" : "target");
  text::VocabularyTraining training{.files = {},
                                    .size = vocabulary.size,
                                    .algorithm = config::name_of(vocabulary.algorithm),
                                    .coverage = vocabulary.coverage,
                                    .symbols = !sources ? vocabulary.symbols
                                               : vocabulary.source.empty()
                                                   ? data::symbols_of_fresh(config.data)
                                                   : data::source_symbols(config.data),
                                    .normalise = config::name_of(vocabulary.normalise),
                                    .byte_fallback = vocabulary.byte_fallback,
                                    .upper = config.data.noise.upper,
                                    .rule = piece_rule(config, sources),
                                    .fewest = data::kFewestPieces};
  for (const data::CorpusFiles& corpus : config.data.train) {
    if (corpus.target.empty()) {
      const TsvColumn one = sources ? TsvColumn::source : TsvColumn::target;
      training.files.emplace_back(corpus.source, sources && targets ? TsvColumn::both : one);
      continue;
    }
    if (sources) training.files.emplace_back(corpus.source);
    if (targets) training.files.emplace_back(corpus.target);
  }
  return training;
}

void require_serves(const text::Vocabulary& vocabulary, const Config& config,
                    const std::vector<std::string>& symbols, const std::string& key) {
  vocabulary.require_symbols(symbols, key);
  if (config.data.vocabulary.byte_fallback && !vocabulary.has_bytes())
    throw UserError(key +
                    ": the vocabulary has no pieces of bytes for data.vocabulary.byte_fallback: "
                    "true; set it to false, or make one with `heed vocab --byte-fallback`");
  if (config.data.subword_sampling > 0 && !vocabulary.can_sample())
    throw UserError(key +
                    ": the vocabulary is neither unigram nor bpe, and data.subword_sampling draws "
                    "nothing from it; set it to 0, or make another with `heed vocab`");
}

void decide_parts(Config& config, const at::Device& device, int64_t ranks) {
  int64_t& parts = config.training.micro_batches;
  if (parts == 0) parts = train::default_parts(config.training, !device.is_cpu(), ranks);
}

ModelFolder fresh_model(Config config, const std::string& folder, const Vocabularies& vocabularies,
                        const at::Device& device) {
  decode::never_produced(vocabularies.target, config.decoding.forbid);  // names what is no piece
  decide_parts(config, device, /*ranks=*/1);
  decide_precision(config, device, vocabularies.sizes());
  const at::ScalarType precision = model::use_precision(training_precision(config), device);
  at::manual_seed(static_cast<uint64_t>(config.seed));
  const bool adapted = config.training.adapters.kind != train::AdapterKind::none;
  auto network = [&] {
    const model::WeightsBegin begin(adapted ? model::InitialWeights::uninitialised
                                            : model::InitialWeights::drawn);
    return model::make_model(config.model, vocabularies.sizes());
  }();
  ModelFolder run{
      folder, std::move(config), vocabularies.source, vocabularies.target, std::move(network),
      device, precision};
  if (adapted) take_base_weights(run);
  train::choose_trainable(*run.model, run.config.training);
  run.model->to(device);
  return run;
}

ModelFolder fresh_model(Config config, const std::string& folder,
                        const Vocabularies& vocabularies) {
  const at::Device device = model::open_device(config.device);
  return fresh_model(std::move(config), folder, vocabularies, device);
}

train::MakeModel another_model(const ModelFolder& run) {
  return [config = run.config, sizes = run.sizes()] {
    auto network = model::make_model(config.model, sizes);
    train::choose_trainable(*network, config.training);
    return network;
  };
}

data::BatchOptions batch_options(const Config& config) {
  return train::batch_options(config.training, config.data, static_cast<uint64_t>(config.seed),
                              at::get_num_threads());
}

std::vector<data::Batch> validation_batches(const ModelFolder& folder,
                                            const data::CorpusFiles& files) {
  if (files.source.empty()) return {};
  const Config& config = folder.config;
  const data::CorpusReading reading = validation_reading(config);
  const auto corpus = data::read_corpus({files}, folder.source, folder.target, reading);
  if (const data::Notice& dropped = corpus.reports().front().dropped; dropped.count > 0)
    log::warn("{}: left out of the loss, longer than the {} of {}: {}", files.source,
              counted(reading.max_length, "piece"), reading.limit, dropped.text());
  if (config.training.batch_type != train::BatchType::tokens)
    return data::fixed_batches(corpus, 4096);
  // A GPU that has memory for a part of a training batch may not have it for a whole one.
  const int64_t parts = folder.device.is_cpu() ? 1 : train::parts_per_batch(config.training);
  return data::fixed_batches(corpus, std::max<int64_t>(1, config.training.batch_size / parts));
}

std::shared_ptr<const data::Corpus> training_corpus(const ModelFolder& run, bool shared) {
  data::CorpusReading reading = training_reading(run.config);
  reading.scratch = {run.path, shared};
  return std::make_shared<const data::Corpus>(
      data::read_corpus(run.config.data.train, run.source, run.target, reading));
}

std::shared_ptr<const data::Corpus> training_corpus(const ModelFolder& run, ranks::Group& group) {
  if (group.alone()) return training_corpus(run);
  const std::vector<std::string> machines = group.gather(machine());
  const auto mine = machines.begin() + group.rank();
  const auto reader = std::find(machines.begin(), machines.end(), *mine) - machines.begin();
  // With a large corpus one machine may need minutes more than another.
  std::shared_ptr<const data::Corpus> corpus;
  group.take_time([&] {
    if (reader == group.rank()) corpus = training_corpus(run, /*shared=*/true);
  });
  const std::string address = group.gather(corpus ? corpus->address() : "")[reader];
  group.take_time([&] {
    if (corpus) return;
    try {
      corpus =
          std::make_shared<const data::Corpus>(data::Corpus::at(address, run.source, run.target));
    } catch (const Failure& failure) {
      log::warn(std::string(failure.what()) + "; this rank reads the corpus itself");
      corpus = training_corpus(run);
    }
  });
  return corpus;
}

void require_base(const Config& config) {
  const std::string& base = config.training.from;
  if (base.empty()) return;
  for (const char* name : {kConfigFile, kWeightsFile})
    if (!fs::exists(fs::path(base) / name))
      throw UserError("{}{}: has no {}; give the folder of a finished `heed train`{}", kKey, base,
                      name, shell_hint(base));
  const Config theirs = load_config(file_in(base, kConfigFile), {});
  require_bound(file_in(base, kWeightsFile), base);
  if (theirs.data.vocabulary.kind != config.data.vocabulary.kind)
    throw UserError("{}{} has data.vocabulary.kind: {}; set the same", kKey, base,
                    config::name_of(theirs.data.vocabulary.kind));
  if (theirs.data.source_end != config.data.source_end)
    throw UserError("{}{} has data.source_end: {}; set the same", kKey, base,
                    theirs.data.source_end);
}

std::string unused_vocabulary_keys(const Config& config) {
  const std::string& base = config.training.from;
  const data::VocabularyConfig& vocabulary = config.data.vocabulary;
  if (base.empty() || !vocabulary.source.empty()) return "";
  const Config theirs = load_config(file_in(base, kConfigFile), {});
  const text::Vocabulary pieces = load_vocabularies(base, is_joint(theirs)).target;
  const auto keys_of = [&](const data::VocabularyConfig& other) {
    std::vector<std::string> keys;
    for (const config::Difference& one : config::differences(other, vocabulary))
      if (one.path == "algorithm" || one.path == "coverage" ||
          (one.path == "size" && vocabulary.size != pieces.size()))
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

std::string unused_model_keys(const Config& config) {
  std::vector<std::string> in_vain;
  const bool rnn = config.model.type == model::ModelType::rnn;
  const auto is_of_other = [&](const std::string& key) {
    const auto of = model::keys_by_network().at(key);
    return rnn ? of == model::KeyOf::transformer || of == model::KeyOf::transformer_sight
               : of == model::KeyOf::rnn || of == model::KeyOf::rnn_sight;
  };
  for (const config::Difference& one : config::differences(ModelConfig(), config.model)) {
    if (!is_of_other(one.path)) continue;
    const std::string own = model::keys_of_other_network(one.path);
    in_vain.push_back(fmt::format("model.{}: {}{}", one.path, one.after,
                                  own.empty() ? "" : fmt::format(" (it has {})", own)));
  }
  if (in_vain.empty()) return "";
  return fmt::format("{} does not use {}", rnn ? "an rnn" : "a Transformer", join(in_vain, ", "));
}

void require_base_network(const Config& config, const std::string& name) {
  const std::string& base = config.training.from;
  if (base.empty() || !config.training.take.empty()) return;
  const ModelConfig theirs = written_out(load_config(file_in(base, kConfigFile), {}).model);
  std::vector<std::string> wrong;
  for (const config::Difference& one : config::differences(theirs, written_out(config.model)))
    if (one.path == "type" ||
        (theirs.type == config.model.type && model::is_of_network(one.path, config.model)))
      wrong.push_back(fmt::format("model.{}: {} (wanted: {})", one.path, one.before, one.after));
  if (!wrong.empty())
    throw UserError(
        "{}{}{} has {}; the new run needs the same network: set these values, or let `heed "
        "init SOURCE TARGET --from {}` write a configuration",
        name, kKey, base, join(wrong, ", "), shell_path(base));
}

Vocabularies make_vocabularies(const Config& config, const TrainedVocabularies& trained) {
  if (!config.training.from.empty()) return vocabularies_from_base(config);
  const data::VocabularyConfig& vocabulary = config.data.vocabulary;
  const bool joint = vocabulary.kind == data::VocabularyKind::joint;
  const auto one = [&](const std::string& ready, const std::string& bytes, bool sources,
                       bool targets) {
    const auto training = vocabulary_training(config, sources, targets);
    if (!ready.empty()) {
      const auto vocabulary = ready_vocabulary(ready, training);
      require_serves(vocabulary, config, training.symbols, ready);
      return vocabulary;
    }
    log::info("training a vocabulary of {} pieces", vocabulary.size);
    if (!bytes.empty()) return text::Vocabulary::from_model(bytes, "the vocabulary just trained");
    const text::Vocabulary made = text::train_vocabulary(training);
    if (made.size() < vocabulary.size)
      log::info("the text has no more than {}", counted(made.size(), "piece"));
    return made;
  };
  const text::Vocabulary source = one(vocabulary.source, trained.source, true, joint);
  const Vocabularies both{source,
                          joint ? source : one(vocabulary.target, trained.target, false, true)};
  require_shared_pieces(both, config);
  return with_languages(both, config);
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
  const train::TrainConfig& training = run.config.training;
  // Weights that stay as they are need no memory but the file's pages.
  if (training.adapters.kind != train::AdapterKind::none)
    model::take_weights(*run.model, weights, kKey + file);
  else if (!training.take.empty())
    model::load_modules(*run.model, training.take, weights, kKey + file);
  else
    model::load_weights(*run.model, weights, kKey + file);
  const int64_t more = run.target.size() - base.target.size();
  log::info("begins with {} of {}{}",
            training.take.empty() ? "the weights" : join(training.take, ", "), folder,
            more > 0 ? fmt::format(" and {} new pieces", more) : std::string());
}

ModelFolder open_base(const ModelFolder& run) {
  const std::string& path = run.config.training.from;
  OpenOptions options{.device = run.device.str(),
                      .settings = {"threads=" + std::to_string(at::get_num_threads())}};
  if (run.device.is_cpu()) {
    // Ranks that measured what the base leaves open could choose different types.
    require_model_folder(path);
    const Config base = saved_config(path);
    if (leaves_translating_open(base.precision))
      options.settings.push_back("precision=" + model::precision_name(run.precision));
    if (base.decoding.weights == decode::WeightType::auto_)
      options.settings.emplace_back("decoding.weights=fp32");
  }
  return open_model(path, options);
}

}  // namespace heed::run
