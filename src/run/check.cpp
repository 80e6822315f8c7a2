#include "run/check.h"

#include <dlfcn.h>

#include <algorithm>
#include <bit>
#include <cstddef>

#include "base/files.h"
#include "base/log.h"
#include "base/machine.h"
#include "base/shell_names.h"
#include "base/strings.h"
#include "config/schema.h"
#include "data/config.h"
#include "data/languages.h"
#include "data/pair_reader.h"
#include "decode/search/engine_translator.h"
#include "decode/search/glossary.h"
#include "decode/translator.h"
#include "engine/matrix.h"
#include "engine/network.h"
#include "kernels/output_loss.h"
#include "model/description/config.h"
#include "model/description/traits.h"
#include "model/device.h"
#include "model/embedding.h"
#include "model/model.h"
#include "run/build.h"
#include "run/corpora_check.h"
#include "run/family.h"
#include "run/folder.h"
#include "run/held_out.h"
#include "run/launcher.h"
#include "run/model_folder.h"
#include "run/precision.h"
#include "run/saved_config.h"
#include "score/metrics.h"
#include "score/sacrebleu.h"
#include "text/lines.h"
#include "text/pairs.h"
#include "text/vocabulary.h"
#include "text/vocabulary_training.h"
#include "train/config.h"
#include "train/kinds.h"
#include "train/trainer.h"
#include "train/update.h"

