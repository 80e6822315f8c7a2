#include "train/recorded_pass.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "kernels/graph.h"
#include "model/device.h"
#include "text/vocabulary.h"
#include "train/loss.h"
#include "train/update.h"

namespace heed::train {
namespace {

// Shapes of one graph. More of them would take the memory of more graphs, and time to record.
constexpr int64_t kStepsOfAnOctave = 8, kLengthUnit = 8, kSmallestStep = 8;
constexpr std::size_t kMostGraphs = 256;

/// One of eight numbers between two powers of two.
int64_t rounded(int64_t number) {
  const auto octave = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(number)));
  const int64_t step = std::max(kSmallestStep, octave / kStepsOfAnOctave);
  return (number + step - 1) / step * step;
}

std::string why_no_pass(const model::Model& model, const TrainConfig& config,
                        const at::Device& device, at::ScalarType precision) {
  if (config.graphs == Graphs::off) return "training.graphs is off";
  if (device.is_cpu()) return "a CPU has no graphs";
  if (config.consistency != Consistency::none || config.guided_alignment > 0 ||
      config.coverage_loss > 0)
    return "training.consistency, guided_alignment and coverage_loss are not recorded";
  if (precision == at::kHalf) return "fp16 needs all logits";
  const model::Autocast autocast(device, precision);
  if (!model.takes_unpadded(device)) return "the model computes padding";
  return kernels::Graph::why_not(device);
}

/// Rows of `width` pieces as rows of `longest`, and rows of padding behind them.
std::vector<int64_t> widened(const std::vector<int64_t>& pieces, int64_t width,
                             const PassShape& shape) {
  std::vector<int64_t> out(shape.sentences * shape.longest, text::kPad);
  for (int64_t row = 0; row < std::ssize(pieces) / width; ++row)
    std::copy_n(pieces.begin() + row * width, width, out.begin() + row * shape.longest);
  return out;
}

}  // namespace

PassShape shape_of_pass(const data::Batch& batch) {
  const int64_t longest = std::max(batch.source_length, batch.target_length);
  PassShape shape{.longest = (longest + kLengthUnit - 1) / kLengthUnit * kLengthUnit};
  const int64_t source = batch.source_tokens(), target = batch.target_tokens();
  for (int64_t fillers = 1;; ++fillers) {
    shape.sentences = rounded(batch.size + fillers);
    fillers = shape.sentences - batch.size;
    shape.source = rounded(source + fillers);
    shape.target = rounded(target + fillers);
    if (std::max(shape.source - source, shape.target - target) <= fillers * shape.longest)
      return shape;
  }
}

std::vector<int64_t> filled_lengths(const std::vector<int64_t>& lengths, int64_t sentences,
                                    int64_t longest, int64_t positions) {
  std::vector<int64_t> out = lengths;
  int64_t left = positions - std::accumulate(lengths.begin(), lengths.end(), int64_t{0});
  for (int64_t fillers = sentences - std::ssize(lengths); fillers > 0; --fillers) {
    out.push_back(std::min(longest, left - (fillers - 1)));  // one for each of the others
    left -= out.back();
  }
  expect(left == 0, "a shape that holds the batch");
  return out;
}

/// A graph, and what it reads. What it writes is `sums_`.
struct RecordedPass::Recorded {
  model::Source source;
  Target target;
  Tensor scale;  // [] double
  std::unique_ptr<kernels::Graph> graph;
};

RecordedPass::RecordedPass(model::Model& model, const TrainConfig& config, at::Device device,
                           at::ScalarType precision)
    : model_(model),
      parameters_(trainable_list(model)),
      config_(config),
      device_(device),
      precision_(precision),
      why_not_(why_no_pass(model, config, device, precision)) {
  if (!why_not_.empty()) return;
  sums_.losses = at::zeros({4}, at::TensorOptions(at::kDouble).device(device));
  for (const Tensor& parameter : parameters_)
    sums_.gradients.push_back(at::zeros_like(parameter).requires_grad_(false));
  is_trained_.resize(parameters_.size());
}

RecordedPass::~RecordedPass() = default;

