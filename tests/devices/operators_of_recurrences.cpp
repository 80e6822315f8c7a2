// Cells, encoders, decoders, and every attention of the registry by itself.
#include "accelerator/support.h"
#include "devices/inputs.h"
#include "model/model.h"
#include "model/recurrent/attention/common.h"
#include "model/recurrent/cell.h"
#include "model/recurrent/decoder.h"
#include "model/recurrent/encoder.h"

namespace heed::devices {
namespace {

using accelerator::small_batch;
using model::Cell, model::Timing;

/// Rounding adds up from step to step.
constexpr Bounds kSteps{.fp32 = 1e-5, .tf32 = 8e-3, .bf16 = 4e-2, .fp16 = 8e-3};
/// Whole sequences, which cuDNN computes on a GPU. In fp32 the gradients of its weights are further
/// off than those of LibTorch's operations: 1.2e-5 on an H200, at most 6e-7 on a CPU. The bound is
/// still far below what products in TF32 would be off.
constexpr Bounds kByCudnn{.fp32 = 3e-5, .tf32 = 8e-3, .bf16 = 4e-2, .fp16 = 8e-3};

constexpr int64_t kInput = 7, kHidden = 10, kSequences = 3;

/// Three steps one by one, with a second input; and a sequence at once, without one and with one
/// that is the same at every step.
Operator cell(Cell kind) {
  const auto compute = [kind](const DevicePrecision& on) {
    at::manual_seed(3);
    model::RecurrentCell layer(kind, kInput, kHidden, 5);
    settle(layer, on);
    Numbers numbers(on);
    const Tensor x = numbers.leaf({kSequences, 3, kInput}), more = numbers.leaf({kSequences, 3, 5});
    const Tensor hidden = numbers.leaf({kSequences, 1, kHidden});
    const Tensor memory = kind == Cell::lstm ? numbers.leaf({kSequences, 1, kHidden}) : Tensor();
    Tensors leaves = parameters_of(layer);
    leaves.insert({{"x", x}, {"extra", more}, {"hidden", hidden}});
    if (memory.defined()) leaves["cell"] = memory;
    return with_gradients(on, leaves, [&]() -> Tensors {
      const Tensor gates = layer.project(x);
      const auto steps = layer.begin();
      model::CellState state{hidden, memory}, last = state, other = state;
      const Tensor same = more.narrow(1, 0, 1);
      Tensors results{
          {"sequence", layer.unroll(x, {}, last)},
          {"last", last.hidden},
          {"with the same", layer.unroll(x, {same, layer.project_extra(same, steps)}, other)}};
      for (int64_t t = 0; t < 3; ++t) {
        const auto now = [t](const Tensor& all) { return all.narrow(1, t, 1); };
        state = layer.step(now(gates) + layer.project_extra(now(more), steps), state, steps);
        results["step " + std::to_string(t)] = state.hidden;
      }
      if (memory.defined()) results["cell"] = state.cell;
      return results;
    });
  };
  return {"cell." + config::name_of(kind), compute, kByCudnn};
}

model::ModelConfig recurrent(Cell cell, int64_t layers, const std::string& attention) {
  return model::testing::small_config({.attention = attention, .cell = cell, .layers = layers});
}

/// Sentences of several lengths, in both directions.
Operator encoder(Cell kind, int64_t layers) {
  const auto compute = [=](const DevicePrecision& on) {
    at::manual_seed(3);
    model::RecurrentEncoder layer(recurrent(kind, layers, "none"), kInput);
    settle(layer, on);
    const data::Batch batch = small_batch();
    const model::Source source = model::make_source(batch, on.device);
    Numbers numbers(on);
    const Tensor x = numbers.leaf({batch.size, batch.source_length, kInput});
    Tensors leaves = parameters_of(layer);
    leaves["x"] = x;
    return with_gradients(on, leaves, [&]() -> Tensors {
      const model::Encoded encoded = layer.forward(x, source);
      return {{"states", encoded.values}, {"summary", encoded.summary}};
    });
  };
  return {"encoder." + config::name_of(kind) + std::to_string(layers), compute, kByCudnn};
}

/// The source that the decoder looks at.
struct Looked {
  Tensor values, summary;
  model::Encoded all;

