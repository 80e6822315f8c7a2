// One or several models stepped as one: the average of their probabilities.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "decode/candidates.h"
#include "decode/recorded_steps.h"
#include "engine/engine.h"
#include "model/device.h"
#include "model/model.h"

namespace heed::decode {

/// log of the mean of probabilities. `logits`: one [..., vocab] per model, unnormalised. Returns
/// fp32 log-probabilities.
Tensor mixed_log_probabilities(const std::vector<Tensor>& logits);

class Ensemble {
 public:
  struct Output {
    /// Of one row for each hypothesis, on the models' device. Its values may be written to; the
    /// next step does not read them.
    CandidateScores scores;
    std::optional<model::Download> attention;  // [sentences, beam, source] fp32, where it is wanted
  };

  /// Encodes. `keep_attention`: each step returns the first model's, where it has any.
  Ensemble(const std::vector<model::Model*>& models, const std::vector<model::Source>& sources,
           bool keep_attention);

  /// Before the first step: steps are those of `recorded`, which then outlives this object, each
  /// with `beam` hypotheses of a sentence. False where they are not, as RecordedSteps::start().
  bool record(RecordedSteps& recorded, int64_t beam, int64_t limit);

  /// `tokens`: [sentences, beam] int64. Throws Failure on the CPU when a score is not a number;
  /// elsewhere best_candidates() does.
  Output step(const Tensor& tokens);
  /// As model::go_on_with: [kept] sentences (undefined: all) and [kept, beam] hypotheses.
  void go_on_with(const Tensor& sentences, const Tensor& hypotheses);

 private:
  /// One model on its way: the engine, or Model::step.
  struct Stepped {
    model::Model* model;
    model::State state;
    std::unique_ptr<engine::BatchDecoder> engine;
  };

  /// Logits [sentences * beam, vocab]. `attention`, if not null, receives [sentences, beam,
  /// source].
  static Tensor step(Stepped& member, const Tensor& tokens, Tensor* attention);

  std::vector<Stepped> members_;
  bool keep_attention_;
  RecordedSteps* recorded_ = nullptr;
};

}  // namespace heed::decode
