// heed-bench attention: time and memory of self-attention against the length of the sequence.
#include <ATen/ATen.h>

#include <array>
#include <cmath>
#include <iostream>
#include <span>

#include "base/log.h"
#include "base/machine.h"
#include "base/strings.h"
#include "benchmarks/bench/bench.h"
#include "model/description/kinds.h"
#include "model/transformer/attention/linear.h"
#include "model/transformer/attention/scaled_dot_product.h"
#include "model/transformer/multi_head.h"

namespace heed::bench {
namespace {

struct AttentionArgs {
  std::vector<std::string> lengths = {"128", "256", "512", "1024", "2048", "4096", "8192", "16384"};
  std::vector<std::string> positions = {"64", "256", "1024", "4096", "8192"};
  int64_t heads = 4, head = 64, window = 128, global = 8, sentences = 4, beam = 5;
  BenchOptions common;
};

/// The ways that are measured by length: plain and fused attention are the same; what follows sees
/// less, or weighs otherwise.
constexpr const char* kWays[] = {"plain",   "sdpa",   "window",        "window + global",
                                 "strided", "linear", "linear, causal"};

/// The ways that are measured by position: layers of a decoder.
constexpr const char* kStepWays[] = {"softmax", "window",        "window + global", "strided",
                                     "linear",  "grouped-query", "multi-query",     "no cache"};

/// The mask of a sequence of some length: which positions each of its positions sees.
kernels::Pattern pattern_of(const std::string& way, int64_t length, const AttentionArgs& args) {
  if (way.starts_with("window"))
    return {.window = args.window, .global = way == "window" ? 0 : args.global};
  const int64_t root = std::lround(std::sqrt(static_cast<double>(length)));
  if (way == "strided") return {.window = root, .stride = root};  // as Child et al. 2019
  return {.causal = way == "linear, causal" || way == "no cache"};
}

struct Cost {
  double seconds = 0, bytes = 0;
};

/// Plain attention makes matrices of queries x keys: scores, their exponentials and the weights.
bool fits(const std::string& way, int64_t length, const AttentionArgs& args) {
  if (way != "plain") return true;
  const double needed = 3.0 * 4 * static_cast<double>(args.heads * length * length);
  const auto there = available_memory();
  if (!there || needed < static_cast<double>(*there)) return true;
  log::warn(
      "plain attention over {} positions is left out: it needs {} of memory, of which {} are free",
      length, human_bytes(static_cast<uint64_t>(needed)),
      human_bytes(static_cast<uint64_t>(*there)));
  return false;
}

std::optional<Cost> cost_of(const std::string& way, int64_t length, const AttentionArgs& args) {
  if (!fits(way, length, args)) return std::nullopt;
  at::manual_seed(1);
  const auto draw = [&] { return at::randn({1, args.heads, length, args.head}); };
  const at::Tensor query = draw(), keys = draw(), values = draw();
  const model::AttentionMask masking{.pattern = pattern_of(way, length, args),
                                     .scale = 1 / std::sqrt(static_cast<double>(args.head))};
  const auto run = [&] {
    at::Tensor weights;
    if (way.starts_with("linear"))
      model::linear_attention(query, keys, values, masking);
    else
      model::attend(query, keys, values, masking, way == "plain" ? &weights : nullptr);
  };
  Cost cost;
  {
    const PeakMemory memory;
    run();
    cost.bytes = static_cast<double>(memory.bytes());
  }
  cost.seconds = run::median_seconds(args.common.repeats, run);
  return cost;
}

/// The memory that a decoder keeps of the positions before, and the time of its step there.
std::optional<Cost> step_cost(const std::string& way, int64_t position, const AttentionArgs& args) {
  constexpr int64_t kFarthestWithoutCache = 1024;  // a step there takes seconds
  at::manual_seed(1);
  const bool halves = way == "grouped-query" && args.heads % 2 == 0;
  const model::MultiHeadOptions options{.width = args.heads * args.head,
                                        .heads = args.heads,
                                        .kv_heads = way == "multi-query" ? 1
                                                    : halves             ? args.heads / 2
                                                                         : args.heads,
                                        .pattern = pattern_of(way, position + 1, args),
                                        .kind = way == "linear" ? "linear" : "softmax"};
  const model::SelfAttentionPtr attention = model::make_self_attention(options);
  attention->eval();
  if (way == "no cache") {  // computes all positions again
    if (position > kFarthestWithoutCache) return std::nullopt;
    const at::Tensor x = at::randn({args.sentences * args.beam, position + 1, options.width});
    return Cost{.seconds = run::median_seconds(args.common.repeats,
                                               [&] { attention->forward(x, {}, nullptr); })};
  }
  const bool caches = model::self_attention_info(options.kind).has_scores();
  const int64_t heads = 2 * options.kv_heads;  // of keys and of values
  model::State state = model::start_beams({at::zeros({args.sentences, heads, 1, args.head})}, {});
  state.position = position;
  state.beams.assign(position, args.beam);
  std::vector<at::Tensor> sums(attention->carried());
  const at::Tensor x = at::randn({args.sentences, args.beam, options.width});
  const auto run = [&] {
    if (!caches) return attention->step(x, sums, position, nullptr);
    const model::BeamStep now = model::begin_step(state, args.beam,
                                                  {.heads = {heads},
                                                   .head = args.head,
                                                   .group = options.heads / options.kv_heads,
                                                   .pattern = options.pattern});
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

/// One of the two numbers of a cost, as it is shown.
struct Shown {
  const char *column, *title, *unit;
  double factor;
  int digits;
  double Cost::*number;
};

/// A measurement over sizes, and how it is shown.
struct Comparison {
  std::string name;  // of the table
  const char *size, *x_label;
  std::vector<int64_t> sizes;
  std::array<Shown, 2> shown;
  std::span<const char* const> ways;
  std::optional<Cost> (*cost_of)(const std::string& way, int64_t size, const AttentionArgs& args);
  bool has_exponents = false;  // the table ends with how fast the numbers grow
};

/// Each way at each size: a table, and a picture of each number.
void measure_ways(const Comparison& what, const AttentionArgs& args) {
  text::Table table{{"attention", what.size, what.shown[0].column, what.shown[1].column}, {}};
  std::vector<std::vector<std::string>> growth;
  std::vector<draw::Plot> plots;
  for (const Shown& one : what.shown)  // where costs grow with a power, lines are straight
    plots.push_back({.title = one.title,
                     .x_label = fmt::format("log2 of the {}", what.x_label),
                     .y_label = fmt::format("log10 of {}", one.unit),
                     .lines = {}});
  for (const std::string way : what.ways) {
    std::vector<double> x;
    std::array<std::vector<double>, 2> y;
    for (draw::Plot& plot : plots)
      plot.lines.push_back({.name = way, .points = {}, .color = plot.lines.size()});
    for (std::size_t i = 0; i < what.sizes.size(); ++i) {
      const std::optional<Cost> cost = what.cost_of(way, what.sizes[i], args);
      if (!cost) continue;
      x.push_back(static_cast<double>(what.sizes[i]));
      table.rows.push_back({way, std::to_string(what.sizes[i])});
      for (std::size_t k = 0; k < plots.size(); ++k) {
        const Shown& one = what.shown[k];
        y[k].push_back(one.factor * (*cost).*one.number);
        table.rows.back().push_back(fixed(y[k].back(), one.digits));
        if (y[k].back() > 0)  // 0 has no logarithm
          plots[k].lines.back().points.push_back({std::log2(x.back()), std::log10(y[k].back())});
      }
    }
    if (what.has_exponents && x.size() >= 2)
      growth.push_back({way, "exponent", fixed(fitted_exponent(x, y[0]), 2),
                        fixed(fitted_exponent(x, y[1]), 2)});
  }
  std::ranges::move(growth, std::back_inserter(table.rows));
  publish(args.common, what.name, table, plots);
}

void bench_attention(const AttentionArgs& args) {
  const std::vector<int64_t> lengths = whole_numbers("--lengths", args.lengths);
  const std::vector<int64_t> positions = whole_numbers("--positions", args.positions);
  const at::NoGradGuard no_gradients;
  args.common.apply();
  measure_ways(
      {.name = "attention_cost",
       .size = "length",
       .x_label = "length n",
       .sizes = lengths,
       .shown = {{{"seconds", "Time of one self-attention", "seconds", 1, 6, &Cost::seconds},
                  {"mib", "Memory of one self-attention", "MiB", 0x1p-20, 3, &Cost::bytes}}},
       .ways = kWays,
       .cost_of = cost_of,
       .has_exponents = true},
      args);
  std::cout << '\n';
  measure_ways({.name = "attention_steps",
                .size = "position",
                .x_label = "position",
                .sizes = positions,
                .shown = {{{"milliseconds", "Time of a decoding step of self-attention",
                            "milliseconds", 1000, 3, &Cost::seconds},
                           {"kib_of_state", "What a decoder keeps for one hypothesis and layer",
                            "KiB", 0x1p-10, 1, &Cost::bytes}}},
                .ways = kStepWays,
                .cost_of = step_cost},
               args);
}

}  // namespace

void add_attention(CommandLine& program) {
  auto [command, args] =
      program.command("attention", bench_attention,
                      "Time and memory of plain, fused, sparse and linear "
                      "attention by length, and of a decoding step with its cache");
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
  command.examples({"heed-bench attention --lengths 128,512,2048 -o runs/bench",
                    "heed-bench attention --heads 8 --window 64 -o runs/bench"});
}

}  // namespace heed::bench
