// Batched beam search, greedy search and sampling over any Steps.
//
// One step for all sentences of a batch: log-probabilities in fp32, then the best continuations of
// each hypothesis, then per sentence the best of these. A continuation by eos finishes its
// hypothesis if it ranks among the first beam_size; the best beam_size others go on. Equal scores:
// the earlier hypothesis, then the lower piece id.
//
// pad, bos and what is forbidden are never emitted, eos not before min_length pieces, unk may be.
// What is forbidden is not renormalised away: scores stay the model's own log-probabilities.
//
// A sentence stops
//  - when no live hypothesis can reach the n_best-th finished one, whatever it adds: its score
//  cannot exceed its log-probability
//    divided by the length penalty at the length limit (exact for every penalty, and the only rule
//    for `none`), or
//  - for average, power and gnmt, when beam_size hypotheses have finished: the exact bound is too
//  far away to be
//    waited for, and later ones win rarely, or
//  - at ceil(max_length_ratio * source pieces) + 10 steps, or as many as min_length needs, but
//  never more than the model can take. Finished hypotheses are then
//    returned first; live ones only fill up what n_best lacks, marked `cut`.
//
// The beam of a sentence with terms is shared out by allocate(). Hypotheses that lack the fewest
// terms are returned first, and only with all terms they count as finished.
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

// What a search needs of the models: steps of all hypotheses of a batch, whatever computes them.

/// The piece that all hypotheses of a sentence go on with: nothing else may come.
struct ForcedPiece {
  int64_t sentence, piece;
};

/// A piece that may come after a row.
struct NextPiece {
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
  std::span<const NextPiece> forbidden;
  std::span<const ForcedPiece> forced;
  std::span<const NextPiece> wanted;  // their scores are told, be they among the best or not
  int64_t candidates = 0;             // of each row, the best; 0: all, by their ids
};

struct StepResult {
  Candidates candidates;
  std::vector<float> attention;    // [rows, source], where it is wanted and there is any
  std::vector<float> wanted = {};  // log-probability of each wanted piece, kNever if it cannot come
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

struct Hypothesis {
  std::vector<int32_t> ids;    // pieces, without bos and eos
  double log_probability = 0;  // sum over pieces and eos
  double score = 0;            // after the length and coverage penalties: what ranks hypotheses
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
  /// One per sentence: its own random stream, so that neighbours do not matter. Empty: the row's
  /// number.
  std::vector<uint64_t> sampling_streams;
  /// One per sentence: the pieces that its hypotheses begin with, whatever is forbidden. They count
  /// in log-probabilities and not in the length limit. Empty: none has any.
  std::vector<std::vector<int32_t>> prefixes;
  /// The first pieces of all prefixes are given as the source is: their log-probability is 0.
  int64_t given = 0;
  /// One per sentence: the only pieces that have a score. Empty: all have. For engines alone.
  std::vector<engine::PieceList> lists;
  /// One per sentence: what its translations must have; and what TermAutomaton needs. Empty: no
  /// sentence has terms. Not for sampling, nor for a beam of 1.
  std::vector<std::vector<TermPieces>> terms;
  std::span<const char> inside_words;
  /// What a reader sees of pieces. Where it is given, the best of the hypotheses with one text is
  /// the only one of them. Several threads may call it.
  std::function<std::string(const std::vector<int32_t>&)> text;
  /// Pieces that no hypothesis has behind its prefix.
  std::vector<int64_t> never{text::kPad, text::kBegin};

  bool wants_attention() const { return keep_attention || config.coverage_penalty > 0; }
};

/// n_best hypotheses per sentence, best first (fewer only where the search space holds fewer).
/// `source_lengths`: one per sentence, in pieces with eos. `longest`: a translation that the models
/// can take, with eos. With sampling.top_k or top_p set, the n_best are independent draws, which
/// may coincide, and beam_size has no part. Throws Failure when a model's scores are not numbers.
std::vector<std::vector<Hypothesis>> search(Steps& steps, std::span<const int64_t> source_lengths,
                                            const SearchOptions& options, int64_t longest);

/// Most steps of a search, eos counted, for a source of so many pieces (eos not counted). There is
/// room for min_length.
int64_t length_limit(const DecodeConfig& config, int64_t source_pieces, int64_t model_longest);

}  // namespace heed::decode
