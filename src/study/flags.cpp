#include "study/flags.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "base/strings.h"
#include "study/numbers.h"
#include "text/utf8.h"

namespace heed::study {
namespace {

constexpr std::size_t kLongest = 4;  // words of a sequence that is repeated
constexpr double kRatio = 2.0;       // of pieces, each side with kFree more
constexpr double kFree = 4;
constexpr std::size_t kInARow = 2;  // words that get hardly any attention
constexpr double kLittle = 0.3;     // of one step's attention
/// Log-probabilities of a piece in nats. A translation that a search found is likelier than one by
/// somebody else.
constexpr double kUnsure = -1.6, kUnsureOfOthers = -3;

/// Counts how often words are repeated immediately: one word three times counts 1, two or more
/// words twice count 1.
int64_t repetitions(const std::vector<std::string>& words) {
  int64_t count = 0;
  for (std::size_t n = 1; n <= kLongest; ++n) {
    const std::size_t times = n == 1 ? 3 : 2;
    for (std::size_t i = 0; i + times * n <= words.size(); ++i)
      count +=
          std::equal(words.begin() + i, words.begin() + i + (times - 1) * n, words.begin() + i + n);
  }
  return count;
}

using Letters = std::array<int64_t, text::kScripts>;

void count_letters(std::string_view text, Letters& letters) {
  text::each_code_point(text, [&](const text::CodePoint& c, std::string_view) {
    if (const text::Script script = text::script_of(c.value); script != text::Script::none)
      ++letters[static_cast<std::size_t>(script)];
  });
}

bool is_of_other_script(const JudgedPair& pair) {
  if (pair.script == text::Script::none) return false;
  Letters letters{};
  count_letters(pair.translation, letters);
  const int64_t all = std::accumulate(letters.begin(), letters.end(), int64_t{0});
  return 2 * letters[static_cast<std::size_t>(pair.script)] < all;
}

bool is_of_odd_length(const JudgedPair& pair) {
  const double ratio = (static_cast<double>(pair.target_pieces) + kFree) /
                       (static_cast<double>(pair.source_pieces) + kFree);
  return ratio > kRatio || ratio < 1 / kRatio;
}

bool is_partly_unread(const std::vector<double>& attention) {
  std::size_t run = 0;
  return std::ranges::any_of(attention, [&](double received) {
    run = received < kLittle ? run + 1 : 0;
    return run == kInARow;
  });
}

}  // namespace

std::vector<Flag> flags_of(const JudgedPair& pair) {
  if (text::is_blank(pair.source)) return {};
  if (text::is_blank(pair.translation)) return {Flag::empty};
  const std::vector<std::string> source = text::plain_words(pair.source),
                                 target = text::plain_words(pair.translation);
  std::vector<Flag> out;
  const auto add = [&](Flag flag, bool raised) {
    if (raised) out.push_back(flag);
  };
  add(Flag::cut, pair.cut);
  add(Flag::copied, pair.copies.is_copied(source, target));
  add(Flag::repetition, repetitions(target) > repetitions(source));
  add(Flag::numbers, differ_in_numbers(pair.source, pair.translation));
  add(Flag::script, is_of_other_script(pair));
  add(Flag::length, is_of_odd_length(pair));
  add(Flag::unread, is_partly_unread(pair.attention));
  const double least = pair.forced ? kUnsureOfOthers : kUnsure;
  add(Flag::unsure, pair.log_probability < least * static_cast<double>(pair.target_pieces + 1));
  return out;
}

std::string joined(const std::vector<Flag>& flags) {
  std::vector<std::string> names;
  for (const Flag flag : flags) names.emplace_back(config::name_of(flag));
  return names.empty() ? "-" : join(names, ",");
}

std::vector<double> received_attention(const AttentionMatrix& words) {
  std::vector<double> out;
  for (std::size_t column = 0; column < words.source.size(); ++column) {
    if (is_edge(words.source[column])) continue;
    double sum = 0;
    for (std::size_t row = 0; row < words.target.size(); ++row) sum += words.at(row, column);
    out.push_back(sum);
  }
  return out;
}

text::Script usual_script(const std::vector<std::string>& texts) {
  constexpr double kMost = 0.8;  // a vocabulary of two languages may have two scripts
  Letters letters{};
  for (const std::string& text : texts) count_letters(text, letters);
  const int64_t all = std::accumulate(letters.begin(), letters.end(), int64_t{0});
  const auto most = std::ranges::max_element(letters);
  return static_cast<double>(*most) > kMost * static_cast<double>(all)
             ? static_cast<text::Script>(most - letters.begin())
             : text::Script::none;
}

}  // namespace heed::study
