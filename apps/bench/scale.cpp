// heed bench scale: why scores are divided by the root of the head's width (Vaswani et al. 2017,
// 3.2.1), measured on random vectors.
#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>

#include "apps/bench/bench.h"
#include "base/format.h"
#include "base/strings.h"

namespace heed {
namespace {

struct ScaleArgs {
  std::vector<int64_t> widths = {64, 256, 1024};
  int64_t keys = 64, queries = 1000;
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

void bench_scale(const ScaleArgs& args) {
  args.common.apply();
  text::Table table{{"width", "scale", "score_variance", "entropy_nats", "mean_gradient"}, {}};
  draw::Plot variance =
      plot_over(args.widths, "Variance of the scores", "width of a head", "variance");
  draw::Plot entropy =
      plot_over(args.widths, fmt::format("Entropy of the weights over {} keys", args.keys),
                "width of a head", "nats", /*log_values=*/false);
  for (const bool scaled : {true, false}) {
    const std::string name = scaled ? "scaled by 1/sqrt(d)" : "not scaled";
    variance.lines.push_back({.name = name});
    entropy.lines.push_back({.name = name});
  }
  for (const int64_t width : args.widths) {
    for (const bool scaled : {true, false}) {
      const Spread spread = spread_of(width, scaled, args);
      table.rows.push_back({std::to_string(width), scaled ? "1/sqrt(d)" : "1",
                            fixed(spread.variance, 3), fixed(spread.entropy, 3),
                            fixed(spread.gradient, 6)});
      variance.lines[!scaled].add(spread.variance);
      entropy.lines[!scaled].add(spread.entropy);
    }
  }
  publish(args.common, "scale", table, {variance, entropy});
}

}  // namespace

void add_bench_scale(CommandLine& bench) {
  auto [command, args] = bench.command<ScaleArgs>(
      "scale", "Scores with and without 1/sqrt(d): variance, entropy, gradient");
  command.group("Input");
  command.option("--widths", args->widths, "Widths of a head, separated by commas")
      .separated_by(',')
      .positive();
  args->common.add(command, /*repeated=*/false);
  command.examples(
      {"heed bench scale -o runs/bench", "heed bench scale --widths 16,64,256,1024 -o runs/bench"});
  command.run(args, bench_scale);
}

}  // namespace heed
