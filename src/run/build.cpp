#include "run/build.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "decode/search/pieces.h"
#include "model/description/traits.h"
#include "model/device.h"
#include "model/freeze.h"
#include "model/model.h"
#include "run/base_model.h"
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

}  // namespace

data::CorpusReading training_reading(const Config& config) {
  return within_model({.max_length = config.data.max_length,
                       .long_sentences = config.data.long_sentences,
                       .max_words = config.data.max_words,
                       .keep_text = config.data.subword_sampling > 0,
                       .aligned = config.training.guided_alignment > 0,
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

text::VocabularyTraining vocabulary_training(const Config& config, bool sources, bool targets) {
  using text::TsvColumn;
  const data::VocabularyConfig& wanted = config.data.vocabulary;
  text::VocabularyTraining training{
      .files = {},
      .size = wanted.size,
      .algorithm = config::name_of(wanted.algorithm),
      .coverage = wanted.coverage,
      .symbols = sources ? data::source_symbols(config.data) : wanted.symbols,
      .normalise = config::name_of(wanted.normalise),
      .byte_fallback = wanted.byte_fallback,
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

Vocabularies make_vocabularies(const Config& config) {
  if (!config.training.from.empty()) return vocabularies_from_base(config);
  const data::VocabularyConfig& wanted = config.data.vocabulary;
  const bool joint = wanted.kind == data::VocabularyKind::joint;
  const auto one = [&](const std::string& ready, bool sources, bool targets) {
    const auto training = vocabulary_training(config, sources, targets);
    if (!ready.empty()) {
      const auto vocabulary = text::Vocabulary::load(ready);
      require_serves(vocabulary, config, training.symbols, ready);
      return vocabulary;
    }
    log::info("training a vocabulary of {} pieces", wanted.size);
    return text::Vocabulary::train(training);
  };
  const text::Vocabulary source = one(wanted.source, true, joint);
  return {source, joint ? source : one(wanted.target, false, true)};
}

void decide_parts(Config& config, const at::Device& device, int64_t ranks) {
  int64_t& parts = config.training.micro_batches;
  if (parts == 0) parts = train::default_parts(config.training, !device.is_cpu(), ranks);
}

ModelFolder fresh_model(Config config, const std::string& folder, const Vocabularies& vocabularies,
                        const at::Device& device) {
  decode::never_produced(vocabularies.target, config.decoding.forbid);  // names what is no piece
  decide_parts(config, device, /*ranks=*/1);
  const at::ScalarType precision = model::use_precision(config::name_of(config.precision), device);
  at::manual_seed(static_cast<uint64_t>(config.seed));
  auto network = model::make_model(config.model, vocabularies.sizes());
  model::freeze(*network, config.training.freeze);
  network->to(device);
  return {folder, std::move(config), vocabularies.source, vocabularies.target, std::move(network),
          device, precision};
}

ModelFolder fresh_model(Config config, const std::string& folder,
                        const Vocabularies& vocabularies) {
  const at::Device device = model::open_device(config.device);
  return fresh_model(std::move(config), folder, vocabularies, device);
}

train::MakeModel another_model(const ModelFolder& run) {
  return [config = run.config.model, frozen = run.config.training.freeze, sizes = run.sizes()] {
    auto network = model::make_model(config, sizes);
    model::freeze(*network, frozen);
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
  const auto corpus = data::Corpus::read({files}, folder.source, folder.target, reading);
  if (const data::Notice& dropped = corpus.reports().front().dropped; dropped.count > 0)
    log::warn("{}: left out of the loss, longer than the {} of {}: {}", files.source,
              counted(reading.max_length, "piece"), reading.limit, dropped.text());
  if (config.training.batch_type != train::BatchType::tokens)
    return data::fixed_batches(corpus, 4096);
  // A GPU that has memory for a part of a training batch may not have it for a whole one.
  const int64_t parts = folder.device.is_cpu() ? 1 : train::parts_per_batch(config.training);
  return data::fixed_batches(corpus, std::max<int64_t>(1, config.training.batch_size / parts));
}

namespace {

/// The same for processes that see each other's memory maps.
std::string machine() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  std::error_code ignored;
  return boot + std::filesystem::read_symlink("/proc/self/ns/pid", ignored).string();
}

}  // namespace

std::shared_ptr<const data::Corpus> training_corpus(const ModelFolder& run, bool shared) {
  data::CorpusReading reading = training_reading(run.config);
  reading.scratch = {run.path, shared};
  return std::make_shared<const data::Corpus>(
      data::Corpus::read(run.config.data.train, run.source, run.target, reading));
}

std::shared_ptr<const data::Corpus> training_corpus(const ModelFolder& run, ranks::Group& group) {
  if (group.alone()) return training_corpus(run);
  const std::vector<std::string> machines = group.gather(machine());
  const auto mine = machines.begin() + group.rank();
  const auto reader = std::find(machines.begin(), machines.end(), *mine) - machines.begin();
  // Of a large corpus one machine may need minutes more than another.
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

}  // namespace heed::run
