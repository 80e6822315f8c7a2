#include "study/piece_words.h"

#include <algorithm>
#include <string_view>

#include "base/error.h"
#include "base/strings.h"
#include "text/unicode.h"
#include "text/vocabulary.h"

namespace heed::study {
namespace {

constexpr std::size_t kNoPiece = -1;

/// Of each piece and the `</s>` behind them. Pieces behind the last word belong to the end.
std::vector<std::string> labels_of(const WordsOfParts& words) {
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < words.first.size(); ++i) {
    const bool begins = i == 0 || words.first[i] != words.first[i - 1];
    labels.push_back(words.first[i] == words.words.size() ? kEndToken
                     : begins                             ? std::string(text::kWordStart) + "x"
                                                          : "x");
  }
  labels.emplace_back(kEndToken);
  return labels;
}

}  // namespace

bool tells_words_apart(const WordsOfParts& words) {
  std::size_t next = 0;
  for (const std::size_t word : words.first) {
    if (word > next) return false;
    next = word + 1;
  }
  return next >= words.words.size();
}

AttentionMatrix with_words(AttentionMatrix pieces, const WordsOfParts& target,
                           const WordsOfParts& source) {
  pieces.target = labels_of(target);
  pieces.source = labels_of(source);
  check(pieces);
  return pieces;
}

std::string source_word_for(const std::vector<std::string>& surfaces,
                            const std::vector<bool>& is_unknown, std::span<const float> weights) {
  expect(is_unknown.size() == surfaces.size() && weights.size() >= surfaces.size(),
         "a weight for each piece");
  const WordsOfParts words = text::words_of_parts(surfaces);
  if (words.words.empty()) return "";
  std::vector<double> sums(words.words.size() + 1, 0);
  for (std::size_t i = 0; i < surfaces.size(); ++i) sums[words.first[i]] += weights[i];
  const auto best =
      static_cast<std::size_t>(std::max_element(sums.begin(), sums.end() - 1) - sums.begin());
  std::size_t unknown = kNoPiece;
  for (std::size_t i = 0; i < surfaces.size(); ++i)
    if (is_unknown[i] && words.first[i] == best &&
        (unknown == kNoPiece || weights[i] > weights[unknown]))
      unknown = i;
  if (unknown != kNoPiece) return std::string(trim(surfaces[unknown]));
  const std::string letters = text::without_punctuation(words.words[best]);
  return letters.empty() ? words.words[best] : letters;
}

}  // namespace heed::study
