#include "inspect/permute.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <memory>

#include "base/random.h"
#include "inspect/attention_maps.h"
#include "kernels/share_out.h"
#include "model/device.h"
#include "model/evaluation_mode.h"

namespace heed::inspect {
namespace {

using at::Tensor;

constexpr uint64_t kSeed = 1;

/// A pair, several times.
struct Copies {
  model::Source source;
  model::TargetInput input;
  int64_t target = 0;
};

Copies copies_of(const data::Example& example, int64_t count, const at::Device& device) {
  const data::Batch batch = data::make_batch(std::vector<const data::Example*>(count, &example));
  return {model::make_source(batch, device), model::make_target_input(batch, device),
          batch.target_length};
}

/// As many copies as there are draws, in parts.
std::vector<Copies> all_copies_of(const data::Example& example, int64_t draws,
                                  const at::Device& device) {
  const int64_t most = copies_at_once(example);
  std::vector<Copies> parts;
  for (int64_t first = 0; first < draws; first += most)
    parts.push_back(copies_of(example, std::min(most, draws - first), device));
  return parts;
}

/// p [rows, target, vocab]
Tensor output_of(model::Model& model, const Copies& copies, model::Trace* trace) {
  return at::softmax(
      model.logits(model.features(copies.source, copies.input, trace)).to(at::kFloat), -1);
}

/// Another order of the keys for each row: indices [batch, query, keys].
Tensor random_orders(const Tensor& weights, uint64_t seed) {
  Random random(seed);
  const int64_t keys = weights.size(-1), rows = weights.size(0) * weights.size(2);
  std::vector<int64_t> all, order(keys);
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t i = 0; i < keys; ++i) order[i] = i;
    for (int64_t i = keys; i > 1; --i)
      std::swap(order[i - 1], order[static_cast<int64_t>(random.below(i))]);
    all.insert(all.end(), order.begin(), order.end());
  }
  return model::upload_numbers(all, weights.device())
      .view({weights.size(0), weights.size(2), keys});
}

/// Those that the model's cross-attention has.
std::vector<study::PermutedHead> heads_of(model::Model& model, const Copies& one) {
  model::Trace trace;  // of cross-attention
  model.features(one.source, one.input, &trace);
  std::vector<study::PermutedHead> heads;
  for (const auto& map : trace.maps)
    for (int64_t head = 0; head < map.weights.size(1); ++head) heads.push_back({map.layer, head});
  return heads;
}

}  // namespace

model::Exchange permuting(int64_t of_layer, int64_t of_head, uint64_t seed) {
  // Shared by its copies: each step of a recurrent model may ask another one.
  const auto calls = std::make_shared<uint64_t>(0);
  return [=](const Tensor& weights, int64_t layer, int64_t first_head) {
    const int64_t own = of_head - first_head;
    if (layer != of_layer || own < 0 || own >= weights.size(1)) return weights;
    Tensor changed = weights.clone();
    const Tensor head = changed.select(1, own);  // [batch, query, keys]
    head.copy_(head.gather(2, random_orders(weights, mix({seed, (*calls)++}))));
    return changed;
  };
}

std::vector<std::vector<study::PermutedHead>> permuted_outputs(
    decode::Translator& translator, const std::vector<std::string>& sources,
    const std::optional<std::vector<std::string>>& targets, int64_t draws, int64_t first_line) {
  model::Model& model = *translator.first().model;
  const std::vector<Reading> readings = readings_of(translator, sources, targets, first_line);
  std::vector<std::vector<study::PermutedHead>> out(readings.size());
  if (!model.attends()) return out;
  const at::NoGradGuard no_gradients;
  const model::EvaluationMode mode({&model});
  kernels::share_out(translator.device(), std::ssize(readings), [&](int64_t i, int64_t) {
    const Reading& reading = readings[i];
    if (!reading.readable) return;
    const Copies one = copies_of(reading.example, 1, translator.device());
    const auto parts = all_copies_of(reading.example, draws, translator.device());
    const Tensor usual = output_of(model, one, nullptr);
    for (study::PermutedHead& head : heads_of(model, one)) {
      const auto number = static_cast<uint64_t>(first_line + i);
      model::Trace trace{.kinds = {},
                         .exchange = permuting(head.layer, head.head, mix({kSeed, number}))};
      double sum = 0;
      for (const Copies& part : parts)
        sum += (output_of(model, part, &trace) - usual).abs().sum().item<double>();
      const auto steps = static_cast<double>(draws * one.target);
      head.moved = sum / steps / 2;
      out[i].push_back(head);
    }
  });
  return out;
}

}  // namespace heed::inspect
