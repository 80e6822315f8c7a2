// What a search needs of the models: steps of all hypotheses of a batch, whatever computes them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decode/search/candidates.h"
#include "engine/threads.h"

namespace heed::decode {

/// The piece that all hypotheses of a sentence go on with: nothing else may come.
struct ForcedPiece {
  int64_t sentence, piece;
};

/// A piece that must not come.
struct ForbiddenPiece {
  int64_t row, piece;
};

/// One step of `width` hypotheses of each sentence. Rows are [sentences, width].
struct StepRequest {
  std::span<const int64_t> tokens;  // the last piece of each row
  int64_t width = 1;
  // Of the step before: the sentences that go on, none: all; the row that each row goes on with,
  // none: the same.
  std::span<const int64_t> sentences, hypotheses;

  bool may_end = true;  // or eos is forbidden
  std::span<const ForbiddenPiece> forbidden;
  std::span<const ForcedPiece> forced;
  int64_t candidates = 0;  // of each row, the best; 0: all, by their ids
};

struct StepResult {
  Candidates candidates;
  std::vector<float> attention;  // [rows, source], where it is wanted and there is any
};

/// The steps of one batch, whose sources were encoded when this was made. Several models are an
/// ensemble: their probabilities are averaged. It knows the pieces that never come.
class Steps {
 public:
  virtual ~Steps() = default;

  /// Before the first step: there are so many at most, each with `width` hypotheses of a sentence
  /// at most. Returns how many each must have.
  virtual int64_t begin(int64_t /*width*/, int64_t /*steps*/) { return 1; }
  /// Throws Failure where a score is not a number.
  virtual StepResult step(const StepRequest& request) = 0;

  /// Whether so many of the sentences are worth leaving out once they are done.
  virtual bool is_worth_leaving(int64_t /*done*/, int64_t /*sentences*/) const { return true; }
  virtual const engine::Threads& threads() const = 0;
};

}  // namespace heed::decode
