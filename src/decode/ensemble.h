// One or several models stepped as one: the average of their probabilities.
#pragma once

#include <cstdint>
#include <vector>

#include "model/model.h"

namespace heed::decode {

/// Eval mode for the lifetime of this object; models that were training train again afterwards.
class EvalMode {
 public:
  explicit EvalMode(const std::vector<model::Model*>& models);
  ~EvalMode();
  EvalMode(const EvalMode&) = delete;
  EvalMode& operator=(const EvalMode&) = delete;

 private:
  std::vector<model::Model*> training_;
};

/// log of the mean of probabilities. `logits`: one [..., vocab] per model, unnormalised. Returns
/// fp32 log-probabilities.
model::Tensor mixed_log_probabilities(const std::vector<model::Tensor>& logits);

class Ensemble {
 public:
  struct Output {
    model::Tensor log_probs;  // [sentences, beam, vocab] fp32, on the models' device
    model::Tensor attention;  // [sentences, beam, source] fp32 on the CPU, or undefined
  };

  /// Encodes. `keep_attention`: each step returns the first model's, where it has any.
  Ensemble(const std::vector<model::Model*>& models, const std::vector<model::Source>& sources,
           bool keep_attention);

  /// `tokens`: [sentences, beam] int64. Throws Failure when a score is not a number.
  Output step(const model::Tensor& tokens);
  void keep(const model::Tensor& sentences);
  void reorder(const model::Tensor& parents);

 private:
  std::vector<model::Model*> models_;
  std::vector<model::State> states_;
  bool keep_attention_;
};

}  // namespace heed::decode