  Looked(const DevicePrecision& on, Numbers& numbers)
      : values(numbers.leaf({kSequences, 7, kHidden})),
        summary(numbers.leaf({kSequences, kHidden})),
        all(model::make_encoded(values, first_of_rows(on, {3, 7, 5}, 7), summary)) {}
};

Operator decoder(Cell kind, int64_t layers, const std::string& attention) {
  const auto compute = [=](const DevicePrecision& on) {
    at::manual_seed(3);
    model::RecurrentDecoder layer(recurrent(kind, layers, attention), kInput);
    settle(layer, on);
    Numbers numbers(on);
    const Looked encoded(on, numbers);
    const Tensor x = numbers.leaf({kSequences, 5, kInput});
    Tensors leaves = parameters_of(layer);
    leaves.insert({{"x", x}, {"values", encoded.values}, {"summary", encoded.summary}});
    return with_gradients(on, leaves, [&]() -> Tensors {
      Tensor logs;
      const bool attends = layer.attends();
      Tensors results{
          {"features", layer.run(x, layer.start(encoded.all), nullptr, attends ? &logs : nullptr)}};
      // The log weights of padding are -inf or, in the kernels for a CPU, very small.
      if (attends) results["logs"] = logs.clamp_min(-60);
      return results;
    });
  };
  // Bahdanau's attends before the cell, so that its steps are single operations.
  return {"decoder." + config::name_of(kind) + std::to_string(layers) + "_" + attention, compute,
          attention == "bahdanau" ? kSteps : kByCudnn};
}

using Make = std::function<model::AttentionPtr(const model::AttentionSize&)>;

/// Five queries of each sentence, with gradients of the contexts, not of the weights. It computes
/// in fp32 whatever the precision.
Operator attention(const std::string& name, const Make& make,
                   kernels::Normalise normalise = &kernels::softmax, bool jumps = false) {
  const auto compute = [=](const DevicePrecision& on) {
    at::manual_seed(3);
    const model::AttentionPtr layer = make({.query = kHidden,
                                            .memory = kHidden,
                                            .hidden = kHidden,
                                            .weighing = {.normalise = normalise},
                                            .positions = 9});
    settle(*layer, on);
    Numbers numbers(on);
    const Looked encoded(on, numbers);
    const Tensor query = numbers.leaf({kSequences, 5, kHidden});
    Tensors leaves = parameters_of(*layer);
    leaves.insert({{"query", query}, {"values", encoded.values}, {"summary", encoded.summary}});
    return with_gradients(on, leaves, [&]() -> Tensors {
      model::StepInput step{
          .query = query, .stride = 1, .coverage = layer->first_coverage(encoded.all)};
      if (step.coverage.defined()) step.coverage = step.coverage.expand({-1, 5, -1, -1});
      const model::Attended attended =
          layer->forward(step, layer->begin(layer->prepare(encoded.all)));
      Tensors results{{"context", attended.context}};
      if (attended.weights.defined()) results["weights"] = attended.weights.detach();
      if (attended.coverage.defined()) results["coverage"] = attended.coverage;
      return results;
    });
  };
  return {"recurrent_attention." + name,
          compute,
          {.fp32 = 1e-5, .tf32 = jumps ? 0 : 8e-3, .bf16 = 1e-5, .fp16 = 1e-5}};
}

}  // namespace

std::vector<Operator> recurrent_operators() {
  std::vector<Operator> all{cell(Cell::gru),
                            cell(Cell::lstm),
                            encoder(Cell::gru, 1),
                            encoder(Cell::lstm, 2),
                            decoder(Cell::gru, 1, "none"),
                            decoder(Cell::gru, 1, "bahdanau"),
                            decoder(Cell::gru, 2, "luong_general"),
                            decoder(Cell::lstm, 2, "luong_dot")};
  for (const std::string& name : model::attention_names()) {
    const Timing timing = model::attention_info(name).timing;
    const model::AttentionMaker make = model::attention_maker(name);
    all.push_back(attention(name, make));
    if (timing == Timing::kNever) continue;
    for (const kernels::Normaliser& one : kernels::normalisers())
      if (!kernels::is_softmax(one.normalise))
        all.push_back(attention(name + "_" + one.name, make, one.normalise, true));
    all.push_back(attention(name + "_2heads", [make](const model::AttentionSize& size) {
      return make_side_by_side(make, size, 2);
    }));
    if (name == "luong_location") continue;  // which has no keys
    for (const auto form : {model::Coverage::linguistic, model::Coverage::neural})
      all.push_back(attention(name + "_" + config::name_of(form),
                              [make, form](const model::AttentionSize& size) {
                                return make_covered(make(size), size, form, 3);
                              }));
    if (timing != Timing::kAfter) continue;
    for (const auto window : {model::Window::local_m, model::Window::local_p})
      all.push_back(attention(
          name + "_" + config::name_of(window),
          [make, window](const model::AttentionSize& size) {
            return make_local(make, size, window, 2);
          },
          &kernels::softmax, window == model::Window::local_p));
  }
  return all;
}

}  // namespace heed::devices
