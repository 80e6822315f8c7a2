// heed bench cache: decoding time per step with and without a cache of keys and values, and what
// the cache takes for multi-head, grouped-query and multi-query attention.
#include <ATen/ATen.h>

#include "apps/bench/bench.h"
#include "base/progress_bar.h"
#include "base/strings.h"
#include "model/model.h"
#include "model/transformer/beam_caches.h"

namespace heed {
namespace {

constexpr int64_t kVocabulary = 8000;

struct CacheArgs {
  std::vector<int64_t> positions = {16, 32, 64, 128, 256};
  int64_t sentences = 4, beam = 5, source = 30;
  BenchOptions common;
};

model::ModelConfig config_of(int64_t kv_heads) {
  model::ModelConfig config;
  config.type = model::ModelType::transformer;
  config.width = 256;
  config.feed_forward = 1024;
  config.heads = 4;
  config.kv_heads = kv_heads;
  config.encoder_layers = config.decoder_layers = 3;
  config.tie = model::Tie::all;
  return config;
}

model::Source random_source(int64_t sentences, int64_t length) {
  return {.tokens = at::randint(3, kVocabulary, {sentences, length}, at::kLong),
          .lengths = at::full({sentences}, length, at::kLong),
          .valid = at::ones({sentences, length}, at::kBool)};
}

/// Seconds of the step at each of the positions (the median of the steps around it), and the
/// cache's bytes for each step of one hypothesis.
struct Cached {
  std::vector<double> seconds;
  double bytes = 0;
};

Cached with_cache(model::Model& model, const CacheArgs& args) {
  constexpr int64_t kAround = 4;
  const model::Source source = random_source(args.sentences, args.source);
  model::State state = model.start(source);
  const int64_t last = *std::max_element(args.positions.begin(), args.positions.end()) + kAround;
  const at::Tensor widened =  // each sentence's one hypothesis
      at::arange(args.sentences).unsqueeze(1).expand({args.sentences, args.beam});
  std::vector<double> steps;
  model.step(at::full({args.sentences, 1}, 1, at::kLong), state);
  model::go_on_with(state, {}, widened);
  const at::Tensor tokens = at::full({args.sentences, args.beam}, 5, at::kLong);
  for (int64_t position = 1; position < last; ++position)
    steps.push_back(run::seconds_of([&] { model.step(tokens, state); }));
  Cached result;
  for (const int64_t position : args.positions) {
    const auto begin = steps.begin() + std::max<int64_t>(0, position - 1 - kAround);
    result.seconds.push_back(run::median({begin, steps.begin() + position - 1 + kAround}));
  }
  const at::Tensor& cache = state.memory[model::kStepHeads];  // [sentences, heads, slots, head]
  result.bytes =
      static_cast<double>(cache.nbytes()) / static_cast<double>(cache.size(0) * cache.size(2));
  return result;
}

/// Seconds of one step that computes every position before it again.
double without_cache(model::Model& model, int64_t position, const CacheArgs& args) {
  const int64_t rows = args.sentences * args.beam;
  const model::Source source = random_source(rows, args.source);
  const at::Tensor prefix = at::full({rows, position}, 5, at::kLong);
  return run::median_seconds(args.common.repeats, [&] {
    model.logits(model.features(source, prefix).select(1, position - 1));
  });
}

void bench_cache(const CacheArgs& args) {
  const at::NoGradGuard no_gradients;
  args.common.apply();
  text::Table table{{"attention", "kv_heads", "position", "ms_cached", "ms_uncached", "ratio",
                     "cache_bytes_per_step"},
                    {}};
  draw::Plot plot = plot_over(args.positions, "Decoding time of one step",
                              "position in the translation", "milliseconds");
  draw::PlotLine uncached{.name = "no cache"};
  constexpr auto kKinds = std::to_array<std::pair<const char*, int64_t>>(
      {{"multi-head", 4}, {"grouped-query", 2}, {"multi-query", 1}});
  ProgressBar bar("measurements", std::ssize(kKinds) * (std::ssize(args.positions) + 1));
  for (const auto& [name, kv_heads] : kKinds) {
    at::manual_seed(1);
    const auto model = model::make_model(config_of(kv_heads), {kVocabulary, kVocabulary});
    model->eval();
    const Cached cached = with_cache(*model, args);
    bar.add();
    draw::PlotLine line{.name = name};
    for (std::size_t i = 0; i < args.positions.size(); ++i) {
      const double fast = 1000 * cached.seconds[i];
      const double slow = 1000 * without_cache(*model, args.positions[i], args);
      bar.add();
      line.add(fast);
      if (kv_heads == 4) uncached.add(slow);
      table.rows.push_back({name, std::to_string(kv_heads), std::to_string(args.positions[i]),
                            fixed(fast, 3), fixed(slow, 3), fixed(slow / fast, 1),
                            fixed(cached.bytes, 0)});
    }
    plot.lines.push_back(std::move(line));
  }
  bar.end();
  plot.lines.push_back(std::move(uncached));
  publish(args.common, "cache", table, {plot});
}

}  // namespace

void add_bench_cache(CommandLine& bench) {
  auto [command, args] = bench.command(
      "cache", bench_cache,
      "Decoding time per step with and without the cache; its bytes for MHA, GQA, MQA");
  command.group("Search");
  command.list("--positions", args->positions, "Positions in the translation, separated by commas")
      .between(2, 100000);
  command.option("--sentences", args->sentences, "Sentences translated together").positive();
  command.option("--beam", args->beam, "Hypotheses of each sentence").positive();
  args->common.add(command, /*repeated=*/true);
  command.examples({"heed bench cache --positions 16,64,256 -o runs/bench",
                    "heed bench cache --sentences 8 --beam 4 --threads 1"});
}

}  // namespace heed