namespace heed::run {
namespace {

constexpr int64_t kNumber = 4;         // bytes: weights, gradients and moments are fp32
constexpr int64_t kTypicalWords = 40;  // pieces of a long sentence, where a batch counts sentences

// --- vocabulary, model, scorer

/// Sizes of the vocabularies that the run will have; nothing where there is a fault.
std::optional<model::VocabularySizes> check_vocabulary(const Config& config, bool corpora,
                                                       Check& found) {
  const data::VocabularyConfig& vocabulary = config.data.vocabulary;
  const bool joint = is_joint(config);
  if (!config.training.from.empty() || vocabulary.kind == data::VocabularyKind::shared) {
    std::optional<model::VocabularySizes> sizes;
    found.passes([&] { sizes = make_vocabularies(config).sizes(); });
    return sizes;
  }
  bool good = true;
  const auto one = [&](const std::string& key, const std::string& ready, bool sources, bool targets,
                       std::string& trained) {
    int64_t size = vocabulary.size;
    good &= found.passes([&] {
      const auto training = vocabulary_training(config, sources, targets);
      if (ready.empty()) {
        if (!corpora) return;
        try {
          text::Reachable reachable = text::require_reachable(training);
          // Where the vocabulary is made already, nobody will warn of it again.
          const bool is_made = !reachable.model.empty();
          if (reachable.cut.lines > 0 && is_made) log::warn(reachable.cut.text());
          if (reachable.cut.lines > 0 && !is_made) found.warnings.push_back(reachable.cut.text());
          trained = std::move(reachable.model);
        } catch (const text::TooLittleText& fault) {
          found.most_pieces = fault.most;
          throw;
        }
        return;
      }
      require_file(ready, key);
      const auto vocabulary = ready_vocabulary(ready, training);
      require_serves(vocabulary, config, training.symbols, ready);
      size = vocabulary.size();
    });
    return size;
  };
  model::VocabularySizes sizes;
  sizes.source =
      one("data.vocabulary.source", vocabulary.source, true, joint, found.trained.source);
  sizes.target =
      joint ? sizes.source
            : one("data.vocabulary.target", vocabulary.target, false, true, found.trained.target);
  return good ? std::optional(sizes) : std::nullopt;
}

/// Returns the configurations that are trained: the systems of a family, each with the beginning of
/// its messages, or `config`.
std::vector<std::pair<std::string, const Config*>> trained(const Config& config,
                                                           const CheckOptions& options) {
  std::vector<std::pair<std::string, const Config*>> all;
  for (const auto& [name, system] : options.systems) all.emplace_back(name + ": ", &system);
  if (all.empty()) all.emplace_back("", &config);
  return all;
}

void check_validations(const Config& config, const std::string& name, bool begun, Check& found) {
  if (!config.data.valid.source.empty()) return;
  const train::TrainConfig& training = config.training;
  const auto blame = [&](const std::string& what, const std::string& cure) {
    found.blame("{}training.{}, and there are none; name data.valid, or {}", name, what, cure);
  };
  if (train::schedule_info(training.schedule).moves == train::RateMoves::kByValidations)
    blame(fmt::format("schedule: {} lowers the rate after validations",
                      config::name_of(training.schedule)),
          "set another schedule");
  if (const auto metric = training.early_stopping.metric; metric != score::Metric::loss)
    blame(fmt::format("early_stopping.metric: {} is of validations", config::name_of(metric)),
          "set metric: loss");
  if (!training.validation_command.empty())
    blame("validation_command: scores the translations of validations", "leave it out");
  if (training.validation_outputs)
    blame("validation_outputs: true keeps the translations of validations", "set it to false");
  if (const int64_t patience = training.early_stopping.patience;
      patience != 0 && patience != train::EarlyStopping().patience)
    blame(fmt::format("early_stopping.patience: {} counts validations", patience), "leave it out");
  // A run that has begun with another value cannot change it.
  if (!begun && training.keep_best != train::TrainConfig().keep_best)
    blame(fmt::format("keep_best: {} is a number of validations", training.keep_best),
          "leave it out");
}

bool scores_with_sacrebleu(const Config& config) {
  return !config.data.valid.source.empty() &&
         std::ranges::any_of(train::translation_metrics(config.training), [](score::Metric metric) {
           return score::info_of(metric).source == score::MetricSource::sacrebleu;
         });
}

/// BLEU of the validation set, or of the test set, whose translations are scored.
void check_tokenizer(const Config& config, Check& found) {
  const data::CorpusFiles& files =
      config.data.valid.source.empty() ? config.data.test : config.data.valid;
  Check unread;  // what keeps a file from being read is found where corpora are checked
  unread.passes([&] {
    const std::string& name = files.target.empty() ? files.source : files.target;
    if (auto doubt = score::tokenizer_doubt(data::first_targets(files), config.evaluation, name))
      found.doubts.push_back(*doubt);
  });
}

/// One that is missing, or that refuses what `evaluation` asks for, is known now rather than after
/// an hour. One that fails may be mended by then.
void check_scorer(const Config& config, Check& found) {
  if (!scores_with_sacrebleu(config) && config.data.test.source.empty()) return;
  if (!found.passes([] { score::find_sacrebleu(); })) return;
  try {
    score::check_evaluation(config.evaluation);
  } catch (const UserError& error) {
    found.blame(error.what());
  } catch (const Failure& failure) {
    found.doubts.push_back(std::string("scores may be missing: ") + failure.what());
  }
  check_tokenizer(config, found);
}

/// Known now rather than at the first validation, or at the end.
void check_references(const Config& config, Check& found) {
  const auto check = [&](const std::vector<std::string>& files, const data::CorpusFiles& set,
                         bool valid) {
    if (files.empty() || !found.faults.empty()) return;
    const std::string name = valid ? "valid" : "test";
    if (set.source.empty())
      found.blame(
          "evaluation.{}references: of data.{}, which is not set; name it, or leave them out",
          valid ? "valid_" : "", name);
    else
      found.passes([&] {
        const std::size_t lines = text::read_pairs(set.source, set.target).source.size();
        read_more_references(config, valid, lines);
      });
  };
  check(config.evaluation.valid_references, config.data.valid, true);
  check(config.evaluation.references, config.data.test, false);
}

// --- device and memory

bool validates(const Config& config) {
  return !config.data.valid.source.empty() || !config.data.more_valid.empty();
}

void check_memory(const Config& config, const std::string& name,
                  const model::VocabularySizes& sizes, const CheckOptions& options, Check& found) {
  const bool cpu = config.device == "cpu" || (config.device == "auto" && !model::auto_means_gpu());
  MemoryNeed memory;
  if (!found.passes([&] {
        memory = memory_of(config, {.source = sizes.source,
                                    .target = sizes.target,
                                    .cpu = cpu,
                                    .threads = threads_of_rank(config.threads, options.ranks),
                                    .ranks = options.ranks});
      }))
    return;
  found.notes.push_back(name + memory.text() + (options.ranks > 1 ? ", in each rank" : ""));
  std::optional<int64_t> available = available_memory();
  if (!cpu) {
    if (!options.own_device) return;
    available = free_memory_of_gpu();
  }
  if (!available) return;
  const int64_t here = cpu ? options.ranks : 1;
  const auto bytes = [&](int64_t count) { return human_bytes(static_cast<uint64_t>(count)); };
  const std::string free = fmt::format(", and {} are free", bytes(*available));
  if (here * memory.model() > *available)
    found.blame(
        "{}memory: weights, gradients and optimizer need {}{}; set a smaller model.{} or "
        "data.vocabulary.size{}",
        name, bytes(here * memory.model()), free, model::traits(config.model).width_key,
        here > 1 ? ", or start fewer ranks" : "");
  else if (here * memory.total() > *available) {
    const bool validations = memory.engine > memory.batch;
    const char* const parts = cpu ? "a larger training.micro_batches, more than the threads,"
                                  : "a larger training.micro_batches";
    found.doubts.push_back(fmt::format(
        "{}memory: {} may need about {}, weights, gradients and optimizer {}{}; {} needs less",
        name, validations ? "translating in validations" : "a batch",
        bytes(here * memory.beside_model()), bytes(here * memory.model()), free,
        validations ? "decoding.weights: int8" : parts));
  }
}

/// Whether the run itself does; otherwise it may be trained here and translate elsewhere.
bool translates(const Config& config) {
  return !config.data.test.source.empty() ||
         (validates(config) && validations_translate(config.training));
}

void check_device(const Config& config, const CheckOptions& options, Check& found) {
  const bool gpu = config.device != "cpu" && model::auto_means_gpu();
  found.passes([&] {
    // A GPU is left to those who use it, but one that is not there says so at once.
    at::Device device = at::kCUDA;
    if (!gpu || options.own_device) {
      device = model::open_device(config.device);
      if (const std::string name = training_precision(config); name != "auto")
        model::choose_precision(name, device);
    }
    if (translates(config)) decode::require_weights(config.decoding, device);
  });
}

/// Checks the files of the search for the test set, which is translated after the training.
void check_search_files(const Config& config, Check& found) {
  const std::string& shortlist = config.decoding.shortlist;
  const std::string& glossary = config.decoding.glossary;
  if (config.data.test.source.empty()) return;
  if (!shortlist.empty()) found.passes([&] { require_file(shortlist, "decoding.shortlist"); });
  if (!glossary.empty())
    found.passes([&] {
      require_file(glossary, "decoding.glossary");
      if (text::is_stream(glossary)) return;
      const data::LanguagePair languages = data::language_pair(config.data);
      decode::Glossary(config.decoding, languages.source, languages.target);
    });
}

/// The format of the weights that translate validations. What is still to be measured may become
/// fp32.
engine::WeightFormat largest_format(const Config& config) {
  const decode::WeightType weights = config.decoding.weights;
  if (weights == decode::WeightType::auto_) return engine::WeightFormat::fp32;
  return decode::weight_format(weights, training_precision(config) == "bf16");
}

}  // namespace

MemoryNeed memory_of(const Config& config, const MemoryOf& of) {
  train::TrainConfig training = config.training;
  if (training.micro_batches == 0)
    training.micro_batches = train::default_parts(training, !of.cpu, of.ranks);
  MemoryNeed memory;
  {
    const model::WeightsBegin sizes_only(model::InitialWeights::sizes_only);
    const auto network =
        model::make_model(config.model, {.source = of.source, .target = of.target});
    memory.parameters = model::count_parameters(*network);
    train::choose_trainable(*network, training);
    memory.trainable = model::count_parameters(*network);
    if (training.adapters.kind != train::AdapterKind::none) memory.parameters += memory.trainable;
  }
  const int64_t parts = train::parts_per_batch(training) * training.accumulate;
  const int64_t own = (parts + of.ranks - 1) / of.ranks;
  memory.parts = of.cpu ? std::min(of.threads, own) : 1;
  const int64_t sums = std::bit_width(static_cast<uint64_t>(own)) - 1;
  memory.weights = kNumber * memory.parameters;
  const int64_t moments = std::ssize(train::optimizer_info(training.optimizer).moments);
  memory.optimizer = kNumber * memory.trainable * moments / of.ranks;
  memory.average = training.ema > 0 ? kNumber * memory.trainable / of.ranks : 0;
  memory.gradients = kNumber * memory.trainable * (memory.parts + sums);
  const bool by_tokens = training.batch_type == train::BatchType::tokens;
  const int64_t length = std::min(config.data.max_length, kTypicalWords);
  memory.tokens = training.batch_size * (by_tokens ? 1 : length) / train::parts_per_batch(training);
  const int64_t twice = training.consistency == train::Consistency::none ? 1 : 2;
  const model::Traits traits = model::traits(config.model);
  memory.batch = kNumber * memory.parts * memory.tokens * twice * traits.activations;
  // A CPU transposes the output layer's matrix and has few logits at a time; a GPU has some, their
  // logarithms and their gradients.
  memory.batch +=
      kNumber * (of.cpu ? memory.parts * of.target * traits.width
                        : 3 * std::min(memory.tokens * of.target, kernels::kLogitsTogether));
  if (of.cpu && validates(config) && validations_translate(training) &&
      engine::has_network(config.model))
    memory.engine = memory.parameters * engine::bytes_of(largest_format(config));
  return memory;
}

std::optional<int64_t> free_memory_of_gpu() {
  // Asked through the CUDA runtime that LibTorch brought along, whose headers are not needed.
  using Query = int (*)(std::size_t * free, std::size_t * total);
  const auto query = reinterpret_cast<Query>(dlsym(RTLD_DEFAULT, "cudaMemGetInfo"));
  std::size_t free = 0, total = 0;
  if (query == nullptr || query(&free, &total) != 0) return std::nullopt;
  return static_cast<int64_t>(free);
}

std::string MemoryNeed::text() const {
  const auto bytes = [](int64_t count) { return human_bytes(static_cast<uint64_t>(count)); };
  std::string text =
      fmt::format("memory: about {} besides the program: weights {} ({} parameters)",
                  bytes(total()), bytes(weights), human_count(static_cast<double>(parameters)));
  if (optimizer > 0) text += ", optimizer " + bytes(optimizer);
  if (average > 0) text += ", average of weights " + bytes(average);
  text += fmt::format(", gradients {}, batch {} ({} of {} target tokens)", bytes(gradients),
                      bytes(batch),
                      parts == 1 ? "one part" : std::to_string(parts) + " parts at a time", tokens);
  if (engine > 0)
    text += fmt::format(", validations {} for weights to translate with in place of the batch",
                        bytes(engine));
  return text;
}

bool validations_translate(const train::TrainConfig& training) {
  return !train::translation_metrics(training).empty() || training.validation_samples > 0 ||
         training.validation_outputs;
}

void Check::tell() const {
  for (const std::string& note : notes) log::info(note);
  for (const std::string& doubt : doubts) log::warn(doubt);
}

void Check::require(const std::string& what) const {
  if (faults.empty()) return;
  std::string text = faults.front();
  if (faults.size() > 1)
    text = fmt::format("{}: {}\n  {}", what, counted(std::ssize(faults), "fault"),
                       join(faults, "\n  "));
  if (environment_only) throw Failure(text);
  throw UserError(text);
}

Check check_run(const Config& config, const CheckOptions& options) {
  Check found;
  const auto all = trained(config, options);
  const bool readable = check_corpora(config, options, found);
  check_references(config, found);
  // A run that goes on makes none of these anew.
  const std::string folder = run_folder(config);
  if (const std::string note = shell_note(folder); !note.empty())
    found.passes([&] { throw UserError("output: {}: {}", folder, note); });
  if (options.overwrite) found.passes([&] { require_spared(config, paths_of_run(folder)); });
  bool elsewhere = true;
  if (options.systems.empty() && (options.overwrite || !has_begun(folder)))
    elsewhere = found.passes([&] { require_file_elsewhere(options.file, folder); });
  if (elsewhere)
    for (const auto& [name, one] : all) found.passes([&] { require_own_files(run_folder(*one)); });
  const bool begun = options.resume && has_begun(folder) && has_vocabularies(folder);
  bool based = true;
  if (!begun) based = found.passes([&] { require_base(config); });
  if (!begun && based)
    for (const auto& [name, one] : all) found.passes([&] { require_base_network(*one, name); });
  std::optional<model::VocabularySizes> sizes;
  if (begun)
    found.passes([&] { sizes = load_vocabularies(folder, is_joint(config)).sizes(); });
  else if (based)
    sizes = check_vocabulary(config, readable, found);
  if (!begun && sizes)
    if (std::string vain = unused_vocabulary_keys(config); !vain.empty())
      found.doubts.push_back(std::move(vain));
  if (options.systems.empty())  // a family has keys for all of its systems
    if (std::string vain = unused_model_keys(config); !vain.empty())
      found.doubts.push_back(std::move(vain));
  for (const auto& [name, one] : all) check_validations(*one, name, begun, found);
  check_scorer(config, found);
  check_search_files(config, found);
  const std::size_t before = found.faults.size();
  check_device(config, options, found);
  if (!sizes || found.faults.size() > before) return found;
  for (const auto& [name, one] : all) check_memory(*one, name, *sizes, options, found);
  return found;
}

void check_file(const std::string& file, const std::vector<std::string>& settings) {
  const Config config = load_config(file, settings);
  CheckOptions options{.file = file};
  if (!config.systems.empty()) options.systems = systems_of(family(file, settings, {}));
  const Check found = check_run(config, options);
  found.require(file);
  found.tell();
  for (const std::string& warning : found.warnings) log::warn(warning);
  log::info(file + ": valid");
}

}  // namespace heed::run
