// heed bench attention: time and memory of self-attention against the length of the sequence.
#include <ATen/ATen.h>

#include <cmath>
#include <memory>

#include "apps/bench/bench.h"
#include "apps/bench/peak_memory.h"
#include "base/strings.h"
#include "model/transformer/scaled_dot_product.h"
#include "study/exponent.h"

namespace heed {
namespace {

struct AttentionArgs {
  std::vector<int64_t> lengths = {128, 256, 512, 1024, 2048, 4096, 8192};
  int64_t heads = 4, head = 64, window = 128;
  BenchOptions common;
};

/// Ways to compute the same attention; the sliding window sees less.
struct Way {
  const char* name;
  bool plain;
  bool window;
};
constexpr Way kWays[] = {{"plain", true, false}, {"sdpa", false, false}, {"window", false, true}};

struct Cost {
  double seconds = 0, bytes = 0;
};

Cost cost_of(const Way& way, int64_t length, const AttentionArgs& args) {
  at::manual_seed(1);
  const auto draw = [&] { return at::randn({1, args.heads, length, args.head}); };
  const at::Tensor query = draw(), keys = draw(), values = draw();
  const model::Look look{.window = way.window ? args.window : 0,
                         .scale = 1 / std::sqrt(static_cast<double>(args.head))};
  const auto run = [&] {
    at::Tensor weights;
    model::attend(query, keys, values, look, way.plain ? &weights : nullptr);
  };
  Cost cost;
  {
    const PeakMemory memory;
    run();
    cost.bytes = static_cast<double>(memory.bytes());
  }
  cost.seconds = median_seconds(args.common.repeats, run);
  return cost;
}

draw::CurvePoint point(double value) {
  return {.value = value, .interval = std::nullopt};
}

void bench_attention(const AttentionArgs& args) {
  const at::NoGradGuard no_gradients;
  args.common.apply();
  text::Table table{{"attention", "length", "seconds", "mib"}, {}};
  draw::Curve time{.title = "Time of one self-attention",
                   .x_label = "length n",
                   .y_label = "seconds",
                   .log_values = true};
  draw::Curve memory{.title = "Memory of one self-attention",
                     .x_label = "length n",
                     .y_label = "MiB",
                     .log_values = true};
  text::Table exponents{{"attention", "length", "seconds", "mib"}, {}};
  for (const int64_t length : args.lengths) time.ticks.push_back(std::to_string(length));
  memory.ticks = time.ticks;
  for (const Way& way : kWays) {
    draw::CurveSeries seconds{way.name, {}}, mib{way.name, {}};
    std::vector<double> x, y_time, y_memory;
    for (const int64_t length : args.lengths) {
      const Cost cost = cost_of(way, length, args);
      x.push_back(static_cast<double>(length));
      y_time.push_back(cost.seconds);
      y_memory.push_back(cost.bytes / 1048576);
      seconds.points.push_back(point(y_time.back()));
      mib.points.push_back(point(y_memory.back()));
      table.rows.push_back(
          {way.name, std::to_string(length), fixed(y_time.back(), 6), fixed(y_memory.back(), 3)});
    }
    if (x.size() >= 2)
      exponents.rows.push_back({way.name, "exponent", fixed(study::fitted_exponent(x, y_time), 2),
                                fixed(study::fitted_exponent(x, y_memory), 2)});
    time.series.push_back(std::move(seconds));
    memory.series.push_back(std::move(mib));
  }
  table.rows.insert(table.rows.end(), exponents.rows.begin(), exponents.rows.end());
  publish(args.common, "attention_cost", table, {time, memory});
}

}  // namespace

void add_bench_attention(CommandLine& bench) {
  auto args = std::make_shared<AttentionArgs>();
  CommandLine command = bench.command(
      "attention", "Time and memory of plain, fused and sliding-window attention by length");
  command.group("Sizes");
  command.option("--lengths", args->lengths, "Lengths of the sequence, separated by commas")
      .separated_by(',')
      .positive()
      .shows_default();
  command.option("--heads", args->heads, "Number of heads").positive().shows_default();
  command.option("--head", args->head, "Width of one head").positive().shows_default();
  command.option("--window", args->window, "Positions that the sliding window sees each way")
      .positive()
      .shows_default();
  args->common.add(command);
  command.examples({"heed bench attention --lengths 128,512,2048 -o runs/bench",
                    "heed bench attention --heads 8 --window 64 -o runs/bench"});
  command.run([args] { bench_attention(*args); });
}

}  // namespace heed
