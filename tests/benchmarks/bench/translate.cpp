// heed-bench translate: sentences and pieces a second of a model's search, by batch, beam and
// precision.
#include <ATen/Parallel.h>

#include <limits>
#include <memory>
#include <vector>

#include "apps/cli/options.h"
#include "base/error.h"
#include "base/strings.h"
#include "benchmarks/bench/bench.h"
#include "config/io.h"
#include "decode/translator.h"
#include "run/config.h"
#include "run/line_models.h"
#include "run/model_folder.h"
#include "text/lines.h"

namespace heed::bench {
namespace {

struct TranslateArgs {
  std::string model, source;
  std::vector<std::string> weights, batches = {"1", "32"}, beams;
  int64_t lines = 1000;
  bool profile = false;
  ModelOptions options;
  BenchOptions common;
};

std::vector<std::string> read_lines(const TranslateArgs& args, const run::Config& config) {
  const std::string path = args.source.empty() ? config.data.test.source : args.source;
  if (path.empty())
    throw UserError(
        "nothing to translate: give --source FILE (the model's config has no data.test)");
  std::vector<std::string> lines;
  text::LineReader reader(path);
  for (std::string line; std::ssize(lines) < args.lines && reader.next(line);)
    lines.push_back(line);
  if (lines.empty()) throw UserError(path + ": has no lines to translate");
  return lines;
}

/// Unmeasured: on a CPU a few lines; on a GPU, which loads a kernel when it is first launched, a
/// whole batch.
void warm_up(decode::Translator& translator, const std::vector<std::string>& lines) {
  std::vector<std::string> some;
  const auto batches = translator.batches_of({.lines = lines});
  if (translator.device().is_cpu() || batches.empty())
    some.assign(lines.begin(), lines.begin() + std::min<int64_t>(std::ssize(lines), 8));
  else
    for (const int64_t i : batches.front()) some.push_back(lines[static_cast<std::size_t>(i)]);
  translator.translate({.lines = some});
}

/// A kind of weights with one batch and beam, and what was measured of it.
struct Kind {
  std::string name;
  decode::DecodeConfig config;
  at::ScalarType precision = at::kFloat;
  double packing = 0;                // seconds
  std::vector<double> search, text;  // seconds of all lines
  int64_t pieces = 0;                // of the best translations, eos included
  int64_t peak_mib = 0;
};

/// `kind`, with what `auto` means for this batch and beam.
Kind kind_of(const std::string& name, const run::ModelFolder& folder, int64_t batch, int64_t beam) {
  run::Config whole = folder.config;
  decode::DecodeConfig& config = whole.decoding;
  config::set(config, "weights=" + name);
  config.beam_size = beam;
  config.n_best = std::min(config.n_best, beam);
  config.batch_size = batch;
  if (folder.device.is_cpu()) run::decide_weights(whole, folder.path, folder.target.size());
  // What is asked for is measured, whatever the precision that the model was trained in.
  const bool fp32 = config.weights == decode::WeightType::fp32;
  return {.name = name, .config = config, .precision = fp32 ? at::kFloat : folder.precision};
}

std::unique_ptr<decode::Translator> translator_of(const Kind& kind,
                                                  const run::ModelFolder& folder) {
  return std::make_unique<decode::Translator>(std::vector{folder.member()}, kind.config,
                                              folder.device, kind.precision);
}

void measure(Kind& kind, decode::Translator& translator, const std::vector<std::string>& lines) {
  const decode::LinesResult result = translator.translate({.lines = lines});
  kind.search.push_back(result.search_seconds);
  kind.text.push_back(result.text_seconds);
  kind.pieces = 0;
  for (const auto& translation : result.translations)
    if (!translation.hypotheses.empty())
      kind.pieces += std::ssize(translation.hypotheses.front().ids) + 1;
}

/// Measures the kinds once alone, for their memory, then in turn, so that a change of the machine's
/// speed changes the times of all. Returns their translators.
std::vector<std::unique_ptr<decode::Translator>> measure(std::vector<Kind>& kinds,
                                                         const run::ModelFolder& folder,
                                                         const std::vector<std::string>& lines,
                                                         const TranslateArgs& args) {
  std::vector<std::unique_ptr<decode::Translator>> translators(kinds.size());
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    reset_resident_peak();
    kinds[i].packing = run::seconds_of([&] { translators[i] = translator_of(kinds[i], folder); });
    if (args.profile && translators[i]->has_engines())
      throw UserError(
          "--profile: engines translate on a CPU, and their steps are no operations of LibTorch; "
          "leave it out, or give a GPU as --device");
    warm_up(*translators[i], lines);
    measure(kinds[i], *translators[i], lines);
    kinds[i].peak_mib = process_mib("VmHWM");
    if (kinds.size() > 1) translators[i].reset();
  }
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (translators[i]) continue;
    translators[i] = translator_of(kinds[i], folder);
    warm_up(*translators[i], lines);
  }
  for (int repeat = 1; repeat < args.common.repeats; ++repeat)
    for (std::size_t i = 0; i < kinds.size(); ++i) measure(kinds[i], *translators[i], lines);
  return translators;
}

