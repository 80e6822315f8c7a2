// heed bench attention: time and memory of self-attention against the length of the sequence.
#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>

#include "apps/bench/bench.h"
#include "apps/bench/peak_memory.h"
#include "base/log.h"
#include "base/machine.h"
#include "base/strings.h"
#include "model/transformer/linear_attention.h"
#include "model/transformer/multi_head.h"
#include "model/transformer/scaled_dot_product.h"
#include "model/transformer/sparse_attention.h"
#include "study/exponent.h"

namespace heed {
namespace {

struct AttentionArgs {
  std::vector<int64_t> lengths = {128, 256, 512, 1024, 2048, 4096, 8192, 16384};
  std::vector<int64_t> positions = {64, 256, 1024, 4096, 8192};
  int64_t heads = 4, head = 64, window = 128, global = 8, sentences = 4, beam = 5;
  BenchOptions common;
};

struct Input {
  at::Tensor query, keys, values;  // [1, heads, length, head]
};

/// Plain and fused attention are the same; what follows sees less, or weighs otherwise.
struct Way {
  const char* name;
  void (*run)(const Input& input, model::Look look, const AttentionArgs& args);
};

void plain(const Input& input, model::Look look, const AttentionArgs&) {
  at::Tensor weights;
  model::attend(input.query, input.keys, input.values, look, &weights);
}

void fused(const Input& input, model::Look look, const AttentionArgs&) {
  model::attend(input.query, input.keys, input.values, look);
}

void window(const Input& input, model::Look look, const AttentionArgs& args) {
  look.window = args.window;
  model::attend(input.query, input.keys, input.values, look);
}

void window_and_global(const Input& input, model::Look look, const AttentionArgs& args) {
  look.window = args.window;
  look.global = args.global;
  model::sparse_attention(input.query, input.keys, input.values, look);
}

/// Window and stride of a sequence of this length, as Child et al. 2019.
int64_t root_of(int64_t length) {
  return std::lround(std::sqrt(static_cast<double>(length)));
}

void strided(const Input& input, model::Look look, const AttentionArgs&) {
  look.window = look.stride = root_of(input.query.size(2));
  model::sparse_attention(input.query, input.keys, input.values, look);
}

void linear(const Input& input, model::Look look, const AttentionArgs&) {
  model::linear_attention(input.query, input.keys, input.values, look);
}

void linear_causal(const Input& input, model::Look look, const AttentionArgs&) {
  look.causal = true;
  model::linear_attention(input.query, input.keys, input.values, look);
}

constexpr Way kWays[] = {{"plain", plain},
                         {"sdpa", fused},
                         {"window", window},
                         {"window + global", window_and_global},
                         {"strided", strided},
                         {"linear", linear},
                         {"linear, causal", linear_causal}};

struct Cost {
  double seconds = 0, bytes = 0;
};

Cost cost_of(const Way& way, int64_t length, const AttentionArgs& args) {
  at::manual_seed(1);
  const auto draw = [&] { return at::randn({1, args.heads, length, args.head}); };
  const Input input{draw(), draw(), draw()};
  const model::Look look{.scale = 1 / std::sqrt(static_cast<double>(args.head))};
  const auto run = [&] { way.run(input, look, args); };
  Cost cost;
  {
    const PeakMemory memory;
    run();
    cost.bytes = static_cast<double>(memory.bytes());
  }
  cost.seconds = median_seconds(args.common.repeats, run);
  return cost;
}

/// Plain attention makes matrices of queries x keys: scores, their exponentials and the weights.
bool fits(const Way& way, int64_t length, const AttentionArgs& args) {
  if (way.run != plain) return true;
  const double needed = 3.0 * 4 * static_cast<double>(args.heads * length * length);
  const auto there = available_memory();
  if (!there || needed < static_cast<double>(*there)) return true;
  log::warn("plain attention over " + std::to_string(length) + " positions is left out: it needs " +
            human_bytes(static_cast<uint64_t>(needed)) + " of memory, of which " +
            human_bytes(static_cast<uint64_t>(*there)) + " are free");
  return false;
}

/// What makes a layer of a decoder one of this kind; the step is the last of `length` positions.
struct StepWay {
  const char* name;
  void (*choose)(model::MultiHeadOptions& layer, int64_t length, const AttentionArgs& args);
};

void softmax_step(model::MultiHeadOptions&, int64_t, const AttentionArgs&) {}

void window_step(model::MultiHeadOptions& layer, int64_t, const AttentionArgs& args) {
  layer.window = args.window;
}

void global_step(model::MultiHeadOptions& layer, int64_t, const AttentionArgs& args) {
  layer.window = args.window;
  layer.global = args.global;
}

void strided_step(model::MultiHeadOptions& layer, int64_t length, const AttentionArgs&) {
  layer.window = layer.stride = root_of(length);
}

void linear_step(model::MultiHeadOptions& layer, int64_t, const AttentionArgs&) {
  layer.linear = true;
}

constexpr StepWay kStepWays[] = {{"softmax", softmax_step},
                                 {"window", window_step},
                                 {"window + global", global_step},
                                 {"strided", strided_step},
                                 {"linear", linear_step}};

/// What a decoder keeps of the positions before, and the time of its step there.
Cost step_cost(const StepWay& way, int64_t position, const AttentionArgs& args) {
  at::manual_seed(1);
  model::MultiHeadOptions options{.width = args.heads * args.head, .heads = args.heads};
  way.choose(options, position + 1, args);
  model::SelfAttention attention(options);
  attention.eval();
  at::Tensor keys, values;
  if (!options.linear) {
    const auto before = [&] {
      return at::randn({args.sentences, args.beam, args.heads, position + 1, args.head});
    };
    keys = before();
    values = before();
  }
  const at::Tensor x = at::randn({args.sentences, args.beam, options.width});
  const auto run = [&] { attention.step(x, {keys, values}, position, nullptr); };
  Cost cost;
  cost.seconds = median_seconds(args.common.repeats, run);
  for (const at::Tensor& kept : {keys, values})
    if (kept.defined()) cost.bytes += static_cast<double>(kept.nbytes());
  cost.bytes /= static_cast<double>(args.sentences * args.beam);
  return cost;
}

draw::CurvePoint point(double value) {
  return {.value = value, .interval = std::nullopt};
}

void bench_steps(const AttentionArgs& args) {
  text::Table table{{"attention", "position", "milliseconds", "kib_of_state"}, {}};
  draw::Curve time{.title = "Time of a decoding step of self-attention",
                   .x_label = "position",
                   .y_label = "milliseconds",
                   .log_values = true};
  draw::Curve memory{.title = "What a decoder keeps for one hypothesis and layer",
                     .x_label = "position",
                     .y_label = "KiB",
                     .log_values = true};
  for (const int64_t position : args.positions) time.ticks.push_back(std::to_string(position));
  memory.ticks = time.ticks;
  for (const StepWay& way : kStepWays) {
    draw::CurveSeries milliseconds{way.name, {}}, kib{way.name, {}};
    for (const int64_t position : args.positions) {
      const Cost cost = step_cost(way, position, args);
      milliseconds.points.push_back(point(1000 * cost.seconds));
      kib.points.push_back(point(cost.bytes / 1024));
      table.rows.push_back({way.name, std::to_string(position), fixed(1000 * cost.seconds, 3),
                            fixed(cost.bytes / 1024, 1)});
    }
    time.series.push_back(std::move(milliseconds));
    memory.series.push_back(std::move(kib));
  }
  publish(args.common, "attention_steps", table, {time, memory});
}

void bench_costs(const AttentionArgs& args) {
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
      if (!fits(way, length, args)) {
        seconds.points.emplace_back();
        mib.points.emplace_back();
        continue;
      }
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

void bench_attention(const AttentionArgs& args) {
  const at::NoGradGuard no_gradients;
  args.common.apply();
  bench_costs(args);
  std::cout << '\n';
  bench_steps(args);
}

}  // namespace

void add_bench_attention(CommandLine& bench) {
  auto args = std::make_shared<AttentionArgs>();
  CommandLine command = bench.command("attention",
                                      "Time and memory of plain, fused, sparse and linear "
                                      "attention by length, and of a decoding step");
  command.group("Sizes");
  command.option("--lengths", args->lengths, "Lengths of the sequence, separated by commas")
      .separated_by(',')
      .positive()
      .shows_default();
  command.option("--heads", args->heads, "Number of heads").positive().shows_default();
  command.option("--head", args->head, "Width of one head").positive().shows_default();
  command
      .option("--positions", args->positions, "Positions of the decoding step, separated by commas")
      .separated_by(',')
      .positive()
      .shows_default();
  command.option("--global", args->global, "First positions that everybody sees beside the window")
      .positive()
      .shows_default();
  command.option("--window", args->window, "Positions that the sliding window sees each way")
      .positive()
      .shows_default();
  args->common.add(command);
  command.examples({"heed bench attention --lengths 128,512,2048 -o runs/bench",
                    "heed bench attention --heads 8 --window 64 -o runs/bench"});
  command.run([args] { bench_attention(*args); });
}

}  // namespace heed
