#include "decode/recorded_steps.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <bit>

#include "base/log.h"
#include "kernels/tensor.h"
#include "model/description/config.h"
#include "model/device.h"
#include "model/model.h"
#include "model/transformer/transformer.h"

namespace heed::decode {
namespace {

// The bounds of a graph's shape.
constexpr int64_t kFewestSentences = 8, kFewestPieces = 16;
constexpr int64_t kMostSteps = 1024;
// A graph needs memory, and to record it takes the time of a few steps.
constexpr int64_t kWorthRecording = 2, kMostGraphs = 64;
constexpr int64_t kShareOfMemory = 4;

int64_t power_of_two(int64_t number, int64_t least) {
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max(number, least))));
}

std::string why_no_steps(const std::vector<model::Model*>& models, const at::Device& device) {
  if (models.size() > 1) return "several models translate together";
  const model::ModelConfig* config = model::transformer_config(*models[0]);
  if (!config) return "the model is no Transformer";
  if (config->decoder != model::DecoderKind::attention) return "the decoder has no self-attention";
  if (!model::has_fixed_steps(*config))
    return "the model's self-attention is not softmax attention over all positions, to which "
           "nothing is added";
  return kernels::Graph::why_not(device);
}

}  // namespace

RecordedSteps::RecordedSteps(const std::vector<model::Model*>& models, at::Device device,
                             at::ScalarType precision)
    : model_(*models[0]), device_(device), precision_(precision) {
  const std::string why = why_no_steps(models, device);
  records_ = why.empty() || refuse(why);
}

bool RecordedSteps::refuse(const std::string& why) {
  if (!refused_) log::info("decoding.graphs: steps are not recorded: " + why);
  refused_ = true;
  return false;
}

bool RecordedSteps::give_up(const std::string& why) {
  const bool had_memory = records_ || beams_;
  if (records_) records_ = refuse(why);
  release();
  return had_memory;
}

void RecordedSteps::release() {
  passes_.clear();
  graphs_ = 0;
  beams_.reset();
  lowered_.reset();
  tokens_ = hypotheses_ = same_ = logits_ = log_probabilities_ = Tensor();
}

bool RecordedSteps::start(const model::State& state, int64_t beam, int64_t limit) {
  if (!records_) {
    release();
    return false;
  }
  const Tensor& source = state.memory[model::kSourceHeads];
  const model::BeamsShape shape{.sentences = power_of_two(source.size(0), kFewestSentences),
                                .source = power_of_two(source.size(2), kFewestPieces),
                                .steps = power_of_two(limit, kFewestPieces)};
  if (shape.steps > kMostSteps)
    return refuse(fmt::format("translations that may have more than {} pieces", kMostSteps));
  if (!make_room(state, beam, shape)) return refuse("they would take too much memory");
  beams_->start(state, shape);
  if (lowered_) lowered_->refresh();
  hypotheses_.copy_(same_);
  reordered_ = false;
  sentences_ = source.size(0);
  source_ = shape.source;
  position_ = 0;
  return true;
}

bool RecordedSteps::make_room(const model::State& state, int64_t beam,
                              const model::BeamsShape& shape) {
  model::BeamsShape most = shape;
  if (beams_ && beams_->beam() == beam) {
    const model::BeamsShape& now = beams_->most();
    most = {.sentences = std::max(now.sentences, shape.sentences),
            .source = std::max(now.source, shape.source),
            .steps = std::max(now.steps, shape.steps)};
    if (most == now) return true;
  }
  const model::StateSize size = model_.state_size();
  const auto bytes = static_cast<int64_t>(state.memory[model::kSourceHeads].element_size());
  const int64_t numbers = most.source * size.source + most.steps * beam * size.hypothesis;
  if (most.sentences * numbers * bytes > model::free_memory(device_) / kShareOfMemory) return false;
  release();
  const at::TensorOptions options = at::TensorOptions(at::kLong).device(device_);
  beams_.emplace(state, size.hypothesis, beam, most);
  tokens_ = at::zeros({most.sentences, beam}, options);
  same_ = at::arange(most.sentences * beam, options);
  hypotheses_ = same_.clone();
  if (precision_ != at::kFloat) lowered_.emplace(model_, precision_);
  return true;
}

CandidateScores RecordedSteps::step(const Tensor& tokens) {
  const model::BeamsShape shape{.sentences = power_of_two(sentences_, kFewestSentences),
                                .source = source_,
                                .steps = power_of_two(position_ + 1, kFewestPieces)};
  tokens_.narrow(0, 0, sentences_).copy_(tokens);
  Pass& pass = passes_[shape];
  if (pass.graph)
    pass.graph->replay();
  else if (records_ && ++pass.uses >= kWorthRecording && graphs_ < kMostGraphs &&
           // Recording may compute one more step, which is taken back.
           position_ + 1 < end_of(shape))
    record(pass, shape);
  else
    compute(shape);
  if (reordered_) hypotheses_.copy_(same_);
  reordered_ = false;
  ++position_;
  const int64_t rows = sentences_ * beams_->beam();
  return {.values = logits_.narrow(0, 0, rows),
          .log_probabilities = log_probabilities_.narrow(0, 0, rows)};
}

int64_t RecordedSteps::end_of(const model::BeamsShape& shape) const {
  return std::min(shape.steps, model_.longest());
}

void RecordedSteps::record(Pass& pass, const model::BeamsShape& shape) {
  bool computed = false;
  try {
    pass.graph = std::make_unique<kernels::Graph>(device_, [&] {
      compute(shape);
      computed = true;
    });
    ++graphs_;
  } catch (const c10::Error& error) {
    if (!computed) throw;  // a step that is not recorded would fail, too
    // This search continues where it is; the next one uses no graphs.
    records_ =
        refuse(model::is_out_of_memory(error) ? "memory runs out" : error.what_without_backtrace());
  }
}

void RecordedSteps::compute(const model::BeamsShape& shape) {
  // A graph must not read copies of weights in low precision that are gone with their scope.
  const model::Autocast autocast(device_, precision_, /*keep_copies=*/false);
  std::optional<model::LoweredLayers::Use> use;
  if (lowered_) use.emplace(*lowered_);
  const int64_t rows = shape.sentences * beams_->beam();
  const model::State fixed = beams_->state(shape);
  model::State state = fixed;
  state.end = end_of(shape);
  const Tensor tokens = tokens_.narrow(0, 0, shape.sentences);
  model::reorder(state, {}, hypotheses_.narrow(0, 0, rows).view(tokens.sizes()));
  const Tensor logits = model_.step(tokens, state).flatten(0, 1);
  if (!logits_.defined()) {
    const std::vector<int64_t> sizes{same_.size(0), logits.size(1)};
    logits_ = at::empty(sizes, logits.options());
    log_probabilities_ = at::empty(sizes, logits.options().dtype(at::kFloat));
  }
  logits_.narrow(0, 0, rows).copy_(logits);
  Tensor log_probabilities = log_probabilities_.narrow(0, 0, rows);
  at::_log_softmax_out(log_probabilities, kernels::widened(logits), -1, /*half_to_float=*/false);
  fixed.carried[0].copy_(state.carried[0]);
  fixed.at.add_(1);
}

void RecordedSteps::reorder(const Tensor& sentences, const Tensor& hypotheses) {
  if (!sentences.defined()) {
    hypotheses_.narrow(0, 0, hypotheses.numel()).copy_(hypotheses.flatten());
    reordered_ = true;
    return;
  }
  beams_->reorder(sentences, hypotheses);
  sentences_ = sentences.size(0);
}

}  // namespace heed::decode
