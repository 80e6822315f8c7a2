// heed bench attention: time and memory of self-attention against the length of the sequence.
#include <ATen/ATen.h>

#include <cmath>
#include <iostream>

#include "apps/bench/bench.h"
#include "apps/bench/profile.h"
#include "base/log.h"
#include "base/machine.h"
#include "base/strings.h"
#include "model/description/kinds.h"
#include "model/transformer/attention/linear.h"
#include "model/transformer/attention/scaled_dot_product.h"
#include "model/transformer/multi_head.h"
#include "study/cost_tables.h"

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

using kernels::Pattern;

Pattern everything(int64_t, const AttentionArgs&) {
  return {};
}

Pattern causal(int64_t, const AttentionArgs&) {
  return {.causal = true};
}

Pattern window(int64_t, const AttentionArgs& args) {
  return {.window = args.window};
}

Pattern window_and_global(int64_t, const AttentionArgs& args) {
  return {.window = args.window, .global = args.global};
}

/// As Child et al. 2019.
Pattern strided(int64_t length, const AttentionArgs&) {
  const int64_t root = std::lround(std::sqrt(static_cast<double>(length)));
  return {.window = root, .stride = root};
}

void plain(const Input& input, const model::AttentionMask& masking) {
  at::Tensor weights;
  model::attend(input.query, input.keys, input.values, masking, &weights);
}

void fused(const Input& input, const model::AttentionMask& masking) {
  model::attend(input.query, input.keys, input.values, masking);
}

void linear(const Input& input, const model::AttentionMask& masking) {
  model::linear_attention(input.query, input.keys, input.values, masking);
}

/// What the positions of a sequence of some length see, and how it is computed. Plain and fused
/// attention are the same; what follows sees less, or weighs otherwise.
struct Way {
  const char* name;
  Pattern (*pattern)(int64_t length, const AttentionArgs& args);
  void (*run)(const Input& input, const model::AttentionMask& masking);
};

constexpr Way kWays[] = {
    {"plain", everything, plain},      {"sdpa", everything, fused},
    {"window", window, fused},         {"window + global", window_and_global, fused},
    {"strided", strided, fused},       {"linear", everything, linear},
    {"linear, causal", causal, linear}};

struct Cost {
  double seconds = 0, bytes = 0;
};

Cost cost_of(const Way& way, int64_t length, const AttentionArgs& args) {
  at::manual_seed(1);
  const auto draw = [&] { return at::randn({1, args.heads, length, args.head}); };
  const Input input{draw(), draw(), draw()};
  const model::AttentionMask masking{.pattern = way.pattern(length, args),
                                     .scale = 1 / std::sqrt(static_cast<double>(args.head))};
  const auto run = [&] { way.run(input, masking); };
  Cost cost;
  {
    const PeakMemory memory;
    run();
    cost.bytes = static_cast<double>(memory.bytes());
  }
  cost.seconds = run::median_seconds(args.common.repeats, run);
  return cost;
}

/// Plain attention makes matrices of queries x keys: scores, their exponentials and the weights.
bool fits(const Way& way, int64_t length, const AttentionArgs& args) {
  if (way.run != plain) return true;
  const double needed = 3.0 * 4 * static_cast<double>(args.heads * length * length);
  const auto there = available_memory();
  if (!there || needed < static_cast<double>(*there)) return true;
  log::warn(
      "plain attention over {} positions is left out: it needs {} of memory, of which {} are free",
      length, human_bytes(static_cast<uint64_t>(needed)),
      human_bytes(static_cast<uint64_t>(*there)));
  return false;
}

/// A layer of a decoder; the step is the last of `length` positions.
struct StepWay {
  const char* name;
  Pattern (*pattern)(int64_t length, const AttentionArgs& args);
  const char* kind = "softmax";
};

constexpr StepWay kStepWays[] = {{"softmax", everything},
                                 {"window", window},
                                 {"window + global", window_and_global},
                                 {"strided", strided},
                                 {"linear", everything, "linear"}};

