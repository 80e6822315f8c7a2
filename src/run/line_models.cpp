#include "run/line_models.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/machine.h"
#include "base/precision_times.h"
#include "base/progress_bar.h"
#include "base/run_folder.h"
#include "base/strings.h"
#include "config/attention_kind.h"
#include "config/schema.h"
#include "decode/search/batches.h"
#include "decode/search/config.h"
#include "decode/search/copying_head.h"
#include "decode/search/encoded_lines.h"
#include "decode/search/engine_translator.h"
#include "decode/search/lines_request.h"
#include "decode/search/marked_text.h"
#include "document/document.h"
#include "document/segment.h"
#include "engine/matrix.h"
#include "engine/network.h"
#include "engine/search_times.h"
#include "engine/thread_pool.h"
#include "engine/weights.h"
#include "kernels/rows/versions.h"
#include "model/description/config.h"
#include "model/description/traits.h"
#include "run/config.h"
#include "run/folder.h"
#include "run/measured_times.h"
#include "study/alignment.h"
#include "text/no_text.h"
#include "text/utf8.h"
#include "text/words.h"
#include "train/config.h"

namespace heed::run {
namespace {

/// Whether a command that leaves it to heed computes on the CPU.
bool is_for_cpu(const Config& config) {
  const auto has_gpu = [] {
    return std::filesystem::exists("/dev/nvidiactl") || std::filesystem::exists("/dev/dxg");
  };
  return config.device == "cpu" || (config.device == "auto" && !has_gpu());
}

/// Engines with threads of their own.
struct Engines {
  Engines(std::vector<decode::EngineMember> members, const Config& config,
          engine::WeightFormat numbers)
      : threads(threads_of(config)),
        translator(std::move(members), config.decoding, numbers, threads.threads()) {}

