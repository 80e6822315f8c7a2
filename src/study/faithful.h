// Measures which pictures of attention may be believed (Jain and Wallace 2019; Wiegreffe and Pinter
// 2019): how far each head ranks the source words as other evidence does, how well it aligns, how
// sharp it is, and how far its weights may be exchanged without changing the output; and which
// heads a model needs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "score/bleu_statistics.h"
#include "study/alignment.h"
#include "study/attention_matrix.h"

namespace heed::study {

/// Returns Kendall's tau-b of two rankings of the same positions (Kendall 1945): the number of
/// pairs in the same order less those in the opposite order, over the square root of the number of
/// pairs that differ in `a` times those that differ in `b`. Returns nothing where all values of `a`
/// or of `b` are equal.
std::optional<double> kendall(std::span<const float> a, std::span<const float> b);

/// The mean over sentences, with an interval: the middle 95 % of the means of 1,000 resamples.
struct Mean {
  double value = 0;
  score::Interval interval;
};
std::optional<Mean> mean_of(const std::vector<double>& values);

/// Returns "0.41 (0.35 to 0.47)".
std::string mean_text(const Mean& mean, int digits);

/// The measurements of one head, or of one kind of evidence, which `kind` says.
struct FaithfulRow {
  AttentionKind kind = AttentionKind::cross;  // or rollout, saliency, integrated, erasure
  int64_t layer = 0, head = -1;
  // For each sentence where it is known, the mean over target pieces.
  std::vector<double> saliency, erasure;  // tau with the shares of saliency, of erasure
  std::vector<double> entropy;            // nats
  std::vector<double> moved;              // how far the output moves (PermutedHead)
  AlignmentError aligned;                 // with gold
};

/// How far the output's distribution moved when the weights of one head of cross-attention, or of
/// all heads of a layer (head -1), were exchanged at random: the mean over target pieces and draws
/// of the total variation distance between the distributions of the next piece, 1/2 sum |p - p'|: 0
/// to 1.
struct PermutedHead {
  int64_t layer = 0, head = 0;
  double moved = 0;
};

/// The data of one sentence, by pieces.
struct FaithfulSentence {
  std::span<const AttentionMatrix> attention;  // cross, every layer and head and their mean
  std::span<const AttentionMatrix> evidence;   // saliency and erasure, and any others; shares
  std::span<const PermutedHead> permuted;
  const GoldAlignment* gold = nullptr;
};

class FaithfulReport {
 public:
  /// Adds a sentence. `</s>` is left out on both sides. Throws UserError, beginning with `where`,
  /// if `gold` does not fit the sentence.
  void add(const FaithfulSentence& sentence, const std::string& where);

  /// Returns the rows of attention by layer and head, then those of the evidence.
  const std::vector<FaithfulRow>& rows() const { return rows_; }
  int64_t sentences() const { return sentences_; }
  bool has_gold() const { return has_gold_; }

 private:
  std::vector<FaithfulRow> rows_;
  int64_t sentences_ = 0;
  bool has_gold_ = false;
};

/// Return a table to be read, and CSV: a row for each head and each kind of evidence.
std::string faithful_table(const FaithfulReport& report);
std::string faithful_csv(const FaithfulReport& report);

/// A head moves the output if permuting its weights moves the distribution by so much on average
/// (total variation distance).
inline constexpr double kMoves = 0.05;

enum class Belief {
  believed,  // agrees with other evidence, and moves the output
  agrees,    // only agrees with other evidence
  moves,     // only moves the output
  neither,
  measure,  // saliency and erasure, with which the others are compared
};

/// One head, a mean of heads, or another kind of evidence.
struct Picture {
  FaithfulRow row;
  std::optional<Mean> saliency, erasure, entropy, moved;  // `moved` of attention alone
  Belief belief = Belief::neither;

  bool is_attention() const { return row.kind == AttentionKind::cross; }
  bool is_head() const { return is_attention() && row.head >= 0; }
};

struct Pictures {
  /// The most believable first, and saliency and erasure last. A layer with one head has no mean.
  std::vector<Picture> all;
  /// The tau of saliency with erasure. A picture agrees with other evidence if its tau with either
  /// is above 0 and, by their intervals, not below this one.
  std::optional<Mean> measure;
};

Pictures judge(const FaithfulReport& report);

// The loss of quality when heads are silenced (Michel et al. 2019; Voita et al. 2019): changes of
// loss and BLEU on the same sentences, with intervals.

/// One model, or the model with some heads silenced.
struct Trial {
  std::string name;
  std::vector<double> losses;               // -log p(reference) of each sentence
  std::vector<score::BleuStatistics> bleu;  // of each sentence; empty: not translated
};

struct Ablated {
  std::string name;
  Mean loss;  // change per target piece
  double bleu = 0;
  std::optional<score::Comparison> bleu_change;
};

/// Compares each of `silenced` with `whole`. `pieces` is the number of target pieces of all
/// sentences.
std::vector<Ablated> compare_trials(const Trial& whole, const std::vector<Trial>& silenced,
                                    double pieces);

/// Returns a table with one line each, `whole` first. A change for the worse is positive for the
/// loss, negative for BLEU.
std::string ablation_table(const Trial& whole, const std::vector<Ablated>& rows, double pieces);
std::string ablation_csv(const std::vector<Ablated>& rows);

}  // namespace heed::study
