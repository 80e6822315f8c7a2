#include "study/comparison.h"

#include <algorithm>

#include "base/strings.h"
#include "score/chrf.h"
#include "text/script.h"
#include "text/utf8.h"
#include "text/words.h"

namespace heed::study {
namespace {

constexpr int64_t kCutoffs[] = {1, 2, 3, 4, 5, 10, 100, 1000};
constexpr std::size_t kOrders = score::kBleuOrder;

std::size_t bucket_of(int64_t frequency) {
  return static_cast<std::size_t>(std::ranges::upper_bound(kCutoffs, frequency) - kCutoffs);
}

int64_t count_of(const WordFrequencies& frequencies, const std::string& word) {
  const auto found = frequencies.find(word);
  return found == frequencies.end() ? 0 : found->second;
}

/// Whether it is a character that is a word: no blank separates it from others.
bool is_letter_by_itself(const std::string& word) {
  const text::CodePoint point = text::code_point_at(word, 0);
  return point.bytes == word.size() && text::has_no_blanks(text::script_of(point.value));
}

/// How often each n-gram of a line stands in it.
std::map<std::string, int64_t> ngrams_of(const std::vector<std::string>& words) {
  std::map<std::string, int64_t> counts;
  for (std::size_t begin = 0; begin < words.size(); ++begin) {
    std::string ngram;
    for (std::size_t i = begin; i < std::min(words.size(), begin + kOrders); ++i) {
      ngram += (i > begin ? " " : "") + words[i];
      ++counts[ngram];
    }
  }
  return counts;
}

/// Matches of each n-gram over all lines.
std::map<std::string, int64_t> matches_of(const Tokens& reference, const Tokens& system) {
  std::map<std::string, int64_t> matches;
  for (std::size_t line = 0; line < reference.size(); ++line) {
    const auto wanted = ngrams_of(reference[line]);
    for (const auto& [ngram, count] : ngrams_of(system[line]))
      if (const auto found = wanted.find(ngram); found != wanted.end())
        matches[ngram] += std::min(count, found->second);
  }
  return matches;
}

/// Whether each word of `text` is one of a longest common subsequence.
std::vector<bool> common_in_order(const std::vector<std::string>& text,
                                  const std::vector<std::string>& other) {
  std::vector<int> lengths((text.size() + 1) * (other.size() + 1));
  /// Of the words from i and those from j on.
  const auto longest = [&](std::size_t i, std::size_t j) -> int& {
    return lengths[i * (other.size() + 1) + j];
  };
  for (std::size_t i = text.size(); i-- > 0;)
    for (std::size_t j = other.size(); j-- > 0;)
      longest(i, j) = text[i] == other[j] ? longest(i + 1, j + 1) + 1
                                          : std::max(longest(i + 1, j), longest(i, j + 1));
  std::vector<bool> common(text.size());
  for (std::size_t i = 0, j = 0; i < text.size() && j < other.size();) {
    common[i] = text[i] == other[j];
    if (common[i]) {
      ++i, ++j;
    } else if (longest(i, j + 1) >= longest(i + 1, j)) {
      ++j;
    } else {
      ++i;
    }
  }
  return common;
}

std::vector<bool> common_anywhere(const std::vector<std::string>& text,
                                  const std::vector<std::string>& other) {
  WordFrequencies left = frequencies_of({other});
  std::vector<bool> common;
  for (const std::string& word : text) {
    const auto found = left.find(word);
    common.push_back(found != left.end() && found->second-- > 0);
  }
  return common;
}

}  // namespace

Tokens tokens_of(const Lines& lines) {
  Tokens tokens;
  for (const std::string& line : lines) tokens.push_back(text::words_in(line));
  return tokens;
}

WordFrequencies frequencies_of(const Tokens& lines) {
  WordFrequencies frequencies;
  for (const auto& words : lines)
    for (const std::string& word : words) ++frequencies[word];
  return frequencies;
}

std::string FrequencyBucket::label() const {
  if (!high) return ">= " + std::to_string(low);
  return *high == low ? std::to_string(low) : fmt::format("{}-{}", low, *high);
}

std::vector<FrequencyBucket> accuracy_by_frequency(const Tokens& reference,
                                                   const std::vector<Tokens>& systems,
                                                   const WordFrequencies& frequencies) {
  std::vector<FrequencyBucket> buckets;
  int64_t low = 0;
  for (const int64_t cutoff : kCutoffs) {
    buckets.push_back({.low = low, .high = cutoff - 1, .systems = {}});
    low = cutoff;
  }
  buckets.push_back({.low = low, .high = std::nullopt, .systems = {}});
  for (FrequencyBucket& bucket : buckets) bucket.systems.resize(systems.size());
  for (std::size_t s = 0; s < systems.size(); ++s) {
    expect(systems[s].size() == reference.size(), "as many lines as the reference");
    for (std::size_t line = 0; line < reference.size(); ++line) {
      const auto wanted = frequencies_of({reference[line]}),
                 said = frequencies_of({systems[s][line]});
      const auto matches = [&](const std::string& word) -> WordMatches& {
        return buckets[bucket_of(count_of(frequencies, word))].systems[s];
      };
      for (const auto& [word, count] : wanted) matches(word).reference += count;
      for (const auto& [word, count] : said) {
        matches(word).output += count;
        matches(word).matches += std::min(count, count_of(wanted, word));
      }
    }
  }
  return buckets;
}

NgramDifferences ngram_differences(const Tokens& reference, const Tokens& first,
                                   const Tokens& second, std::size_t most) {
  std::map<std::string, NgramDifference> all;
  for (const auto& [ngram, count] : matches_of(reference, first)) all[ngram].first = count;
  for (const auto& [ngram, count] : matches_of(reference, second)) all[ngram].second = count;
  std::vector<NgramDifference> sorted;
  for (auto& [ngram, one] : all) {
    one.ngram = ngram;
    one.share = ratio(one.first + 1, one.first + one.second + 2);
    if (one.first != one.second) sorted.push_back(one);
  }
  const auto take = [&](bool of_first) {
    std::ranges::stable_sort(sorted, [&](const NgramDifference& a, const NgramDifference& b) {
      if (a.share != b.share) return of_first ? a.share > b.share : a.share < b.share;
      return a.first + a.second > b.first + b.second;
    });
    std::vector<NgramDifference> out;
    for (const NgramDifference& one : sorted) {
      if (out.size() == most || (one.share > 0.5) != of_first) break;
      out.push_back(one);
    }
    return out;
  };
  return {take(true), take(false)};
}

std::vector<SentenceScores> sentences_that_differ(const Lines& reference,
                                                  const std::vector<score::SystemOutput>& systems,
                                                  std::size_t most) {
  expect(systems.size() >= 2, "two systems to compare");
  std::vector<SentenceScores> all;
  for (std::size_t line = 0; line < reference.size(); ++line) {
    SentenceScores one{.line = line, .chrf = {}};
    for (const auto& system : systems)
      one.chrf.push_back(score::sentence_chrf(system.hypotheses.at(line), reference[line]));
    const auto [worst, best] = std::ranges::minmax(one.chrf);
    one.spread = best - worst;
    if (one.spread > 0) all.push_back(std::move(one));
  }
  std::ranges::stable_sort(all, std::greater<>(), &SentenceScores::spread);
  if (all.size() > most) all.resize(most);
  return all;
}

bool compares_order(const std::vector<std::string>& text, const std::vector<std::string>& other) {
  constexpr std::size_t kMostPairs = 4000 * 4000;
  return other.empty() || text.size() <= kMostPairs / other.size();
}

std::vector<TextPart> marked_differences(const std::vector<std::string>& text,
                                         const std::vector<std::string>& other) {
  const std::vector<bool> common =
      compares_order(text, other) ? common_in_order(text, other) : common_anywhere(text, other);
  std::vector<TextPart> parts;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i == 0 || parts.back().common != common[i]) {
      parts.push_back({text[i], common[i]});
    } else {
      const bool together = is_letter_by_itself(text[i - 1]) || is_letter_by_itself(text[i]);
      parts.back().text += (together ? "" : " ") + text[i];
      ++parts.back().words;
    }
  }
  return parts;
}

}  // namespace heed::study
