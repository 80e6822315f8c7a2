#include "score/chrf.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "score/bleu_statistics.h"
#include "text/utf8.h"

namespace heed::score {
namespace {

constexpr std::size_t kOrders = 6;
constexpr double kBetaSquared = 4;

using ByOrder = std::array<int64_t, kOrders>;

/// Numbers of n-grams from 0: one is told by the number of all but its last character, and that
/// character.
using NgramNumbers = std::unordered_map<uint64_t, int32_t>;

/// The n-grams of a text with their counts, by order.
struct Ngrams {
  struct Counted {
    int32_t number, count;
  };
  std::array<std::vector<Counted>, kOrders> orders;
  ByOrder totals{};
};

Ngrams count_ngrams(std::string_view text, NgramNumbers& numbers) {
  std::u32string characters = text::decode_utf8(text);
  std::erase_if(characters, text::is_python_space);
  Ngrams out;
  std::vector<int32_t> all(characters.size(), -1), sorted;
  for (std::size_t order = 1; order <= kOrders && order <= characters.size(); ++order) {
    all.resize(characters.size() - order + 1);  // by the position of their first character
    for (std::size_t i = 0; i < all.size(); ++i) {
      const uint64_t key = static_cast<uint64_t>(all[i] + 1) << 32 | characters[i + order - 1];
      all[i] = numbers.try_emplace(key, std::ssize(numbers)).first->second;
    }
    sorted = all;
    std::sort(sorted.begin(), sorted.end());
    auto& counted = out.orders[order - 1];
    for (const int32_t number : sorted) {
      if (counted.empty() || counted.back().number != number) counted.push_back({number, 0});
      ++counted.back().count;
    }
    out.totals[order - 1] = std::ssize(all);
  }
  return out;
}

/// 0..100: F2 of the mean precision and the mean recall over the orders that both sides have.
double chrf(const ByOrder& hypothesis, const ByOrder& reference, const ByOrder& matches) {
  double precision = 0, recall = 0;
  int orders = 0;
  for (std::size_t i = 0; i < kOrders; ++i) {
    if (hypothesis[i] == 0 || reference[i] == 0) continue;
    precision += ratio(matches[i], hypothesis[i]);
    recall += ratio(matches[i], reference[i]);
    ++orders;
  }
  if (precision + recall == 0) return 0;
  precision /= orders;
  recall /= orders;
  return 100 * (1 + kBetaSquared) * precision * recall / (kBetaSquared * precision + recall);
}

}  // namespace

double sentence_chrf(std::string_view hypothesis, std::string_view reference) {
  const std::vector<std::string> both{std::string(hypothesis), std::string(reference)};
  return chrf_of_all(both)[1];
}

std::vector<double> chrf_of_all(std::span<const std::string> texts) {
  NgramNumbers numbers;
  std::vector<Ngrams> ngrams;
  for (const std::string& text : texts) ngrams.push_back(count_ngrams(text, numbers));
  std::vector<double> out(texts.size() * texts.size());
  for (std::size_t a = 0; a < texts.size(); ++a) {
    std::vector<int32_t> count_of(numbers.size());  // in this text
    for (const auto& order : ngrams[a].orders)
      for (const auto& [number, count] : order) count_of[number] = count;
    for (std::size_t b = a; b < texts.size(); ++b) {
      ByOrder matches{};  // the same both ways
      for (std::size_t i = 0; i < kOrders; ++i)
        for (const auto& [number, count] : ngrams[b].orders[i])
          matches[i] += std::min(count, count_of[number]);
      out[a * texts.size() + b] = chrf(ngrams[a].totals, ngrams[b].totals, matches);
      out[b * texts.size() + a] = chrf(ngrams[b].totals, ngrams[a].totals, matches);
    }
  }
  return out;
}

}  // namespace heed::score
