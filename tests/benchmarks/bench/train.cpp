// heed-bench train CONFIG: how fast a config's systems train, and where the time goes.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "base/log.h"
#include "base/strings.h"
#include "benchmarks/bench/bench.h"
#include "benchmarks/bench/multiply_add.h"
#include "benchmarks/bench/trial_training.h"
#include "model/model.h"
#include "run/build.h"
#include "run/family.h"

namespace heed::bench {
namespace {

struct TrainArgs {
  std::string config;
  std::vector<std::string> settings, systems;
  int64_t updates = 20, warmup = 3, pairs = 0;
  bool profile = false;
  BenchOptions common;
};

struct Measured : TrialSums {
  double flops = 0;
  int64_t peak_bytes = 0, resident_mib = 0;  // of tensors; of the process, both at the most
  std::vector<OperationCost> operations;
  KernelTimes kernels;  // of so many updates:
  int64_t watched = 0;
};

Measured measure(const run::Config& config, const std::string& folder, const TrainArgs& args) {
  reset_resident_peak();
  const at::Device device = model::open_device(config.device);
  const PeakMemory memory(device);
  TrialTraining trial(config, folder, run::make_vocabularies(config));
  trial.updates(args.warmup);
  Measured measured{trial.updates(args.updates)};
  // Products are counted apart from the clock: watching costs time.
  measured.watched = std::min<int64_t>(5, args.updates);
  if (args.profile && !device.is_cpu())
    measured.kernels = watch_kernels([&] { trial.updates(measured.watched); });
  TrialSums watched;
  HostTimes times = watch_operations([&] { watched = trial.updates(measured.watched); });
  measured.flops = times.product_flops / static_cast<double>(watched.tokens) *
                   static_cast<double>(measured.tokens);
  if (args.profile) measured.operations = std::move(times.operations);
  measured.peak_bytes = memory.bytes();
  measured.resident_mib = process_mib("VmHWM");
  return measured;
}

/// The fp32 product of this processor, after saying it. On a GPU nothing: a recorded update does
/// not say what it multiplies.
std::optional<double> product_here(const std::string& device) {
  if (!model::open_device(device).is_cpu()) return std::nullopt;
  const double fp32 = run::gemm_gflops(false);
  // Where the processor has no such products, LibTorch's take a hundred times as long.
  const bool has_bf16 = model::has_bf16(at::kCPU);
  log::info("a square product runs at {} GFLOP/s in fp32, of {} that the processor can do{}",
            fixed(fp32, 0), fixed(multiply_add_gflops(), 0),
            has_bf16 ? fmt::format("; at {} in bf16", fixed(run::gemm_gflops(true), 0))
                     : "; this processor does not multiply bf16 directly");
  return fp32;
}

std::vector<std::string> row_of(const std::string& name, const Measured& measured,
                                std::optional<double> product) {
  const double rate = static_cast<double>(measured.tokens) / measured.seconds;
  return {name,
          human_count(static_cast<double>(measured.parameters)),
          measured.precision,
          fixed(rate, 0),
          product ? percent(measured.flops / measured.seconds / 1e9, *product) : "",
          fixed(static_cast<double>(measured.peak_bytes) / 1048576, 0),
          percent(measured.waiting, measured.seconds),
          percent(measured.parts.forward, measured.seconds),
          percent(measured.parts.backward, measured.seconds),
          percent(measured.parts.optimizer, measured.seconds),
          percent(static_cast<double>(measured.padded - measured.real),
                  static_cast<double>(measured.padded)),
          std::to_string(measured.resident_mib)};
}

void bench_train(const TrainArgs& args) {
  args.common.apply();
  const run::Config shared = run::load_config(args.config, args.settings);
  const std::string folder = run::run_folder(shared);
  run::share_vocabulary(shared);
  text::Table table{
      {"system", "parameters", "precision", "tokens_per_s", "gemm_%", "peak_mib", "waiting_%",
       "forward_%", "backward_%", "optimizer_%", "padding_%", "resident_mib"},
      {}};
  CostTables costs;
  const std::optional<double> product = product_here(shared.device);
  for (const run::FamilyMember& member : run::family(args.config, args.settings, args.systems)) {
    run::Config config = member.config;
    config.data.train = repeated(config.data.train, args.pairs);
    const Measured measured = measure(config, folder, args);
    table.rows.push_back(row_of(member.name, measured, product));
    costs.add(member.name, measured.kernels, static_cast<double>(measured.watched));
    costs.add(member.name, measured.operations);
  }
  publish(args.common, "training", table, {});
  if (args.profile) publish(args.common, "operations", costs.operations, {});
  if (!costs.kernels.rows.empty()) publish(args.common, "kernels", costs.kernels, {});
}

}  // namespace

void add_train(CommandLine& program) {
  auto [command, args] =
      program.command("train", bench_train,
                      "Target tokens/s of a config's systems, share of peak, memory, time by part");
  command.option("config", args->config, "A configuration, as for `heed bottleneck`").required();
  command.group("Input");
  command.list("--systems", args->systems, "Only these systems, separated by commas");
  command.option("--pairs", args->pairs, "Repeat the corpus until it has at least this many pairs")
      .positive();
  command.option("--set", args->settings,
                 "Change one key of the file for every system; may be repeated");
  command.group("Measuring");
  command.option("--updates", args->updates, "Measured updates of each system").positive();
  command.option("--warmup", args->warmup, "Updates before the measured ones").not_negative();
  command.flag("--profile", args->profile,
               "Show the ten operations of each system that take the most time; on a GPU also its "
               "kernels, and the time in which none runs");
  args->common.add(command, /*repeated=*/false);
  command.examples(
      {"heed-bench train configs/demo.yaml --updates 20 --profile",
       "heed-bench train configs/throughput.yaml --systems transformer,bahdanau -o runs/bench"});
}

}  // namespace heed::bench
