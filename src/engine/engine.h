// A model with its network laid out for translating on a CPU.
#pragma once

#include <memory>

#include "engine/network.h"
#include "model/model.h"

namespace heed::engine {

/// As a Model it is the one that it was made of; `network` decodes.
class Engine : public model::Model {
 public:
  Engine(model::ModelPtr inner, std::unique_ptr<Network> network);

  const Network& network() const { return *network_; }

  Tensor features(const model::Source& source, const model::TargetInput& input,
                  model::Trace* trace) override {
    return inner_->features(source, input, trace);
  }
  Tensor logits(const Tensor& features) override { return inner_->logits(features); }
  model::OutputWeights output() override { return inner_->output(); }
  model::State start(const model::Source& source, model::Trace* trace) override {
    return inner_->start(source, trace);
  }
  Tensor step(const Tensor& tokens, model::State& state, model::Trace* trace) override {
    return inner_->step(tokens, state, trace);
  }
  int64_t longest() const override { return inner_->longest(); }
  model::StateSize state_size() const override { return inner_->state_size(); }
  bool attends() const override { return inner_->attends(); }

 private:
  model::ModelPtr inner_;
  std::unique_ptr<Network> network_;
};

/// `model`, whose weights must not change from now on, with its network; null where it is not on a
/// CPU in fp32, or has_network() is false.
std::shared_ptr<Engine> make_engine(const model::ModelPtr& model, WeightFormat numbers);

/// LibTorch's, of which those that are already at work have none to lend.
const Threads& libtorch_threads();

/// The source of a batch, whose tensors must stay, for Network::start().
SourceBatch source_batch(const model::Source& source);

}  // namespace heed::engine
