// heed bench scale-out CONFIG: what the parts of an update cost here, and how fast training is by
// that on more cores, machines and GPUs (study/scale_out.h).
#include "study/scale_out.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "apps/bench/bench.h"
#include "apps/bench/exchange_here.h"
#include "apps/bench/scale_out_rows.h"
#include "apps/bench/update_costs.h"
#include "base/error.h"
#include "base/log.h"
#include "base/signals.h"
#include "base/strings.h"
#include "run/build.h"
#include "run/family.h"
#include "train/config.h"

namespace heed {
namespace {

struct ScaleOutArgs {
  std::string config;
  std::vector<std::string> settings, systems;
  int64_t updates = 3;
  std::vector<int64_t> cores = {1, 2, 4, 8, 16, 64}, gpus = {8, 16, 32, 64};
  std::vector<int64_t> cores_per_rank;
  int64_t parts_per_core = 1;
  double bandwidth = 1.1, latency = 50;     // GB/s, microseconds
  double gpu_rate = 0, gpu_bandwidth = 20;  // target tokens/s, GB/s
  BenchOptions common;
};

/// What every system shares.
struct ScaleOutPlan {
  const ScaleOutArgs& args;
  int64_t here;  // cores
  study::Connection network, gpus;
};

void add_ranks_here(ScaleOutRows& rows, const ScaleOutPlan& plan, int64_t least_parts,
                    const std::map<int64_t, study::Connection>& exchanges) {
  for (const auto& [ranks, connection] : exchanges) {
    const int64_t parts = std::max(least_parts, ranks);
    const study::Layout layout{.ranks = ranks,
                               .workers = std::max<int64_t>(1, plan.here / ranks),
                               .parts = parts,
                               .ranks_at_once = ranks,
                               .cores = plan.here};
    rows.add_predicted({"here", plan.here, ranks, parts}, [&](const study::UpdateCosts& costs) {
      return study::predict(costs, layout, connection);
    });
  }
}

/// The batch of the configuration, and one that has a part for each core.
void add_cores(ScaleOutRows& rows, const ScaleOutPlan& plan, int64_t config_parts,
               int64_t measured_parts) {
  std::vector<int64_t> widths = plan.args.cores_per_rank;
  if (widths.empty()) widths = {plan.here, 64};
  std::set<std::tuple<int64_t, int64_t, int64_t>> seen;
  const auto add = [&](int64_t cores, int64_t width, int64_t parts) {
    const int64_t ranks = (cores + width - 1) / width, workers = cores / ranks;
    if (!seen.emplace(ranks, workers, parts).second) return;
    std::string place = ranks > 1 ? std::to_string(ranks) + " machines" : "one machine";
    if (ranks == 1 && cores <= plan.here) place = "here";
    const study::Layout layout{.ranks = ranks,
                               .workers = workers,
                               .parts = parts,
                               .cores = ranks == 1 ? std::max(plan.here, cores) : width};
    rows.add_predicted({place, ranks * workers, ranks, parts},
                       [&](const study::UpdateCosts& costs) {
                         return study::predict(costs, layout, plan.network);
                       });
  };
  for (const int64_t cores : {int64_t{1}, plan.here}) add(cores, plan.here, measured_parts);
  for (const int64_t width : widths)
    for (const int64_t cores : plan.args.cores) add(cores, width, config_parts);
  for (const int64_t width : widths)
    for (const int64_t cores : plan.args.cores)
      add(cores, width, std::max(config_parts, cores * plan.args.parts_per_core));
}

void add_gpus(ScaleOutRows& rows, const ScaleOutPlan& plan, int64_t config_parts) {
  if (plan.args.gpu_rate == 0) return;
  std::set<std::pair<int64_t, int64_t>> seen;
  const auto add = [&](int64_t gpus, int64_t parts) {
    if (!seen.emplace(gpus, parts).second) return;
    rows.add_predicted({"GPUs", gpus, gpus, parts}, [&](const study::UpdateCosts& costs) {
      return study::predict_gpus(costs, plan.args.gpu_rate, gpus, parts, plan.gpus);
    });
  };
  add(1, config_parts);
  for (const int64_t gpus : plan.args.gpus) add(gpus, config_parts);
  for (const int64_t gpus : plan.args.gpus) add(gpus, config_parts * gpus);
}

/// 2 and 4 ranks that share the cores here; where they cannot be measured, as over the network.
std::map<int64_t, study::Connection> exchanges_of(const ScaleOutPlan& plan, double bytes) {
  std::map<int64_t, study::Connection> all;
  for (const int64_t ranks : {2, 4}) try {
      all[ranks] = exchange_here(ranks, bytes, plan.args.common.repeats);
    } catch (const Failure& failure) {
      log::warn(std::string(failure.what()) +
                "; --bandwidth and --latency are used for ranks here");
      all[ranks] = plan.network;
    }
  return all;
}

void bench_scale_out(const ScaleOutArgs& args) {
  args.common.apply();
  const run::Config shared = run::load_config(args.config, args.settings);
  const std::string folder = run::run_folder(shared);
  signals::install();  // ranks meet in a temporary folder
  run::share_vocabulary(shared);
  signals::stop_if_interrupted();
  text::Table costs = empty_cost_table(), rates = ScaleOutRows::empty_table();
  const double micro = args.latency * 1e-6;
  const ScaleOutPlan plan{args,
                          at::get_num_threads(),
                          {args.bandwidth * 1e9, micro},
                          {args.gpu_bandwidth * 1e9, micro}};
  for (const run::FamilyMember& member : run::family(args.config, args.settings, args.systems)) {
    UpdateMeasure measure(member.config, folder, run::make_vocabularies(member.config), plan.here,
                          args.common.repeats);
    std::vector<CostRound> rounds;
    for (int i = 0; i < args.common.repeats; ++i) rounds.push_back(measure.next(args.updates));
    const auto exchanges = exchanges_of(plan, rounds[0].costs.bytes);
    signals::stop_if_interrupted();
    add_costs(costs, member.name, rounds, exchanges);
    const train::TrainConfig& training = member.config.training;
    const int64_t config_parts = train::parts_per_batch(training) * training.accumulate;
    const int64_t measured_parts = rounds[0].costs.parts_per_update;
    ScaleOutRows rows(member.name, rounds, config_parts, rates);
    rows.add_measured(1, &CostRound::alone_seconds);
    if (plan.here > 1) rows.add_measured(plan.here, &CostRound::together_seconds);
    add_cores(rows, plan, config_parts, measured_parts);
    add_ranks_here(rows, plan, measured_parts, exchanges);
    add_gpus(rows, plan, config_parts);
  }
  publish(args.common, "update_costs", costs, {});
  publish(args.common, "scale_out", rates, {});
}

}  // namespace

void add_bench_scale_out(CommandLine& bench) {
  auto args = std::make_shared<ScaleOutArgs>();
  CommandLine command = bench.command(
      "scale-out",
      "Target tokens/s on more cores, machines and GPUs, predicted from the parts of an update");
  command.option("config", args->config, "A configuration, as for `heed bottleneck`").required();
  command.group("Input");
  command.option("--systems", args->systems, "Only these systems, separated by commas")
      .separated_by(',');
  command
      .option("--set", args->settings,
              "Change one key of the file for every system; may be repeated")
      .one_at_a_time();
  command.group("Predicting");
  command.option("--cores", args->cores, "Cores in all, separated by commas")
      .separated_by(',')
      .positive()
      .shows_default();
  command
      .option("--cores-per-rank", args->cores_per_rank,
              "Cores of one machine, which is one rank, separated by commas; default: those used "
              "here (more machines like this one), and 64 (one large machine)")
      .separated_by(',')
      .positive();
  command
      .option("--parts-per-core", args->parts_per_core,
              "Micro-batches of each core where the batch grows")
      .positive()
      .shows_default();
  command
      .option("--bandwidth", args->bandwidth,
              "GB/s between machines, each direction; 1.1: Ethernet of 10 Gbit/s")
      .between(1e-6, 1e6)
      .shows_default();
  command.option("--latency", args->latency, "Microseconds of a message between machines")
      .between(0.0, 1e7)
      .shows_default();
  command
      .option("--gpu-tokens-per-second", args->gpu_rate,
              "Speed of one GPU with this configuration (heed train); without it there are no rows "
              "for GPUs")
      .between(0.0, 1e12);
  command
      .option("--gpu-bandwidth", args->gpu_bandwidth,
              "GB/s between GPUs, each direction; 20: a network of 200 Gbit/s")
      .between(1e-6, 1e6)
      .shows_default();
  command.group("Measuring");
  command.option("--updates", args->updates, "Updates in each run").positive().shows_default();
  args->common.add(command, /*repeated=*/true);
  command.details(
      "The first table has times measured here: a micro-batch (a part) on one core while the\n"
      "others are idle and on each of all cores at once, adding gradients, the optimizer, an\n"
      "exchange between ranks here. The second table has whole updates that were measured here,\n"
      "and the predictions of a model of the cost. error_% is the error of the prediction,\n"
      "within 10 on an idle machine. The number of parts of an update (training.micro_batches\n"
      "times training.accumulate) limits the number of cores that have work. If batch is `same`,\n"
      "the parts are those of the configuration; if it is `larger`, the batch grows to\n"
      "--parts-per-core parts for each core. To check rows with several ranks `here`, run heed\n"
      "train CONFIG --ranks 2 with the same --set and as many parts: it logs target tokens/s.");
  command.examples(
      {"heed bench scale-out configs/throughput.yaml --systems transformer -o runs/bench",
       "heed bench scale-out configs/demo.yaml --bandwidth 11 --gpu-tokens-per-second 200000"});
  command.run([args] { bench_scale_out(*args); });
}

}  // namespace heed