std::optional<RecordedPass::Sums> RecordedPass::run(const data::Batch& batch, double scale) {
  if (!why_not_.empty()) return std::nullopt;
  const PassShape shape = shape_of_pass(batch);
  std::unique_ptr<Recorded>& pass = recorded_[shape];
  if (pass) {
    fill(*pass, batch, shape, scale);
    pass->graph->replay();
    return sums();
  }
  if (recorded_.size() > kMostGraphs) {
    recorded_.erase(shape);
    return std::nullopt;
  }
  auto fresh = std::make_unique<Recorded>();
  fill(*fresh, batch, shape, scale);
  try {
    fresh->graph = std::make_unique<kernels::Graph>(device_, [&] { compute(*fresh); });
  } catch (const c10::Error& error) {
    take_gradients(parameters_);  // of a pass that broke off
    recorded_.clear();
    why_not_ = model::is_out_of_memory(error) ? "memory runs out" : error.what_without_backtrace();
    log::warn("training.graphs: forward and backward passes are not recorded: " + why_not_);
    return std::nullopt;
  }
  pass = std::move(fresh);
  return sums();
}

RecordedPass::Sums RecordedPass::sums() const {
  Sums out = sums_;
  for (std::size_t i = 0; i < out.gradients.size(); ++i)
    if (!is_trained_[i]) out.gradients[i] = Tensor();
  return out;
}

void RecordedPass::fill(Recorded& pass, const data::Batch& batch, const PassShape& shape,
                        double scale) const {
  const auto filled = [&](const std::vector<int64_t>& lengths, int64_t positions) {
    return filled_lengths(lengths, shape.sentences, shape.longest, positions);
  };
  const std::vector<int64_t> source_lengths = filled(batch.source_lengths, shape.source),
                             lengths = filled(batch.target_lengths, shape.target);
  const auto pieces = [&](const std::vector<int64_t>& of_batch, int64_t width) {
    return model::upload_numbers(widened(of_batch, width, shape), device_)
        .view({shape.sentences, shape.longest});
  };
  const auto sources = model::unpadded_sentences(source_lengths, shape.longest, device_);
  const auto targets = model::unpadded_sentences(lengths, shape.longest, device_);
  std::vector<int64_t> gold, rows;
  std::vector<float> weights;
  for (int64_t sentence = 0; sentence < shape.sentences; ++sentence)
    for (int64_t t = 0; t < lengths[sentence]; ++t) {
      const bool real = sentence < batch.size;
      rows.push_back(sentence * shape.longest + t);
      gold.push_back(real ? batch.target_output[sentence * batch.target_length + t] : text::kPad);
      weights.push_back(real ? 1 : 0);
    }
  Recorded now;
  now.source.tokens = pieces(batch.source, batch.source_length);
  now.target.input.tokens = pieces(batch.target_input, batch.target_length);
  now.target.gold = model::upload_numbers(gold, device_);
  now.target.rows = model::upload_numbers(rows, device_);
  now.target.weights = model::upload(at::tensor(at::ArrayRef<float>(weights), at::kFloat), device_);
  now.scale = model::upload(at::scalar_tensor(scale, at::kDouble), device_);
  if (!pass.graph) {
    pass = std::move(now);
    pass.source.unpadded = sources;
    pass.target.input.unpadded = targets;
    pass.target.tokens = shape.target;
    return;
  }
  const at::NoGradGuard no_grad;
  model::overwrite(*pass.source.unpadded, *sources);
  model::overwrite(*pass.target.input.unpadded, *targets);
  pass.source.tokens.copy_(now.source.tokens);
  pass.target.input.tokens.copy_(now.target.input.tokens);
  pass.target.gold.copy_(now.target.gold);
  pass.target.rows.copy_(now.target.rows);
  pass.target.weights.copy_(now.target.weights);
  pass.scale.copy_(now.scale);
}

void RecordedPass::compute(const Recorded& pass) {
  LossSum loss;
  {
    const model::Autocast autocast(device_, precision_);
    const Tensor features = model_.features(pass.source, pass.target.input);
    loss = loss_of(model_, features, pass.target, config_.label_smoothing);
  }
  (loss.smoothed * pass.scale).backward();
  const at::NoGradGuard no_grad;
  const Gradients gradients = take_gradients(parameters_);
  std::vector<Tensor> into, from;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i].defined()) continue;
    is_trained_[i] = true;
    into.push_back(sums_.gradients[i]);
    from.push_back(gradients[i]);
  }
  at::_foreach_copy_(into, from);
  const Tensor none = at::zeros_like(loss.nll);
  Tensor(sums_.losses).copy_(at::stack({loss.smoothed.detach(), loss.nll.detach(), none, none}));
}

}  // namespace heed::train
