// heed doctor [CONFIG | SOURCE TARGET]: is this machine ready, and for what; are the corpora sound;
// do ranks reach each other.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <torch/version.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "apps/commands.h"
#include "base/error.h"
#include "base/log.h"
#include "base/precision_times.h"
#include "base/signals.h"
#include "base/strings.h"
#include "data/config.h"
#include "data/hygiene.h"
#include "document/format.h"
#include "engine/search_times.h"
#include "model/description/config.h"
#include "model/device.h"
#include "ranks/group.h"
#include "ranks/rank_info.h"
#include "run/config.h"
#include "run/launcher.h"
#include "run/measured_times.h"
#include "run/model_folder.h"
#include "run/other_programs.h"
#include "run/precision.h"
#include "run/speed.h"
#include "score/sacrebleu.h"
#include "text/characters.h"
#include "text/lines.h"
#include "text/tsv.h"
#include "text/utf8.h"
#include "train/shard.h"

namespace heed {
namespace {

void line(bool good, const std::string& what, const std::string& value) {
  std::printf("%-4s %-12s %s\n", good ? "ok" : "--", what.c_str(), value.c_str());
}

struct DoctorArgs {
  std::string config, target;  // with a target, config is a file of source sentences
  std::vector<std::string> settings;
  bool json = false;
  int64_t ranks = 0;
};

/// Whether the first line of a file that has any text is a sentence, and no key of YAML with its
/// colon, nor another beginning of YAML.
bool begins_with_sentence(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) return false;
  text::LineReader reader(path, text::LongLines::cut);
  std::string line;
  while (reader.next(line))
    if (!text::is_blank(line) && line[0] != '#') break;
  if (line.empty()) return false;
  const std::size_t word = line.find_first_of(" \t:");
  const bool is_letter = text::is_letter(text::code_point_at(line, 0).value);
  return is_letter && word != std::string::npos && !trim(line.substr(word)).starts_with(':');
}

/// Whether a file alone is a corpus by its name or its text, and no configuration.
bool is_corpus(const std::string& path) {
  if (path.ends_with(".json") || path.ends_with(".yaml") || path.ends_with(".yml")) return false;
  const document::DocumentFormat* format = document::format_of_name(path);
  return (format != nullptr && !format->is_lines) || begins_with_sentence(path);
}

/// The section `data` of the configuration, or one of the files of a corpus.
data::DataConfig corpora_to_check(const DoctorArgs& args) {
  if (args.target.empty() && !is_corpus(args.config))
    return run::load_config(args.config, args.settings).data;
  text::require_both_sides("doctor", args.config, args.target);
  if (!args.settings.empty())
    throw UserError("--set: {} is a corpus, and has no keys; leave it out", args.config);
  data::DataConfig config;
  config.train.push_back({.source = args.config, .target = args.target});
  return config;
}

void check_corpora(const DoctorArgs& args) {
  const data::DataConfig config = corpora_to_check(args);
  if (config.train.empty()) throw UserError(args.config + ": data.train names no corpus to check");
  const data::HygieneReport report = data::check_hygiene(config);
  if (args.json) {
    std::puts(report.to_json().c_str());
    return;
  }
  for (const std::string& found : report.text()) std::puts(found.c_str());
}

/// Runs the scorer as an evaluation does, because one that is there may fail, where its Python is
/// gone.
void check_scorer_runs() {
  try {
    const std::string program = score::find_sacrebleu();
    score::check_evaluation({});
    line(true, "sacrebleu", program);
  } catch (const std::exception& error) {
    line(false, "sacrebleu", error.what());
    throw Failure(
        "sacrebleu is missing or does not run: training cannot score BLEU, and evaluate, lengths "
        "and bottleneck cannot run");
  }
}

constexpr int64_t kVocabulary = 8000;

/// A Transformer of usual size.
model::ModelConfig usual_model() {
  model::ModelConfig config;
  config.width = 256;
  config.feed_forward = 1024;
  config.heads = 4;
  config.encoder_layers = config.decoder_layers = 3;
  return config;
}

/// Returns what `precision: auto` means in a training of that model, and why.
std::string choice_of_precision(const run::MeasuredTimes& measured) {
  const PrecisionTimes times =
      run::training_times(usual_model(), {.vocabulary = kVocabulary, .tokens = 1024}, measured)
          .times;
  return fmt::format(
      "products of a Transformer of width 256 take {} (spread {} %) in training; precision: auto "
      "takes {}",
      times.text(), fixed(100 * times.spread, 0), times.favour_bf16() ? "bf16" : "fp32");
}

/// Prints what steps of translating with that model take, and what `auto` means then: for a single
/// sentence, greedily and with a beam, and for a batch.
void tell_translating(const run::MeasuredTimes& measured) {
  struct Shape {
    const char* name;
    int64_t sentences, beam;
  };
  for (const Shape& shape : {Shape{"greedy", 1, 1}, Shape{"beam", 1, 5}, Shape{"batch", 32, 5}}) {
    const engine::SearchRows rows{
        .vocabulary = kVocabulary, .sentences = shape.sentences, .beam = shape.beam};
    const PrecisionTimes times = run::translating_times(usual_model(), rows, measured).times;
    const char* precision = times.favour_bf16() ? "bf16" : "fp32";
    line(true, shape.name,
         fmt::format("a step with {} takes {} (spread {} %) in translating; precision: auto takes "
                     "{}, decoding.weights: auto {}",
                     counted(shape.sentences * shape.beam, "row"), times.text(),
                     fixed(100 * times.spread, 0), precision,
                     times.favour_int8() ? "int8" : precision));
  }
}

/// Measures anew what all commands then find in the file of measurements.
void check_precision(bool has_bf16) {
  const run::MeasuredTimes file;
  const bool is_kept = file.forget();
  const run::MeasuredTimes measured = is_kept ? file
                                              : run::MeasuredTimes(
                                                    "", [] { return ""; }, "");
  line(has_bf16, "bf16",
       has_bf16 ? choice_of_precision(measured)
                : "not in this processor; precision: auto means fp32 on the CPU");
  tell_translating(measured);
  line(is_kept, "measured",
       is_kept ? fmt::format("anew, and kept in {}", file.path())
       : file.path().empty()
           ? "anew by each command: no HOME, and HEED_CACHE names no folder"
           : fmt::format("anew by each command: {} cannot be written", file.path()));
}

void check_machine() {
  const run::OtherUse others = run::use_of_others();  // before this process keeps the cores busy
  run::use_threads(0);
  line(true, "heed", HEED_VERSION);
  line(true, "LibTorch", TORCH_VERSION);
  line(true, "CPU",
       fmt::format("{}, fp32 {:.0f} GFLOP/s", counted(at::get_num_threads(), "core"),
                   run::gemm_gflops(/*bf16=*/false)));
  line(!others.matters(), "others", others.text());
  check_precision(model::has_bf16(at::kCPU));
  const at::Device best = model::open_device("auto");
  line(best.is_cuda(), "GPU", best.is_cuda() ? best.str() : "none found; device: auto means cpu");
  check_scorer_runs();
}

/// Does the work of one rank in an update with a gradient `mine`, without the model.
Tensor sum_over_ranks(ranks::Group& group, const Tensor& mine) {
  const int64_t ranks = group.size(), width = mine.numel() / ranks;
  const std::vector<int64_t> widths(static_cast<std::size_t>(ranks), width);
  const Tensor all = group.exchange(mine, widths, widths);
  train::TreeSum sum(ranks);
  for (int64_t rank = 0; rank < ranks; ++rank)
    sum.add(rank, {all.narrow(0, rank * width, width).clone()});
  return group.gather(sum.take()[0]).reshape({-1});
}

Tensor numbers_of_rank(int64_t rank, int64_t count, const at::Device& device) {
  at::manual_seed(static_cast<uint64_t>(rank) + 1);
  return at::randn({count}).to(device);
}

/// Whether the sum is the one that a single process makes.
bool sums_alike(ranks::Group& group, const at::Device& device) {
  const int64_t count = group.size() * 12345;
  const Tensor sum = sum_over_ranks(group, numbers_of_rank(group.rank(), count, device));
  train::TreeSum alone(group.size());
  for (int64_t rank = 0; rank < group.size(); ++rank)
    alone.add(rank, {numbers_of_rank(rank, count, device)});
  bool alike = true;
  for (const auto& one :
       group.gather(std::vector<int64_t>{at::equal(sum, alone.take()[0]) ? 1 : 0}))
    alike = alike && one[0] == 1;
  return alike;
}

/// One of the ranks; the first prints.
void check_ranks_here(const ranks::RankInfo& info) {
  constexpr int64_t kMegabytes = 32;
  if (!info.leads()) log::set_origin("rank " + std::to_string(info.rank));
  const at::Device device = model::open_device(run::device_of_rank("auto", info));
  std::unique_ptr<ranks::Group> group;
  const double seconds_to_meet = run::seconds_of([&] {
    group = std::make_unique<ranks::Group>(
        info, ranks::GroupOptions{.device = device, .folder = std::filesystem::current_path()});
    group->broadcast("");
  });
  run::use_threads(run::threads_of_rank(0, *group, info));
  group->begin("numbers were exchanged");
  const bool alike = sums_alike(*group, device);
  const int64_t count = kMegabytes * 250000 / group->size() * group->size();
  const Tensor mine = numbers_of_rank(group->rank(), count, device);
  const double seconds =
      run::median_seconds(5, [&] { sum_over_ranks(*group, mine).sum().item<float>(); });
  if (!group->leads()) return;
  line(true, "ranks",
       fmt::format("{}, met in {:.2f} s, on {}", group->size(), seconds_to_meet, device.str()));
  line(true, "exchange",
       fmt::format("a gradient of {} MB is summed and shared in {:.0f} ms", kMegabytes,
                   1000 * seconds));
  line(alike, "equality",
       alike ? "the sum over ranks has the bits of a sum in one process"
             : "the sum over ranks differs from a sum in one process");
  if (!alike)
    throw Failure(
        "ranks: a sum differs from that of one process; training on them is not reproducible");
}

void check_ranks(int64_t ranks) {
  const ranks::RankInfo info = ranks::rank_info();
  if (!info.alone() && info.size != ranks)
    throw UserError("--ranks {}: {} has started {}", ranks, info.announcer, info.size);
  if (!info.alone() || ranks == 1) return check_ranks_here(info);
  signals::install();
  const std::vector<std::string> command = {run::own_path(), "doctor", "--ranks",
                                            std::to_string(ranks)};
  run::run_ranks({.command = command, .again = command, .ranks = ranks});
}

void doctor(const DoctorArgs& args) {
  if (args.ranks > 0) return check_ranks(args.ranks);
  args.config.empty() ? check_machine() : check_corpora(args);
}

}  // namespace

void add_doctor(CommandLine& program) {
  auto [command, args] = program.command("doctor", doctor);
  const Argument config = command.option(
      "config", args->config,
      "A configuration, or one .tsv file of both sides: their corpora are checked instead, for "
      "overlap, duplicates, encoding and more");
  const Argument settings =
      command
          .option("--set", args->settings,
                  "Change one key of the file, e.g. --set data.clean_ratio=4; may be repeated")
          .needs(config);
  command
      .option("target", args->target,
              "With it two files are checked, source sentences and their translations")
      .excludes({settings});
  command.flag("--json", args->json, "Print the report on the corpora as JSON").needs(config);
  command
      .option("--ranks", args->ranks,
              "Start this many processes (under torchrun, srun or mpirun: be one of them), and "
              "measure whether and how fast they exchange gradients")
      .between(1, 1024)
      .excludes({config});
  command.examples({"heed doctor --ranks 2", "heed doctor web.de web.en"});
}

}  // namespace heed