  engine::ThreadPool threads;
  decode::EngineTranslator translator;
};

/// The sizes of the search of such a model.
engine::SearchRows rows_of(const Config& config, int64_t vocabulary) {
  return {.vocabulary = vocabulary,
          .sentences = decode::search_limits(config.decoding).sentences,
          .beam = decode::width_of(config.decoding)};
}

/// The numbers of engines of such a model, whose decoding.weights are decided.
engine::WeightFormat numbers_of(const Config& config, const std::string& path, int64_t vocabulary) {
  const bool open = config.decoding.weights == decode::WeightType::fp32;
  return decode::weight_format(config.decoding.weights,
                               open && translates_in_bf16(config, path, vocabulary));
}

}  // namespace

bool leaves_translating_open(Precision precision) {
  return precision == Precision::auto_ || precision == Precision::auto_fp32 ||
         precision == Precision::auto_bf16;
}

bool translates_in_bf16(const Config& config, const std::string& path, int64_t vocabulary,
                        const MeasuredTimes& measured) {
  if (!leaves_translating_open(config.precision)) return config.precision == Precision::bf16;
  if (!kernels::processor().bf16_products) return false;
  KnownTimes known = translating_times(config.model, rows_of(config, vocabulary), measured);
  known.times.int8 = 0;  // is no choice here
  const bool bf16 = known.times.favour_bf16();
  log::info("{}: translates in {}; the products of a step take {}{}", path, bf16 ? "bf16" : "fp32",
            known.times.text(), known.origin());
  return bf16;
}

void decide_weights(Config& config, const std::string& path, int64_t vocabulary,
                    const MeasuredTimes& measured) {
  decode::WeightType& weights = config.decoding.weights;
  if (weights != decode::WeightType::auto_) return;
  KnownTimes known = translating_times(config.model, rows_of(config, vocabulary), measured);
  if (!engine::has_network(config.model)) known.times.int8 = 0;  // LibTorch translates
  const PrecisionTimes& times = known.times;
  weights = times.favour_int8()   ? decode::WeightType::auto_int8
            : times.favour_bf16() ? decode::WeightType::auto_bf16
                                  : decode::WeightType::auto_fp32;
  log::info("{}: decoding.weights: {}; the products of a step take {}{}", path,
            config::name_of(weights), times.text(), known.origin());
}

study::AlignmentChoice usual_choice(const Config& config) {
  const model::Traits traits = model::traits(config.model);
  const train::TrainConfig& training = config.training;
  study::AlignmentChoice choice = inspect::usual_choice(traits);
  const bool guided = training.guided_alignment > 0;
  if (guided) choice.reads = training.guided_step == train::GuidedStep::reads;
  if (!traits.attends() || !traits.has_self_attention) return choice;
  choice.layer = alignment_layer(config);
  choice.head = inspect::mean_head_of(traits, choice.layer);
  const bool is_taught =
      guided && choice.layer == model::decoder_layer(config.model, training.taught_layer);
  const int64_t named = config.decoding.alignment.head;
  if (named < 0 && !is_taught) return choice;
  // Heads are counted among those that are left.
  const auto kept = model::kept_heads(config.model, config::AttentionKind::cross, choice.layer);
  const auto head = model::index_among(kept, named >= 0 ? named : training.taught_head);
  expect(head.has_value(), "the head that links words is left");
  choice.head = *head;
  return choice;
}

std::optional<study::AlignmentChoice> placing_choice(const LineModels& models) {
  const Config& config = models.config;
  const model::Traits traits = model::traits(config.model);
  if (!traits.attends()) return std::nullopt;
  const study::AlignmentChoice usual = usual_choice(config);
  if (!traits.has_self_attention || config.decoding.alignment.is_given() ||
      config.training.guided_alignment > 0)
    return usual;
  return decode::copying_head(*models.translator, usual);
}

int64_t threads_of(const Config& config) {
  return config.threads > 0 ? config.threads : available_cores();
}

bool have_engines(const std::string& paths, const OpenOptions& options) {
  std::optional<Config> first;
  bool all = true;
  open_each(paths, options, [&](const std::string& path, const OpenOptions& settings) {
    const Config config = open_config(path, settings).config;
    if (!first) first = config;
    all = all && is_for_cpu(*first) && first->precision != Precision::fp16 &&
          engine::has_network(config.model);
  });
  return all;
}

LineModels open_engines(const std::string& paths, const OpenOptions& options) {
  LineModels models;
  std::vector<decode::EngineMember> members;
  engine::WeightFormat numbers{};
  open_each(paths, options, [&](const std::string& path, const OpenOptions& settings) {
    const FolderConfig folder = open_config(path, settings);
    if (members.empty()) {
      models.path = path;
      models.config = folder.config;
    }
    const std::string file = file_in(path, kWeightsFile);
    engine::WeightsFile weights = engine::read_weights(file);
    if (options.release_files) weights.weights.release_file();
    const Vocabularies vocabularies =
        bound_vocabularies(weights.metadata, file, path, folder.config, folder.origin);
    warn_if_unbound(weights.metadata, file, path);
    if (members.empty()) {
      decide_weights(models.config, path, vocabularies.target.size());
      numbers = numbers_of(models.config, path, vocabularies.target.size());
    } else {
      require_ensemble(models.config, {models.path, members.front().text.target},
                       {path, vocabularies.target});
    }
    const model::Traits traits = model::traits(folder.config.model);
    members.push_back(
        {.text = member_text(folder.config, vocabularies),
         .network = engine::make_network(folder.config.model, weights.weights, numbers),
         .longest = traits.longest,
         .attends = traits.attends()});
  });
  const auto engines = std::make_shared<Engines>(std::move(members), models.config, numbers);
  models.translator = {engines, &engines->translator};
  return models;
}

namespace {

/// Finishes the translations of a chunk of lines, of which the first is line `first`.
using Finish = std::function<void(const decode::LinesRequest& chunk, std::size_t first,
                                  std::vector<decode::Translation>& translations)>;

/// translate_all(); `finish` changes the texts of each chunk.
std::vector<std::string> translate_chunks(const LineModels& models,
                                          const decode::LinesRequest& request,
                                          const Finish& finish) {
  const decode::LineTranslator& translator = *models.translator;
  const std::vector<std::string>& lines = request.lines;
  const auto start = std::chrono::steady_clock::now();
  const int64_t chunk = translator.chunk_size();
  ProgressBar bar("sentences translated", std::ssize(lines));
  const decode::SearchHooks hooks{
      .searched = [&](int64_t sentences) { bar.add(static_cast<double>(sentences)); }};
  std::vector<std::string> outputs;
  while (outputs.size() < lines.size()) {
    const auto begin = lines.begin() + std::ssize(outputs);
    const decode::LinesRequest next{
        .lines = {begin, begin + std::min<int64_t>(chunk, lines.end() - begin)},
        .numbers = request.numbers.from(std::ssize(outputs))};
    auto translations = with_logged_warnings(translator.translate(next, hooks));
    finish(next, outputs.size(), translations);
    for (decode::Translation& translation : translations)
      outputs.push_back(std::move(translation.text));
  }
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  const decode::DecodeConfig& config = models.config.decoding;
  const std::size_t others = translator.texts().size() - 1;
  log::info(
      "{}{}{} sentences translated, {}, {} sentences/s", models.path,
      others > 0 ? fmt::format(" and {} more: ", others) : ": ", lines.size(),
      decode::samples(config.sampling) ? "sampled" : "beam " + std::to_string(config.beam_size),
      fixed(static_cast<double>(lines.size()) / std::max(time.count(), 1e-9), 1));
  return outputs;
}

}  // namespace

std::vector<std::string> translate_all(const LineModels& models,
                                       const std::vector<std::string>& lines,
                                       const decode::LineNumbers& numbers) {
  return translate_chunks(models, {.lines = lines, .numbers = numbers},
                          [](const auto&, std::size_t, const auto&) {});
}

std::string translate_document(const LineModels& models, const std::string& file,
                               const document::DocumentFormat& format,
                               document::DocumentOptions options,
                               const std::optional<study::AlignmentChoice>& choice) {
  const decode::LineTranslator& translator = *models.translator;
  const int64_t most = translator.source_limit();
  const std::string bytes = document::read_document(file), name = file == "-" ? "stdin" : file;
  const auto no_text = text::no_text(bytes);
  if (no_text && no_text->is_pointer) throw UserError("{}: {}", name, no_text->what);
  if (!text::is_utf8(bytes))
    log::warn("{}: not all of it is UTF-8; U+FFFD is translated in place of other bytes", name);
  options.fits = decode::fits_of(translator);
  options.knows = decode::knows_of(translator);
  options.read.warn = [&](const std::string& warning) { log::warn("{}: {}", name, warning); };
  const auto read = [&](const document::DocumentOptions& how) {
    try {
      return document::Document(bytes, format, how);
    } catch (const UserError& error) {
      throw UserError("{}: {}", name, error.what());
    }
  };
  const document::Document document = read(options);
  for (const std::string& also : options.read.also) {
    document::DocumentOptions others = options;
    std::erase(others.read.also, also);
    others.read.warn = {};
    if (read(others).text().segments().size() == document.text().segments().size())
      log::warn("{}: nothing in it that --also {} names has text", name, also);
  }
  if (no_text && !no_text->may_be(format.endings)) {
    const auto* const own = document::format_of_name(fmt::format("x.{}", no_text->ending));
    if (own == nullptr)
      log::warn("{}: {}", name, no_text->what);
    else
      log::warn("{}: is not of the format {}; --document {} is for it", name, format.name,
                own->name);
  }
  if (document.text().segments().empty() && format.is_catalogue)
    log::info("{}: no text in it lacks a translation", name);
  else if (document.text().segments().empty() && document.has_passages())
    log::warn("{}: nothing in it is text to translate: all of it is tags, code or names", name);
  else if (document.text().segments().empty() && text::has_words(bytes))
    log::warn("{}: nothing in it is text to translate; is its format {}?", name, format.name);
  if (document.too_long() > 0)
    log::warn("{} of more than {} pieces translated by clauses, line {} first",
              counted(document.too_long(), "sentence"), most, document.first_too_long());
  const std::span<const document::SegmentedText> pages(&document.text(), 1);
  decode::LinesRequest request = decode::segments_of(pages, {});
  request.numbers = decode::LineNumbers(document.lines());
  return document.text().with(translate_chunks(
      models, request, [&](const auto& chunk, std::size_t first, auto& translations) {
        const decode::Inlaid inlaid =
            put_inlays(translator, chunk, pages, choice, translations, first);
        log_inlaid(inlaid, chunk.numbers);
      }));
}

}  // namespace heed::run
