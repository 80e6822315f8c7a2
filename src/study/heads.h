// Measures of each attention head: how sharp it is, how far it looks, and which role the position
// with its largest weight plays (after Clark et al. 2019, "What does BERT look at?", and Voita et
// al. 2019, "Analyzing multi-head self-attention").
//
// A row is one query. Rows of `</s>` and rows that can look at one position only are left out. The
// position with the largest weight is the strongest one; between equal weights it is the first.
// The edge of a sentence is `</s>`; in the decoder, which reads what it has written so far, `<s>`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "score/bleu_statistics.h"
#include "study/alignment.h"
#include "study/attention_matrix.h"
#include "study/pronouns.h"

namespace heed::study {

/// The roles of a strongest position, each counted over the rows that have one:
///   previous, next  self: the position before or after the row's own. Cross: a gold link of the
///                   target word before or after, which is none of the row's own
///   same_place      self: the row's own position (decoder: the token it has just read). Cross: the
///                   diagonal, the position at the same share of the sentence
///   same_word       another position (cross: any) with the same token
///   separator       the edge, punctuation, or one of the words given as separators
///   aligned         cross: a gold link of the row's word
///   antecedent      what a pronoun stands for, the pronoun's own source position left aside.
///   Encoder:
///                   row of the pronoun; cross: of its translation; decoder: of the step that emits
///                   the translation, the antecedent's own translation counts
enum class Role { previous, next, same_place, same_word, separator, aligned, antecedent };
inline constexpr auto kRoles = static_cast<std::size_t>(Role::antecedent) + 1;

/// "previous", ..., "diagonal" for same_place in cross-attention.
std::string role_name(Role role, AttentionKind kind);

/// Larger distances are counted as this one.
inline constexpr int64_t kReach = 4;

/// The mean of numbers of which each row has one.
struct RowMean {
  double sum = 0;
  std::size_t rows = 0;

  void add(double number) {
    sum += number;
    ++rows;
  }
  double value() const { return rows == 0 ? 0 : sum / static_cast<double>(rows); }
};

struct HeadMeasures {
  AttentionKind kind = AttentionKind::cross;
  int64_t layer = 0, head = 0;

  RowMean entropy = {};  // nats
  // Entropy as a share of its maximum, the log of the number of positions that the row can look at.
  RowMean entropy_share = {};
  RowMean edge_mass = {};  // weight on the edge
  // Share of the positions that a row can look at that have a weight of exactly 0.
  RowMean zero_share = {};
  // Over rows with weight inside of the sentence, which is scaled to 1: position minus the row's
  // own (cross: its diagonal one), the same without sign, and the weight at -kReach..kReach.
  RowMean offset = {}, distance = {};
  std::array<RowMean, 2 * kReach + 1> profile = {};
  std::array<score::Proportion, kRoles> roles = {};

  std::size_t rows() const { return entropy.rows; }
  const score::Proportion& role(Role role) const { return roles[static_cast<std::size_t>(role)]; }
  score::Proportion& role(Role role) { return roles[static_cast<std::size_t>(role)]; }

  /// Returns the roles of at least `least` rows with a share of at least `threshold`, the largest
  /// share first.
  std::vector<Role> named(double threshold, std::size_t least) const;

  /// Adds the rows of a matrix to all measures but the roles aligned, antecedent and, of
  /// cross-attention, previous and next. `separators` are words without the mark of a word start.
  void add(const AttentionMatrix& matrix, const std::set<std::string>& separators);
  /// Adds cross-attention by words to the roles aligned, previous and next.
  void add_links(const AttentionMatrix& words, const GoldAlignment& gold);
  /// Adds attention of any kind by words to the role antecedent. For the decoder's it needs `gold`;
  /// with nullptr nothing is counted. Throws UserError, beginning with `where`, for a position
  /// outside the sentence.
  void add_antecedents(const AttentionMatrix& words, std::span<const Antecedent> antecedents,
                       const GoldAlignment* gold, const std::string& where);
};

struct HeadOptions {
  std::set<std::string> separators;  // words besides punctuation
  bool words = false;                // measure words instead of pieces
  double threshold = 0.5;            // least share of rows that names a role
  std::size_t least = 20;            // and least number of rows
};

/// Gold annotations of one sentence; nullptr where there are none.
struct HeadGold {
  const GoldAlignment* links = nullptr;
  const std::vector<Antecedent>* antecedents = nullptr;
};

class HeadReport {
 public:
  explicit HeadReport(HeadOptions options) : options_(std::move(options)) {}

  /// Adds the matrices of one sentence, by pieces, one for each head. `where` begins the message of
  /// the UserError that gold which does not fit the sentence throws.
  void add(const std::vector<AttentionMatrix>& matrices, const HeadGold& gold,
           const std::string& where);

  /// Returns the heads in the order in which they were added.
  const std::vector<HeadMeasures>& heads() const { return heads_; }
  const HeadOptions& options() const { return options_; }
  int64_t sentences() const { return sentences_; }

 private:
  HeadOptions options_;
  std::vector<HeadMeasures> heads_;
  int64_t sentences_ = 0;
};

/// Returns two tables per kind, to be read: how each head spreads its weight, and its roles.
std::string heads_table(const HeadReport& report);
/// One line per head: kind,layer,head,rows,entropy,..., the distance profile, the roles' shares
/// (empty where no row could have it) and, last, the roles named.
std::string heads_csv(const HeadReport& report);
std::string heads_json(const HeadReport& report);

}  // namespace heed::study