/// Adds where the time of one more translation goes; on a GPU also that of another one's kernels.
void add_profile(const std::string& system, decode::Translator& translator,
                 const std::vector<std::string>& lines, CostTables& costs) {
  const auto translate = [&] { translator.translate({.lines = lines}); };
  if (!translator.device().is_cpu()) costs.add(system, watch_kernels(translate), 1);
  costs.add(system, watch_operations(translate).operations);
}

void bench_translate(const TranslateArgs& args) {
  std::optional<run::ModelFolder> folder;
  const double load =
      run::seconds_of([&] { folder.emplace(run::open_model(args.model, args.options.open())); });
  args.common.apply();
  const std::vector<std::string> lines = read_lines(args, folder->config);
  std::vector<std::string> weights = without_repeats(args.weights);
  if (weights.empty()) weights = {config::name_of(folder->config.decoding.weights)};
  const std::vector<int64_t> batches = whole_numbers("--batch", args.batches);
  std::vector<int64_t> beams = whole_numbers("--beam", args.beams);
  if (beams.empty()) beams = {folder->config.decoding.beam_size};
  text::Table table{
      {"weights", "batch", "beam", "threads", "sentences_per_second", "pieces_per_second",
       "text_seconds", "load_seconds", "peak_mib", "of_best", "computed_in"},
      {}};
  CostTables costs;
  for (const int64_t beam : beams)
    for (const int64_t batch : batches) {
      std::vector<Kind> kinds;
      for (const std::string& name : weights) kinds.push_back(kind_of(name, *folder, batch, beam));
      const auto translators = measure(kinds, *folder, lines, args);
      double best = std::numeric_limits<double>::infinity();
      for (const Kind& kind : kinds) best = std::min(best, run::median(kind.search));
      for (std::size_t i = 0; i < kinds.size(); ++i) {
        const Kind& kind = kinds[i];
        const double search = run::median(kind.search);
        table.rows.push_back({kind.name, std::to_string(batch), std::to_string(beam),
                              std::to_string(at::get_num_threads()),
                              fixed(static_cast<double>(lines.size()) / search, 1),
                              fixed(static_cast<double>(kind.pieces) / search, 0),
                              fixed(run::median(kind.text), 3), fixed(load + kind.packing, 3),
                              std::to_string(kind.peak_mib), fixed(best / search, 2),
                              config::name_of(kind.config.weights)});
        if (!args.profile) continue;
        add_profile(fmt::format("{}batch {}, beam {}", weights.size() > 1 ? kind.name + ", " : "",
                                batch, beam),
                    *translators[i], lines, costs);
      }
    }
  publish(args.common, "translate", table, {});
  if (args.profile) publish(args.common, "operations", costs.operations, {});
  if (!costs.kernels.rows.empty()) publish(args.common, "kernels", costs.kernels, {});
}

}  // namespace

void add_translate(CommandLine& program) {
  auto [command, args] =
      program.command("translate", bench_translate,
                      "Sentences/s and pieces/s of a model's search, time to load, peak memory");
  command.option("model", args->model, "Folder that `heed train` wrote").required();
  command.group("Input");
  command.option("--source", args->source, "Lines to translate; default: the model's test set");
  command.option("--lines", args->lines, "At most this many of them").positive();
  command.group("Search");
  command.list("--batch", args->batches, "Sentences translated together, separated by commas")
      .between(0, 100000);
  command
      .list("--beam", args->beams,
            "Beam sizes, separated by commas; default: the model's decoding.beam_size")
      .positive();
  command.list("--weights", args->weights, "fp32, bf16, int8, auto; default: decoding.weights")
      .one_of({"fp32", "bf16", "int8", "auto"});
  args->options.add(command);
  command.group("Measuring");
  command.flag("--profile", args->profile,
               "Then translate once more, and show the ten operations of LibTorch that take the "
               "most time; on a GPU also the kernels, and the time in which none runs");
  args->common.add(command, /*repeated=*/true);
  command.examples(
      {"heed-bench translate runs/multi30k_quick --source data/multi30k/test2016.de "
       "--batch 1,32 --weights fp32,int8",
       "heed-bench translate runs/multi30k_quick --weights fp32,bf16,int8,auto --batch 1,32",
       "heed-bench translate runs/demo/transformer --beam 1,5 --lines 200 -o runs/bench"});
}

}  // namespace heed::bench
