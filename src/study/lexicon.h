// Probabilities that one piece translates another, learned from a parallel corpus: IBM Model 1
// (Brown et al. 1993, section 4.1).
#pragma once

#include <cstdint>
#include <vector>

namespace heed::study {

using Ids = std::vector<int32_t>;

/// p(t | s) of pairs sources[i], targets[i]. Each round of EM divides every target piece among
/// the pieces of its source by p(t | s), and makes p of what each got:
///   c(t | s) = sum over pairs and their t, s of p(t | s) / sum_s' p(t | s'), p = c / sum_t c.
/// The first p are equal.
class Lexicon {
 public:
  /// Source pieces are 0 to `pieces` - 1.
  Lexicon(const std::vector<Ids>& sources, const std::vector<Ids>& targets, int64_t pieces,
          int64_t rounds = 5);

  /// Returns for each source piece the `best` targets t with the highest p(t | s), best first, of
  /// equal ones the lower id; fewer where the piece occurs in pairs with fewer.
  std::vector<Ids> likeliest(int64_t best) const;

  /// Returns the mean over the target of -log of the mean p(t | s) over the source, but at most
  /// kMostNats for each t; 0 where a side is empty.
  double nats(const Ids& source, const Ids& target) const;
  static constexpr double kMostNats = 12;

 private:
  int64_t index_of(int32_t source, int32_t target) const;

  // The index in targets_ at which the targets of each source piece begin, and the end.
  std::vector<int64_t> begin_;
  Ids targets_;                 // those in the pairs of each source piece, ascending
  std::vector<double> shares_;  // p(t | s)
};

}  // namespace heed::study
