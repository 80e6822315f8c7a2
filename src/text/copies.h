// Words of a translation that are words of its source: a translation of copied words is none, but
// near languages have many words in common.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heed::text {

/// The words in lower case, without the punctuation around them. Words without a letter are left
/// out.
std::vector<std::string> plain_words(std::string_view text);

/// How many words of the target are words of the source, each word of the source counting once.
int64_t copied_words(const std::vector<std::string>& source,
                     const std::vector<std::string>& target);

/// Which copied words are too many in a pair of languages.
struct CopyLimit {
  /// The share of the words of a translation that usually are words of its source: 0.08 from
  /// English to German, 0.43 from Danish to Norwegian. Up to kNear the languages count as distant.
  double usual = 0;
  /// Whether the limit is of so few pairs that it may be chance: short lines are then judged as
  /// those of distant languages.
  bool is_of_few = false;

  bool is_near() const { return usual > kNear; }
  /// Whether the words are copied: at least four, and more than 60 % of them. Between near
  /// languages more than 90 % have to be, of so many words that chance would not bring that about.
  bool is_copied(const std::vector<std::string>& source,
                 const std::vector<std::string>& target) const;
  /// Whether a line of so many words may be its own translation, as short ones of near languages
  /// are.
  bool may_be_equal(int64_t words) const;

  static constexpr double kNear = 0.2;
};

/// Learns a limit from pairs, a sample of which it keeps.
class CopyLearner {
 public:
  void learn(std::string_view source, std::string_view target);
  /// The limit by the median share of copied words among the pairs with four or more words whose
  /// words are not all copied; usual = 0 with fewer than kFewest such pairs. With fewer than
  /// kEnough it is of few.
  CopyLimit limit() const;
  /// A warning of a limit of few pairs, by which some pair is judged otherwise than by the other
  /// limit; "" where nothing depends on it.
  std::string doubt() const;

  static constexpr int64_t kFewest = 5, kEnough = 50;

 private:
  std::vector<double> shares_;
  int64_t pairs_ = 0;
};

}  // namespace heed::text
