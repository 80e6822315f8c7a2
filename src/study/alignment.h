// Word alignments in the Pharaoh format, from attention weights, and their error rate (Och and Ney
// 2003).
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "study/attention_matrix.h"

namespace heed::study {

/// Source and target positions, from 0.
struct Link {
  std::size_t source = 0, target = 0;
  auto operator<=>(const Link&) const = default;
};
using Alignment = std::set<Link>;

struct GoldAlignment {
  Alignment sure;
  Alignment possible;  // holds every sure link, too
};

/// Reads one line: `i-j` is a link, `i?j` or `ipj` one that is only possible. An empty line is an
/// empty alignment. The number of the first word is `first`, 0 or 1. `where` ("gold.align:12")
/// begins the message of the UserError that a malformed link throws.
GoldAlignment parse_pharaoh(std::string_view line, const std::string& where, std::size_t first = 0);

/// Returns the alignment as `0-0 1-2`, ordered by source position, then by target position.
std::string pharaoh(const Alignment& alignment);

/// Each row's largest weight is a link, if it is at least `least`; `</s>` on either side links
/// nothing, and a row that looks at `</s>` most is left unlinked. Between equal weights the first
/// wins.
Alignment hard_alignment(const AttentionMatrix& matrix, double least = 0);

/// Returns the alignment of a monotone guess: target word j is linked to the source word at the
/// same relative position in its sentence.
Alignment diagonal(std::size_t source_words, std::size_t target_words);

/// Counts of links, added up over the sentences of a corpus.
struct AlignmentError {
  std::size_t links = 0, sure = 0, links_in_sure = 0, links_in_possible = 0;

  void add(const Alignment& guess, const GoldAlignment& gold);
  /// AER = 1 - (|A&S| + |A&P|) / (|A| + |S|); 0 where there is nothing to link.
  double rate() const;
  double precision() const;  // |A&P| / |A|
  double recall() const;     // |A&S| / |S|
};

/// Returns the alignment with source and target of every link exchanged.
Alignment reversed(const Alignment& alignment);
GoldAlignment reversed(const GoldAlignment& gold);

enum class Symmetrization { intersection, union_, grow_diag_final_and };

/// `forward` links each target word to a source word, `backward` each source word to a target word;
/// both as source-target. grow_diag_final_and (Koehn, Och and Marcu 2003; as Moses does it): it
/// begins with the intersection and adds links of the union that touch one of it, also diagonally,
/// and whose source or target word has no link yet; then links of either alignment whose two words
/// have none.
Alignment symmetrize(const Alignment& forward, const Alignment& backward, Symmetrization method);

// A comparison of the weights by the word alignment that they make: every layer, every head and
// their mean, taken from the step that emits a word or from the one that reads it.

/// Row t of a cross-attention matrix is the step that emits target piece t: it knows the pieces
/// before. `reads` takes the step after it, which has piece t as its input, instead (Chen et al.
/// 2020, "Accurate word alignment induction from neural machine translation").
struct AlignmentChoice {
  int64_t layer = 0;
  int64_t head = -1;  // -1: the mean over heads
  bool reads = false;
  auto operator<=>(const AlignmentChoice&) const = default;
};

/// Returns "layer 1, mean of heads, --aligned-step emits".
std::string describe(const AlignmentChoice& choice);

/// Returns the links of words by a matrix of pieces, whose last target piece is `</s>`. Rows are
/// moved if `reads`, pieces are merged to words, and each target word is linked to the source word
/// with its largest weight, if that is at least `least`.
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

  /// Adds one sentence: the cross-attention of every layer and head, by pieces. A sentence without
  /// any changes nothing. Throws UserError, beginning with `where`, if `gold` does not fit the
  /// sentence.
  void add(std::span<const AttentionMatrix> heads, const GoldAlignment& gold,
           const std::string& where);

  const std::map<AlignmentChoice, AlignmentError>& errors() const { return errors_; }
  const AlignmentError& diagonal() const { return diagonal_; }
  int64_t sentences() const { return sentences_; }
  /// Returns the choice with the lowest error rate; between equal ones the lower layer, the mean
  /// before heads, emitting before reading. Throws UserError where no sentence was added.
  AlignmentChoice best() const;

 private:
  void count(const AttentionMatrix& pieces, const GoldAlignment& gold);

  double least_;
  std::map<AlignmentChoice, AlignmentError> errors_;
  AlignmentError diagonal_;
  int64_t sentences_ = 0;
};

/// The error of an alignment that is not made by this model alone: by another model, or from both.
struct NamedError {
  std::string name;
  AlignmentError error;
};

/// Returns a table with one line per choice, the diagonal, and `others`, in per cent. A star marks
/// the alignment that was written: the last of `others`, or `chosen` where there are none.
std::string sweep_table(const AlignmentSweep& sweep, const AlignmentChoice& chosen,
                        const std::vector<NamedError>& others = {});

/// The same as a JSON object: sentences, chosen, choices, diagonal, others. Rates are 0..1.
std::string sweep_json(const AlignmentSweep& sweep, const AlignmentChoice& chosen,
                       const std::vector<NamedError>& others = {});

}  // namespace heed::study
