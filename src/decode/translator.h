// A translator of lines by models of LibTorch or by their engines, on any device. It also scores
// pairs.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "config/attention_kind.h"
#include "decode/search/batches.h"
#include "decode/search/config.h"
#include "decode/search/encoded_lines.h"
#include "decode/search/line_translator.h"
#include "decode/search/search.h"
#include "engine/matrix.h"
#include "engine/network.h"
#include "engine/weights.h"
#include "model/pointer.h"

namespace heed::data {
struct Batch;  // data/batch.h
}  // namespace heed::data

namespace heed::decode {

/// Returns the weights of a model. Weights on a CPU in fp32 are not copied.
engine::Weights weights_of(const model::Model& model);

/// Returns an engine with the weights of `model`, which must not change from now on; null where
/// they are not in fp32, or engine::has_network() is false.
std::unique_ptr<engine::Network> network_of(const model::Model& model,
                                            engine::WeightFormat numbers);

/// The memory and numbers that bound a batch of a search.
struct SearchRoom {
  at::Device device;
  at::ScalarType precision;
  int64_t vocabulary = 0;  // of the target
  int64_t free = 0;  // free bytes of the device's memory; used on a GPU if decoding.batch_size is 0
};

/// Returns the bounds of a batch of a search: decoding.batch_size sentences, or, where that is 0 on
/// a GPU, as many as fit in its memory if translations are about as long as their sources. Its
/// `tokens` count source pieces.
BatchLimits search_limits(const std::vector<model::Model*>& models, const DecodeConfig& config,
                          const SearchRoom& room);

/// Returns the bounds of a batch whose targets are scored. Its `tokens` count target pieces.
BatchLimits score_limits(const DecodeConfig& config, const at::Device& device);

class RecordedSteps;

/// One member of an ensemble. All members have the same target vocabulary.
struct TranslatorModel {
  model::ModelPtr model;
  MemberText text;
};

/// Throws UserError if the device cannot compute with decoding.weights.
void require_weights(const DecodeConfig& config, const at::Device& device);

class Translator : public LineTranslator {
 public:
  /// Moves the models to `device`. On a CPU their engines translate, if all have one
  /// (engine/network.h); then the weights must not change while this object lives.
  /// `decoding.weights: bf16` overrides `precision`, on a CPU auto_bf16 and auto_fp32 do, too.
  /// Throws UserError as require_weights() and LineTranslator do, if a model has no int8 or no
  /// engine for a shortlist, and if there is a coverage_penalty and the first model does not
  /// attend.
  Translator(std::vector<TranslatorModel> members, DecodeConfig config, at::Device device,
             at::ScalarType precision);

  const engine::Network* network() const override {
    return networks_.empty() ? nullptr : networks_.front().get();
  }
  void with_steps(const std::vector<data::Batch>& sources, const SearchOptions& options,
                  const std::function<void(Steps&)>& work) const override;
  /// The model of LibTorch reads the pairs, even where engines translate.
  engine::LayerMaps attention_of(const data::Batch& pairs,
                                 const std::vector<config::AttentionKind>& kinds) const override;
  void divide_batches(int64_t batches,
                      const std::function<void(int64_t batch)>& work) const override;

  /// log P(target | source) of a pair: the sum over pieces and eos, and the value of each token,
  /// which is 0 for the target vocabulary's beginning().
  struct TargetScore {
    double log_probability = 0;
    std::vector<float> tokens;  // [pieces + eos]
  };
  /// Returns the score of each pair. Throws UserError when the counts differ or a line is longer
  /// than pair_limit(), Failure when a log-probability is not a number or infinite.
  std::vector<TargetScore> score(const std::vector<std::string>& sources,
                                 const std::vector<std::string>& targets) const;

  const TranslatorModel& first() const { return members_.front(); }
  const at::Device& device() const { return device_; }
  /// Returns the graphs of the search's steps; nullptr where there are none.
  const RecordedSteps* recorded() const { return recorded_.get(); }
  at::ScalarType precision() const { return precision_; }
  int64_t longest() const override;

 private:
  std::vector<model::Model*> models() const;
  void make_engines();
  BatchLimits limits(const DecodeConfig& config) const override;

  std::vector<TranslatorModel> members_;
  at::Device device_;
  at::ScalarType precision_;
  /// The engine of each member, on a CPU where all have one; else empty.
  std::vector<std::shared_ptr<const engine::Network>> networks_;
  int64_t free_memory_ = 0;  // of a GPU, in bytes; set only where a batch is as large as fits
  std::shared_ptr<RecordedSteps> recorded_;  // or nullptr
};

}  // namespace heed::decode