/// What a decoder keeps of the positions before, and the time of its step there.
Cost step_cost(const StepWay& way, int64_t position, const AttentionArgs& args) {
  at::manual_seed(1);
  const model::MultiHeadOptions options{.width = args.heads * args.head,
                                        .heads = args.heads,
                                        .pattern = way.pattern(position + 1, args),
                                        .kind = way.kind};
  const model::SelfAttentionPtr attention = model::make_self_attention(options);
  attention->eval();
  const bool caches = model::self_attention_info(way.kind).has_scores();
  const int64_t heads = 2 * args.heads;  // of keys and of values
  model::State state = model::start_beams({at::zeros({args.sentences, heads, 1, args.head})}, {});
  state.position = position;
  state.beams.assign(position, args.beam);
  std::vector<at::Tensor> sums(attention->carried());
  const at::Tensor x = at::randn({args.sentences, args.beam, options.width});
  const auto run = [&] {
    if (!caches) return attention->step(x, sums, position, nullptr);
    const model::BeamStep now = model::begin_step(
        state, args.beam, {.heads = {heads}, .head = args.head, .pattern = options.pattern});
    return attention->step(x, model::cached_steps(state, 0, heads), now, nullptr);
  };
  run();
  if (caches) state.memory[model::kStepHeads].normal_();  // of the steps before
  Cost cost{.seconds = run::median_seconds(args.common.repeats, run)};
  if (caches) cost.bytes = 4.0 * static_cast<double>(heads * args.head * (position + 1));
  for (const at::Tensor& sum : sums)
    cost.bytes +=
        static_cast<double>(sum.nbytes()) / static_cast<double>(args.sentences * args.beam);
  return cost;
}

void bench_steps(const AttentionArgs& args) {
  text::Table table{{"attention", "position", "milliseconds", "kib_of_state"}, {}};
  draw::Plot time = plot_over(args.positions, "Time of a decoding step of self-attention",
                              "position", "milliseconds"),
             memory = plot_over(args.positions, "What a decoder keeps for one hypothesis and layer",
                                "position", "KiB");
  for (const StepWay& way : kStepWays) {
    draw::PlotLine milliseconds{.name = way.name}, kib = milliseconds;
    for (const int64_t position : args.positions) {
      const Cost cost = step_cost(way, position, args);
      milliseconds.add(1000 * cost.seconds);
      kib.add(cost.bytes / 1024);
      table.rows.push_back({way.name, std::to_string(position), fixed(1000 * cost.seconds, 3),
                            fixed(cost.bytes / 1024, 1)});
    }
    time.lines.push_back(std::move(milliseconds));
    memory.lines.push_back(std::move(kib));
  }
  publish(args.common, "attention_steps", table, {time, memory});
}

void bench_costs(const AttentionArgs& args) {
  text::Table table{{"attention", "length", "seconds", "mib"}, {}};
  draw::Plot time = plot_over(args.lengths, "Time of one self-attention", "length n", "seconds"),
             memory = plot_over(args.lengths, "Memory of one self-attention", "length n", "MiB");
  text::Table exponents{{"attention", "length", "seconds", "mib"}, {}};
  for (const Way& way : kWays) {
    draw::PlotLine seconds{.name = way.name}, mib = seconds;
    std::vector<double> x, y_time, y_memory;
    for (std::size_t i = 0; i < args.lengths.size(); ++i) {
      const int64_t length = args.lengths[i];
      if (!fits(way, length, args)) continue;
      const Cost cost = cost_of(way, length, args);
      x.push_back(static_cast<double>(length));
      y_time.push_back(cost.seconds);
      y_memory.push_back(cost.bytes / 1048576);
      seconds.points.push_back({static_cast<double>(i), y_time.back()});
      mib.points.push_back({static_cast<double>(i), y_memory.back()});
      table.rows.push_back(
          {way.name, std::to_string(length), fixed(y_time.back(), 6), fixed(y_memory.back(), 3)});
    }
    if (x.size() >= 2)
      exponents.rows.push_back({way.name, "exponent", fixed(study::fitted_exponent(x, y_time), 2),
                                fixed(study::fitted_exponent(x, y_memory), 2)});
    time.lines.push_back(std::move(seconds));
    memory.lines.push_back(std::move(mib));
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
  auto [command, args] = bench.command("attention", bench_attention,
                                       "Time and memory of plain, fused, sparse and linear "
                                       "attention by length, and of a decoding step");
  command.group("Sizes");
  command.list("--lengths", args->lengths, "Lengths of the sequence, separated by commas")
      .positive();
  command.option("--heads", args->heads, "Number of heads").positive();
  command.option("--head", args->head, "Width of one head").positive();
  command
      .list("--positions", args->positions, "Positions of the decoding step, separated by commas")
      .positive();
  command
      .option("--global", args->global,
              "First positions that all positions see, besides the window")
      .positive();
  command.option("--window", args->window, "Positions that the sliding window sees each way")
      .positive();
  args->common.add(command, /*repeated=*/true);
  command.examples({"heed bench attention --lengths 128,512,2048 -o runs/bench",
                    "heed bench attention --heads 8 --window 64 -o runs/bench"});
}

}  // namespace heed
