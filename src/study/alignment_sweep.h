// Which weights make the best word alignment: every layer, every head and their mean, taken from
// the step that emits a word or from the one that reads it.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "study/alignment.h"
#include "study/attention_matrix.h"

namespace heed::study {

/// Row t of a cross-attention matrix is the step that emits target piece t: it knows the pieces
/// before. `reads` takes the step after it, which has piece t as its input, instead (Chen et al.
/// 2020, "Accurate word alignment induction from neural machine translation").
struct AlignmentChoice {
  int64_t layer = 0;
  int64_t head = -1;  // -1: the mean over heads
  bool reads = false;
  auto operator<=>(const AlignmentChoice&) const = default;
};

/// "layer 1, mean of heads, the step that emits the word".
std::string describe(const AlignmentChoice& choice);

/// Pieces, `</s>` last on the target side, to linked words: rows moved if `reads`, pieces merged to
/// words, and each target word linked to the source word it looks at most, if that has a weight of
/// at least `least`.
Alignment word_alignment(const AttentionMatrix& pieces, bool reads, double least = 0);

/// Throws UserError, beginning with `where`, for a link outside a sentence of so many words. In the
/// message the first word has the number `first`.
void require_inside(const GoldAlignment& gold, std::size_t source_words, std::size_t target_words,
                    const std::string& where, std::size_t first = 0);

/// The alignment error rate of every choice over a corpus, and of the diagonal.
class AlignmentSweep {
 public:
  /// `least` as in word_alignment().
  explicit AlignmentSweep(double least = 0) : least_(least) {}

  /// One sentence: the cross-attention of every layer and head, by pieces. Nothing for a sentence
  /// without any. Throws UserError, beginning with `where`, if `gold` does not fit the sentence.
  void add(std::span<const AttentionMatrix> heads, const GoldAlignment& gold,
           const std::string& where);

  const std::map<AlignmentChoice, AlignmentError>& errors() const { return errors_; }
  const AlignmentError& diagonal() const { return diagonal_; }
  int64_t sentences() const { return sentences_; }
  /// The lowest error rate; between equal ones the lower layer, the mean before heads, emitting
  /// before reading. Throws UserError where no sentence was added.
  AlignmentChoice best() const;

 private:
  void count(const AttentionMatrix& pieces, const GoldAlignment& gold);

  double least_;
  std::map<AlignmentChoice, AlignmentError> errors_;
  AlignmentError diagonal_;
  int64_t sentences_ = 0;
};

/// An alignment that is none of the model's own: another model's, or one joined from both.
struct NamedError {
  std::string name;
  AlignmentError error;
};

/// One line per choice, the diagonal, and `others`. A star marks what was written: the last of
/// `others`, or `chosen` where there are none. Per cent.
std::string sweep_table(const AlignmentSweep& sweep, const AlignmentChoice& chosen,
                        const std::vector<NamedError>& others = {});

/// The same as a JSON object: sentences, chosen, choices, diagonal, others. Rates are 0..1.
std::string sweep_json(const AlignmentSweep& sweep, const AlignmentChoice& chosen,
                       const std::vector<NamedError>& others = {});

}  // namespace heed::study
