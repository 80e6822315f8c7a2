// The hypotheses of one sentence, live and finished, as a tree on the host.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/random.h"
#include "decode/search/candidates.h"
#include "decode/search/config.h"
#include "decode/search/constraints.h"
#include "decode/search/search.h"

namespace heed::decode {

class Scorer {
 public:
  explicit Scorer(const DecodeConfig& config)
      : penalty_(config.length_penalty),
        alpha_(config.length_penalty == LengthPenalty::average ? 1 : config.alpha),
        beta_(config.coverage_penalty),
        each_(config.word_penalty) {}

  /// `length` counts pieces and, where there is one, eos; >= 1. `coverage` is the result of
  /// coverage() or 0.
  double score(double log_probability, int64_t length, double coverage) const {
    return penalised(log_probability, static_cast<double>(std::max<int64_t>(length, 1))) + coverage;
  }

  /// Returns the best score that a hypothesis of this log-probability can still reach with a length
  /// from `shortest` to `longest`. Log-probabilities only fall and coverage is at most 0. Without
  /// word_penalty a longer length only raises a score, which is not positive. With it the score of
  /// a length n is (l - w n) / (n + k)^a times a constant, whose slope changes its sign once, where
  /// a l + w k + (1 - a) w n = 0: the best length is that one or an end.
  double bound(double log_probability, int64_t shortest, int64_t longest) const {
    const auto first = static_cast<double>(shortest), last = static_cast<double>(longest);
    const double at_last = penalised(log_probability, last);
    if (each_ == 0) return at_last;
    const double ends = std::max(penalised(log_probability, first), at_last);
    const double exponent = penalty_ == LengthPenalty::none ? 0 : alpha_;
    const double shift = penalty_ == LengthPenalty::gnmt ? kGnmtShift : 0;
    const double slope = (1 - exponent) * each_;
    if (slope <= 0) return ends;
    const double turn = -(exponent * log_probability + each_ * shift) / slope;
    return turn > first && turn < last ? std::max(ends, penalised(log_probability, turn)) : ends;
  }

  /// Returns beta * sum_i log(min(sum_t a(t,i), 1)) over the source pieces i, without eos (Wu et
  /// al. 2016, eq. 14). `attended` is the attention that each piece received. A piece that received
  /// none at all (outside of a local window) counts as 1e-6.
  double coverage(const std::vector<double>& attended) const {
    constexpr double kLeastAttended = 1e-6;
    double sum = 0;
    for (const double mass : attended) sum += std::log(std::clamp(mass, kLeastAttended, 1.0));
    return beta_ * sum;
  }

  bool wants_coverage() const { return beta_ > 0; }
  /// Whether bound() is tight enough to be the only stop rule.
  bool exact() const { return penalty_ == LengthPenalty::none && each_ >= 0; }

 private:
  static constexpr double kGnmtShift = 5;

  double penalised(double log_probability, double length) const {
    return (log_probability - each_ * length) / divisor(length);
  }
  double divisor(double length) const {
    switch (penalty_) {
      case LengthPenalty::none:
        return 1;
      case LengthPenalty::average:
        return length;
      case LengthPenalty::power:
        return std::pow(length, alpha_);
      case LengthPenalty::gnmt:
        return std::pow((kGnmtShift + length) / (kGnmtShift + 1), alpha_);
    }
    return 1;
  }

  LengthPenalty penalty_;
  double alpha_, beta_, each_;
};

class Beam {
 public:
  struct Live {
    int32_t node = -1;   // the tree node of its last piece; -1: it has no piece yet
    int32_t slot = 0;    // where the hypothesis that it continues was in live() at the step before
    int32_t token = 0;   // its last piece
    int32_t sample = 0;  // which draw it is, when sampling
    double log_probability = 0;
    TermAutomaton::StatePtr terms = nullptr;  // null: the sentence has none
  };

  /// `limit` is the largest number of steps, eos counted; `pieces` is the length of the source,
  /// without eos. `stream` is the sentence's random stream (sampling_stream()). `terms` are those
  /// that its hypotheses must have; empty: none. `options` must outlive this object.
  Beam(const SearchOptions& options, int64_t pieces, int64_t limit, uint64_t stream,
       const std::vector<TermPieces>& terms = {});

  const std::vector<Live>& live() const { return live_; }
  bool done() const { return live_.empty(); }

  /// Takes the attention of this step: one row per live hypothesis, of a number for each source
  /// piece and eos; the rows begin `stride` floats apart. It is called before advance().
  void attend(const float* rows, int64_t stride);

  /// Returns the pieces that bring live hypothesis `slot` nearer to a term that it lacks.
  std::span<const int32_t> required(std::size_t slot) const {
    if (!terms_) return {};
    return live_[slot].terms->required;
  }

  /// Takes one step, by search or by sampling. The rows of the live hypotheses in `candidates`
  /// start at `first_row`. `required` has the log-probabilities of the pieces of required(), one
  /// slot after another.
  void advance(const Candidates& candidates, int64_t first_row,
               std::span<const float> required = {});

  /// Returns the pieces that would repeat an n-gram of `ngram` pieces after live hypothesis `slot`.
  std::vector<int32_t> repeating(std::size_t slot, int64_t ngram) const;

  /// Returns the n_best hypotheses, best first.
  std::vector<Hypothesis> best() const;

 private:
  struct TreePiece {
    int32_t parent, token;
    float log_probability;
    int32_t slot;  // the row of the step's attention that belongs to it
  };
  struct FinishedHypothesis {
    int32_t node;
    double log_probability, score;
    bool cut;
    int64_t missing;   // terms that it lacks
    std::string text;  // only where hypotheses of equal text are left out
  };

  /// Returns what a piece of this step adds to a log-probability: 0 where the piece was given.
  float counted(float log_probability) const {
    return steps_ < options_->fixed_prefix ? 0 : log_probability;
  }
  std::vector<Live> search(const Candidates& candidates, int64_t first_row,
                           std::span<const float> required);
  void choose_by_terms(std::vector<Continuation>& choices, std::span<const float> required);
  std::vector<Live> sample(const Candidates& candidates, int64_t first_row);
  Live grow(const Continuation& choice, int32_t sample);
  void finish(const Live& hypothesis, bool cut);
  static int64_t missing(const Live& one) { return one.terms ? one.terms->lacking.missing : 0; }
  int64_t obedient() const {  // finished ones with all terms
    return std::ranges::count(finished_, 0, &FinishedHypothesis::missing);
  }
  bool may_stop(const std::vector<Live>& next) const;
  std::vector<int32_t> path(int32_t node) const;       // nodes, first to last
  std::vector<int32_t> pieces_to(int32_t node) const;  // without eos
  double coverage(int32_t node) const;
  const float* attention_row(int64_t step, int32_t slot) const;
  Hypothesis build(const FinishedHypothesis& finished) const;

  const SearchOptions* options_;
  const DecodeConfig* config_;
  Scorer scorer_;
  int64_t pieces_, limit_, steps_ = 0;
  std::vector<TreePiece> nodes_;
  std::vector<Live> live_;
  std::vector<FinishedHypothesis>
      finished_;  // fewest missing terms first, whole before cut, best first, first finished
  std::vector<Random> random_;                 // one per draw
  std::vector<std::vector<float>> attention_;  // per step: [live, pieces + 1]
  std::optional<TermAutomaton> terms_;
};

}  // namespace heed::decode
