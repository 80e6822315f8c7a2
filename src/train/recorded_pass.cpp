#include "train/recorded_pass.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "data/batch.h"
#include "kernels/graph.h"
#include "model/device.h"
#include "model/model.h"
#include "model/source.h"
#include "text/vocabulary.h"
#include "train/loss.h"
#include "train/losses.h"
#include "train/update.h"

namespace heed::train {
namespace {

// Shapes of one graph. More of them would take the memory of more graphs, and time to record.
constexpr int64_t kSteps = 8, kStepsOfPositions = 16;  // of an octave; 3 % more positions, about
constexpr int64_t kSmallestStep = 8;
constexpr int64_t kLengthUnit = 8, kPaddedUnit = 4;  // what is padded is computed
constexpr std::size_t kMostGraphs = 256;

int64_t rounded_to(int64_t number, int64_t step) {
  return (number + step - 1) / step * step;
}

/// One of so many numbers between two powers of two.
int64_t rounded(int64_t number, int64_t steps) {
  const auto octave = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(number)));
  return rounded_to(number, std::max(kSmallestStep, octave / steps));
}

std::string why_no_pass(model::Model& model, const TrainConfig& config, const at::Device& device,
                        at::ScalarType precision) {
  if (config.graphs == Graphs::off) return "training.graphs is off";
  if (device.is_cpu()) return "a CPU has no graphs";
  if (config.consistency != Consistency::none || !auxiliary_losses(config).empty()) {
    std::vector<std::string> keys = {"training.consistency"};
    for (const AuxiliaryLoss& loss : all_losses()) keys.push_back(loss.key);
    const std::string last = keys.back();
    keys.pop_back();
    return fmt::format("{} and {} are not recorded", join(keys, ", "), last);
  }
  if (precision == at::kHalf) return "fp16 needs all logits";
  if (!model.output().weight.defined()) return "the output layer is not linear";
  return kernels::Graph::why_not(device);
}

/// Returns rows of `width` pieces as rows of `longest`, with rows of padding after them.
std::vector<int64_t> widened(const std::vector<int64_t>& pieces, int64_t width, int64_t sentences,
                             int64_t longest) {
  std::vector<int64_t> out(sentences * longest, text::kPad);
  for (int64_t row = 0; row < std::ssize(pieces) / width; ++row)
    std::copy_n(pieces.begin() + row * width, width, out.begin() + row * longest);
  return out;
}

/// Returns which pieces are predicted, [shape.target] each: those of the batch, and after them some
/// that do not count.
Target filled_target(const data::Batch& batch, const PassShape& shape, const at::Device& device) {
  auto [gold, rows] = predicted(batch, shape.target_length);
  std::vector<float> weights(gold.size(), 1);
  gold.resize(shape.target, text::kPad);
  rows.resize(shape.target, shape.sentences * shape.target_length - 1);
  weights.resize(shape.target, 0);
  Target out;
  out.gold = model::upload_numbers(gold, device);
  out.rows = model::upload_numbers(rows, device);
  out.weights = model::upload(at::tensor(at::ArrayRef<float>(weights), at::kFloat), device);
  out.tokens = shape.target;
  return out;
}

/// [sentences, length] bool; sentences that are not there have one piece.
Tensor valid_pieces(std::vector<int64_t> lengths, int64_t sentences, int64_t length) {
  lengths.resize(sentences, 1);
  return at::arange(length).unsqueeze(0) < model::upload_numbers(lengths, at::kCPU).unsqueeze(1);
}

}  // namespace

PassShape padded_shape(const data::Batch& batch) {
  return {.sentences = rounded(batch.size, kSteps),
          .source_length = rounded_to(batch.source_length, kPaddedUnit),
          .target_length = rounded_to(batch.target_length, kPaddedUnit),
          .target = rounded(batch.target_tokens(), kStepsOfPositions)};
}

