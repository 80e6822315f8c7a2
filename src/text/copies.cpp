#include "text/copies.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/format.h"
#include "base/outliers.h"
#include "base/strings.h"
#include "text/characters.h"
#include "text/utf8.h"
#include "text/words.h"

namespace heed::text {
namespace {

constexpr int64_t kFewWords = 4;  // a text of fewer words may consist of names
constexpr double kCopied = 0.6, kCopiedOfNear = 0.9;
/// The probability, if words are copied independently of each other, below which no chance copies
/// all words of a line.
constexpr double kChance = 2e-4;
constexpr int64_t kSample = 2000;  // pairs after which fewer are looked at

double share_of(int64_t copied, const std::vector<std::string>& target) {
  return static_cast<double>(copied) / static_cast<double>(target.size());
}

}  // namespace

std::vector<std::string> plain_words(std::string_view text) {
  std::vector<std::string> out;
  for (const std::string& word : words_in(text)) {
    const std::string plain = lower_case(without_punctuation(word));
    if (any_code_point(plain, [](const CodePoint& c) { return is_letter(c.value); }))
      out.push_back(plain);
  }
  return out;
}

int64_t copied_words(const std::vector<std::string>& source,
                     const std::vector<std::string>& target) {
  std::map<std::string, int64_t> left;
  for (const std::string& word : source) ++left[word];
  return std::ranges::count_if(target, [&](const std::string& word) { return left[word]-- > 0; });
}

bool CopyLimit::is_copied(const std::vector<std::string>& source,
                          const std::vector<std::string>& target) const {
  if (std::ssize(target) < kFewWords) return false;
  if (share_of(copied_words(source, target), target) <= (is_near() ? kCopiedOfNear : kCopied))
    return false;
  return !may_be_equal(std::ssize(target));
}

bool CopyLimit::may_be_equal(int64_t words) const {
  return is_near() && !is_of_few && std::pow(usual, words) > kChance;
}

void CopyLearner::learn(std::string_view source, std::string_view target) {
  const int64_t every = 1 + pairs_++ / kSample;
  if (pairs_ % every != 0) return;
  const std::vector<std::string> words = plain_words(target);
  if (std::ssize(words) < kFewWords) return;
  const int64_t copied = copied_words(plain_words(source), words);
  if (copied < std::ssize(words)) shares_.push_back(share_of(copied, words));
}

CopyLimit CopyLearner::limit() const {
  const bool is_of_few = std::ssize(shares_) < kEnough;
  if (std::ssize(shares_) < kFewest) return {.is_of_few = is_of_few};
  return {.usual = outlier_limit(shares_, 0), .is_of_few = is_of_few};
}

std::string CopyLearner::doubt() const {
  const CopyLimit limit = this->limit();
  const auto is_between = [](double share) { return share > kCopied && share <= kCopiedOfNear; };
  if (!limit.is_of_few || std::ranges::none_of(shares_, is_between)) return "";
  const std::string few = fmt::format(
      "copied: {} of four or more words and not all copied, too few to learn how many words the "
      "languages have in common",
      counted(std::ssize(shares_), "pair"));
  if (limit.is_near())
    return fmt::format(
        "{}; about {:.0f} %, so these are taken for near languages, and only a pair with more than "
        "90 % is copied",
        few, 100 * limit.usual);
  return few +
         "; a pair with more than 60 % counts as copied, which near languages such as Danish and "
         "Norwegian often have in right pairs";
}

}  // namespace heed::text
