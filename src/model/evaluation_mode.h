// Models that do not train for a while.
#pragma once

#include <vector>

#include "model/model.h"

namespace heed::model {

/// Evaluation mode while one lives; models that were training train again afterwards.
class EvaluationMode {
 public:
  explicit EvaluationMode(const std::vector<Model*>& models) {
    for (Model* one : models) {
      if (!one->is_training()) continue;
      training_.push_back(one);
      one->eval();
    }
  }
  ~EvaluationMode() {
    for (Model* one : training_) one->train();
  }
  EvaluationMode(const EvaluationMode&) = delete;
  EvaluationMode& operator=(const EvaluationMode&) = delete;

 private:
  std::vector<Model*> training_;
};

}  // namespace heed::model