PassShape unpadded_shape(const data::Batch& batch) {
  const int64_t longest =
      rounded_to(std::max(batch.source_length, batch.target_length), kLengthUnit);
  PassShape shape{.source_length = longest, .target_length = longest};
  const int64_t source = batch.source_tokens(), target = batch.target_tokens();
  for (int64_t fillers = 1;; ++fillers) {
    shape.sentences = rounded(batch.size + fillers, kSteps);
    fillers = shape.sentences - batch.size;
    shape.source = rounded(source + fillers, kStepsOfPositions);
    shape.target = rounded(target + fillers, kStepsOfPositions);
    if (std::max(shape.source - source, shape.target - target) <= fillers * longest) return shape;
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
  const model::Autocast autocast(device, precision);
  unpadded_ = model.takes_unpadded(device);
}

RecordedPass::~RecordedPass() = default;

std::optional<RecordedPass::RecordedSums> RecordedPass::run(const data::Batch& batch,
                                                            double scale) {
  if (!why_not_.empty()) return std::nullopt;
  try {
    compute(batch, scale);
    return sums();
  } catch (const c10::Error& error) {
    why_not_ = model::is_out_of_memory(error) ? "memory runs out" : error.what_without_backtrace();
  }
  take_gradients(parameters_);  // of a pass that broke off
  recorded_.clear();
  lowered_.reset();
  side_.reset();
  sums_ = {};
  log::warn("training.graphs: forward and backward passes are not recorded: " + why_not_);
  return std::nullopt;
}

void RecordedPass::compute(const data::Batch& batch, double scale) {
  if (sums_.gradients.empty()) {
    sums_.losses =
        at::zeros({count_numbers(config_)}, at::TensorOptions(at::kDouble).device(device_));
    for (const Tensor& parameter : parameters_)
      sums_.gradients.push_back(at::zeros_like(parameter).requires_grad_(false));
    is_trained_.resize(parameters_.size());
    lower_weights();
  }
  const PassShape shape = unpadded_ ? unpadded_shape(batch) : padded_shape(batch);
  if (const auto found = recorded_.find(shape); found != recorded_.end()) {
    fill(*found->second, batch, shape, scale);
    found->second->graph->replay();
    return;
  }
  auto fresh = std::make_unique<Recorded>();
  fill(*fresh, batch, shape, scale);
  if (recorded_.size() == kMostGraphs) return compute(*fresh);
  fresh->graph = std::make_unique<kernels::Graph>(device_, [&] { compute(*fresh); });
  recorded_.emplace(shape, std::move(fresh));
}

RecordedPass::RecordedSums RecordedPass::sums() const {
  RecordedSums out = sums_;
  for (std::size_t i = 0; i < out.gradients.size(); ++i)
    if (!is_trained_[i]) out.gradients[i] = Tensor();
  return out;
}

void RecordedPass::fill(Recorded& pass, const data::Batch& batch, const PassShape& shape,
                        double scale) const {
  const auto pieces = [&](const std::vector<int64_t>& of_batch, int64_t width, int64_t longest) {
    return model::upload_numbers(widened(of_batch, width, shape.sentences, longest), device_)
        .view({shape.sentences, longest});
  };
  Recorded now;
  now.target = filled_target(batch, shape, device_);
  now.source.tokens = pieces(batch.source, batch.source_length, shape.source_length);
  now.target.input.tokens = pieces(batch.target_input, batch.target_length, shape.target_length);
  now.scale = model::upload(at::scalar_tensor(scale, at::kDouble), device_);
  if (unpadded_) {
    const auto sentences = [&](const std::vector<int64_t>& lengths, int64_t positions) {
      const int64_t longest = shape.source_length;
      return model::unpadded_sentences(filled_lengths(lengths, shape.sentences, longest, positions),
                                       longest, device_);
    };
    now.source.unpadded = sentences(batch.source_lengths, shape.source);
    now.target.input.unpadded = sentences(batch.target_lengths, shape.target);
  } else {
    now.source.valid = model::upload(
        valid_pieces(batch.source_lengths, shape.sentences, shape.source_length), device_);
  }
  if (!pass.graph) {
    pass = std::move(now);
    return;
  }
  const at::NoGradGuard no_grad;
  if (unpadded_) {
    model::overwrite(*pass.source.unpadded, *now.source.unpadded);
    model::overwrite(*pass.target.input.unpadded, *now.target.input.unpadded);
  } else {
    pass.source.valid.copy_(now.source.valid);
  }
  pass.source.tokens.copy_(now.source.tokens);
  pass.target.input.tokens.copy_(now.target.input.tokens);
  pass.target.gold.copy_(now.target.gold);
  pass.target.rows.copy_(now.target.rows);
  pass.target.weights.copy_(now.target.weights);
  pass.scale.copy_(now.scale);
}

void RecordedPass::lower_weights() {
  if (precision_ == at::kFloat) return;
  lowered_.emplace(model_, precision_);
  if (device_.is_cuda()) side_.emplace(device_);
  lowered_->write_gradients(parameters_, sums_.gradients, side_ ? &*side_ : nullptr);
}

void RecordedPass::compute(const Recorded& pass) {
  take_gradients(parameters_);  // of a recording that broke off
  std::optional<model::LoweredLayers::Use> use;
  if (lowered_) {
    lowered_->refresh();
    use.emplace(*lowered_);
  }
  LossSum loss;
  {
    const model::Autocast autocast(device_, precision_);
    const Tensor features = model_.features(pass.source, pass.target.input);
    loss = loss_of(model_, features, pass.target, config_.label_smoothing);
  }
  (loss.smoothed * pass.scale).backward();
  if (side_) side_->join();
  const at::NoGradGuard no_grad;
  const Gradients gradients = take_gradients(parameters_);
  std::vector<Tensor> into, from;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i].defined()) continue;
    is_trained_[i] = true;
    into.push_back(sums_.gradients[i]);
    from.push_back(gradients[i]);
  }
  if (!into.empty()) at::_foreach_copy_(into, from);
  if (use) {
    const std::vector<bool> written = use->written();
    for (std::size_t i = 0; i < written.size(); ++i)
      if (written[i]) is_trained_[i] = true;
  }
  Tensor(sums_.losses).copy_(loss.numbers());
}

}  // namespace heed::train
