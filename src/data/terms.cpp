#include "data/terms.h"

#include <cstddef>
#include <vector>

#include "base/random.h"
#include "base/strings.h"
#include "text/utf8.h"
#include "text/words.h"

namespace heed::data {
namespace {

constexpr int64_t kFewestLetters = 4;

}  // namespace

std::string with_term(std::string_view words, std::string_view translation) {
  return fmt::format("{} {} {} {}", words, kTermBegin, translation, kTermEnd);
}

NoisyPair with_terms(NoisyPair pair, std::span<const PieceLink> links, double share,
                     uint64_t seed) {
  if (text::is_unsegmented(pair.source)) return pair;
  std::vector<std::string> words = text::words_in(pair.source);
  const std::vector<std::string> targets = text::words_in(pair.target);
  std::vector<int> sources_linked(pair.words.size()), targets_linked(targets.size());
  std::vector<int> origins(words.size());  // how many words before the noise each word comes from
  for (const auto& [first, end] : pair.words)
    for (int32_t word = first; word < end; ++word) ++origins[word];
  for (const PieceLink& link : links) {
    ++sources_linked[link.source];
    ++targets_linked[link.target];
  }
  Random random(seed);
  std::vector<int32_t> grown(words.size() + 1);  // how many words are added before each
  for (const PieceLink& link : links) {
    const bool drawn = random.uniform() < share;
    const auto [first, end] = pair.words[link.source];
    if (!drawn || sources_linked[link.source] > 1 || targets_linked[link.target] > 1 ||
        end != first + 1 || origins[first] > 1)
      continue;
    std::string& word = words[first];
    const std::string letters = text::without_punctuation(word),
                      translation = text::without_punctuation(targets[link.target]);
    if (text::count_code_points(letters) < kFewestLetters || translation.empty()) continue;
    const std::size_t after = word.find(letters) + letters.size();
    word = with_term(word.substr(0, after), translation) + word.substr(after);
    grown[first + 1] += 3;
  }
  for (std::size_t i = 1; i < grown.size(); ++i) grown[i] += grown[i - 1];
  pair.source = join(words, " ");
  for (auto& [first, end] : pair.words) {
    end = end > first ? end + grown[end - 1] : first + grown[first];
    first += grown[first];
  }
  return pair;
}

}  // namespace heed::data
