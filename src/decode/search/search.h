// Batched beam search, greedy search and sampling over any Steps.
//
// One step for all sentences of a batch: log-probabilities in fp32, then the best continuations of
// each hypothesis, then per sentence the best of these. A continuation by eos finishes its
// hypothesis if it ranks among the first beam_size; the best beam_size others go on. Of equal
// scores the earlier hypothesis comes first, then the lower piece id.
//
// pad, bos and forbidden pieces are never emitted, eos not before min_length pieces; unk may be.
// The probabilities of the other pieces are not renormalised: scores stay the model's own
// log-probabilities.
//
// The search of a sentence stops
//  - when no live hypothesis can become better than the n_best-th finished one, whatever it adds:
//    the score of a hypothesis cannot exceed its present log-probability, less word_penalty for
//    each piece, divided by the length penalty, at the best length up to the limit (exact for every
//    penalty, and the only rule for `none` without a word_penalty below 0); or
//  - for average, power and gnmt, when beam_size hypotheses have finished: that bound is too far
//    away to wait for, and later hypotheses win rarely; or
//  - at ceil(max_length_ratio * source pieces + max_length_extra) steps, or as many as min_length
//    needs, but never more than the model can take. Finished hypotheses are then returned first;
//    live ones only fill up what n_best lacks, marked `cut`.
//
// allocate() divides the beam of a sentence with terms. Hypotheses that lack the fewest terms are
// returned first, and only those with all terms count as finished.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "decode/search/candidates.h"
#include "decode/search/config.h"
#include "decode/search/constraints.h"
#include "engine/output_product.h"
#include "engine/threads.h"
#include "text/vocabulary.h"

namespace heed::decode {

// The interface between a search and its models: steps of all hypotheses of a batch, whatever
// computes them.

/// The only piece by which all hypotheses of a sentence may continue.
struct ForcedPiece {
  int64_t sentence, piece;
};

/// A piece that may come after a row.
struct NextPiece {
  int64_t row, piece;
};

/// A step of `width` hypotheses of each sentence. Rows are [sentences, width].
struct StepRequest {
  std::span<const int64_t> tokens;  // the last piece of each row
  int64_t width = 1;
  // Indices of the step before: the sentences that continue (empty: all), and the row that each row
  // continues (empty: the same row).
  std::span<const int64_t> sentences, hypotheses;

  bool may_end = true;  // false: eos is forbidden
  std::span<const NextPiece> forbidden;
  std::span<const ForcedPiece> forced;
  // Pieces whose scores are returned even if they are not among the best.
  std::span<const NextPiece> required;
  int64_t candidates = 0;  // how many of the best of each row are returned; 0: all, by their ids
};

struct StepResult {
  Candidates candidates;
  std::vector<float> attention;  // [rows, source], where the search needs it and the model has it
  // The log-probability of each required piece; kNever: it is forbidden.
  std::vector<float> required = {};
};

/// The steps of one batch, whose sources were encoded when the object was made. Several models are
/// an ensemble: their probabilities are averaged. It never returns the pieces of
/// SearchOptions::never.
class Steps {
 public:
  virtual ~Steps() = default;

  /// Called before the first step. There will be at most `steps`, each with at most `width`
  /// hypotheses of a sentence. Returns the least number of hypotheses of a sentence that each step
  /// must have.
  virtual int64_t begin(int64_t /*width*/, int64_t /*steps*/) { return 1; }
  /// Throws Failure where a score is not a number.
  virtual StepResult step(const StepRequest& request) = 0;

  /// Whether it is worth leaving sentences out when `done` of them are done.
  virtual bool is_worth_leaving(int64_t /*done*/, int64_t /*sentences*/) const { return true; }
  virtual const engine::Threads& threads() const = 0;
};

struct Hypothesis {
  std::vector<int32_t> ids;    // pieces, without bos and eos
  double log_probability = 0;  // sum over pieces and eos
  /// log_probability with the penalties for words, length and coverage. Hypotheses are ranked by
  /// it.
  double score = 0;
  std::vector<float> token_log_probabilities;  // [ids + eos]; without eos where cut
  /// Cross-attention row of each emitted token (eos included) over the source (eos included): the
  /// last attending layer, mean of its heads. Empty unless asked for, and for models without
  /// attention. Ensembles: the first model's.
  std::vector<std::vector<float>> attention;
  bool cut = false;     // reached the length limit without eos
  int64_t missing = 0;  // terms of SearchOptions that it does not have
};

struct SearchOptions {
  DecodeConfig config;
  bool keep_attention = false;
  /// One per sentence: its random stream, so that its samples do not depend on the other sentences.
  /// Empty: its number in the batch.
  std::vector<uint64_t> sampling_streams;
  /// One per sentence: the pieces that its hypotheses begin with, whatever is forbidden. They count
  /// in log-probabilities and not in the length limit. Empty: none has any.
  std::vector<std::vector<int32_t>> prefixes;
  /// Number of first pieces of all prefixes that are given like the source: their log-probability
  /// is 0.
  int64_t fixed_prefix = 0;
  /// One per sentence: the only pieces that have a score. Empty: all have. For engines alone.
  std::vector<engine::PieceList> lists;
  /// One per sentence: the terms that its translations must have. Empty: no sentence has terms.
  /// Terms work neither with sampling nor with a beam of 1. `inside_words` and `before_more` are
  /// those of TermAutomaton.
  std::vector<std::vector<TermPieces>> terms;
  std::span<const char> inside_words, before_more;
  /// Returns the text of pieces. If it is given, only the best of all hypotheses with the same text
  /// is kept. Several threads may call it.
  std::function<std::string(const std::vector<int32_t>&)> text;
  /// Pieces that no hypothesis has after its prefix.
  std::vector<int64_t> never{text::kPad, text::kBegin};
  /// Called before each step: once it returns true, the search ends, and no sentence has
  /// hypotheses.
  std::function<bool()> interrupted = {};

  bool wants_attention() const { return keep_attention || config.coverage_penalty > 0; }
};

/// Returns n_best hypotheses per sentence, best first (fewer only where the search space holds
/// fewer). `source_lengths` has one length per sentence, in pieces with eos. `longest` is the
/// longest translation that the models can take, with eos. With sampling.top_k or top_p set, the
/// n_best are independent draws, which may coincide, and beam_size has no effect. Throws Failure
/// when a model's scores are not numbers.
std::vector<std::vector<Hypothesis>> search(Steps& steps, std::span<const int64_t> source_lengths,
                                            const SearchOptions& options, int64_t longest);

/// Returns the largest number of steps of a search, eos counted, for a source of so many pieces
/// (eos not counted). It allows min_length pieces.
int64_t length_limit(const DecodeConfig& config, int64_t source_pieces, int64_t model_longest);

}  // namespace heed::decode
