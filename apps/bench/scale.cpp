// heed bench scale: why scores are divided by the root of the head's width (Vaswani et al. 2017,
// 3.2.1), measured: on random vectors, and as learning curves of runs with and without.
#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <filesystem>
#include <memory>

#include "apps/bench/bench.h"
#include "base/error.h"
#include "base/files.h"
#include "base/strings.h"
#include "train/metrics_line.h"

namespace heed {
namespace {

struct ScaleArgs {
  std::vector<int64_t> widths = {64, 256, 1024};
  int64_t keys = 64, queries = 1000;
  std::vector<std::string> runs;
  BenchOptions common;
};

struct Spread {
  double variance = 0;  // of the scores
  double entropy = 0;   // of a row of weights, in nats
  double gradient = 0;  // mean size of what reaches one score from a loss of random values
};

Spread spread_of(int64_t width, bool scaled, const ScaleArgs& args) {
  at::manual_seed(width);
  const at::Tensor query = at::randn({args.queries, width}), keys = at::randn({args.keys, width});
  const at::Tensor values = at::randn({args.keys, 16});
  const double scale = scaled ? 1 / std::sqrt(static_cast<double>(width)) : 1;
  at::Tensor scores = (at::mm(query, keys.t()) * scale).requires_grad_();
  const at::Tensor weights = at::softmax(scores, -1);
  const at::Tensor out = at::mm(weights, values);
  const at::Tensor gradient =
      torch::autograd::grad({(out * at::randn(out.sizes())).sum()}, {scores})[0];
  const at::Tensor entropy = at::special_entr(weights.detach()).sum(-1).mean();
  return {.variance = scores.detach().var().item<double>(),
          .entropy = entropy.item<double>(),
          .gradient = gradient.abs().mean().item<double>()};
}

struct Learning {
  std::string name;
  std::vector<double> updates, losses;
};

Learning read_learning(const std::string& folder) {
  const std::filesystem::path path = std::filesystem::path(folder) / "metrics.jsonl";
  require_file(path.string(), "metrics of a run");
  Learning learning{
      .name = std::filesystem::path(folder).filename().string(), .updates = {}, .losses = {}};
  for (const std::string& line : split(read_file(path.string()), '\n')) {
    const auto event = train::parse_metrics(line);
    if (!event || event->event != "train" || !event->loss) continue;
    learning.updates.push_back(static_cast<double>(event->update));
    learning.losses.push_back(*event->loss);
  }
  if (learning.updates.empty()) throw UserError(path.string() + ": no line of training in it");
  return learning;
}

/// The loss at `update`, between the two nearest lines; nothing behind the run's end.
std::optional<draw::CurvePoint> loss_at(const Learning& run, double update) {
  if (update > run.updates.back()) return std::nullopt;
  std::size_t next = 0;
  while (run.updates[next] < update) ++next;
  if (next == 0 || run.updates[next] == update)
    return draw::CurvePoint{run.losses[next], std::nullopt};
  const double share =
      (update - run.updates[next - 1]) / (run.updates[next] - run.updates[next - 1]);
  return draw::CurvePoint{run.losses[next - 1] + share * (run.losses[next] - run.losses[next - 1]),
                          std::nullopt};
}

draw::Curve learning_curves(const std::vector<std::string>& folders) {
  std::vector<Learning> runs;
  double longest = 0;
  for (const std::string& folder : folders) {
    runs.push_back(read_learning(folder));
    longest = std::max(longest, runs.back().updates.back());
  }
  constexpr int kTicks = 10;
  draw::Curve curve{.title = "Training loss with and without the scale",
                    .x_label = "updates",
                    .y_label = "loss per piece"};
  for (const Learning& run : runs) curve.series.push_back({run.name, {}});
  for (int tick = 1; tick <= kTicks; ++tick) {
    const double update = longest * tick / kTicks;
    curve.ticks.push_back(fixed(update, 0));
    for (std::size_t i = 0; i < runs.size(); ++i)
      curve.series[i].points.push_back(loss_at(runs[i], update));
  }
  return curve;
}

void bench_scale(const ScaleArgs& args) {
  args.common.apply();
  text::Table table{{"width", "scale", "score_variance", "entropy_nats", "mean_gradient"}, {}};
  draw::Curve variance{.title = "Variance of the scores",
                       .x_label = "width of a head",
                       .y_label = "variance",
                       .log_values = true};
  draw::Curve entropy{.title = "Entropy of the weights over " + std::to_string(args.keys) + " keys",
                      .x_label = "width of a head",
                      .y_label = "nats"};
  for (const bool scaled : {true, false}) {
    const std::string name = scaled ? "scaled by 1/sqrt(d)" : "not scaled";
    variance.series.push_back({name, {}});
    entropy.series.push_back({name, {}});
  }
  for (const int64_t width : args.widths) {
    variance.ticks.push_back(std::to_string(width));
    for (const bool scaled : {true, false}) {
      const Spread spread = spread_of(width, scaled, args);
      table.rows.push_back({std::to_string(width), scaled ? "1/sqrt(d)" : "1",
                            fixed(spread.variance, 3), fixed(spread.entropy, 3),
                            fixed(spread.gradient, 6)});
      variance.series[!scaled].points.push_back(draw::CurvePoint{spread.variance, std::nullopt});
      entropy.series[!scaled].points.push_back(draw::CurvePoint{spread.entropy, std::nullopt});
    }
  }
  entropy.ticks = variance.ticks;
  std::vector<draw::Curve> curves = {variance, entropy};
  if (!args.runs.empty()) curves.push_back(learning_curves(args.runs));
  publish(args.common, "scale", table, curves);
}

}  // namespace

void add_bench_scale(CommandLine& bench) {
  auto args = std::make_shared<ScaleArgs>();
  CommandLine command = bench.command(
      "scale", "Scores with and without 1/sqrt(d): variance, entropy, gradient, learning curves");
  command.group("Input");
  command.option("--widths", args->widths, "Widths of a head, separated by commas")
      .separated_by(',')
      .positive()
      .shows_default();
  command
      .option("--runs", args->runs,
              "Runs to draw the learning curves of, separated by commas, such as those of `heed "
              "bottleneck configs/scale.yaml`")
      .separated_by(',');
  args->common.add(command);
  command.examples({"heed bench scale --runs runs/scale/scaled,runs/scale/unscaled -o runs/bench",
                    "heed bench scale --widths 16,64,256,1024 -o runs/bench"});
  command.run([args] { bench_scale(*args); });
}

}  // namespace heed
