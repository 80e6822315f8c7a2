#include "score/chrf.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "text/utf8.h"

namespace heed::score {
namespace {

constexpr double kBetaSquared = 4;

/// Numbers n-grams from 0: one is told by the number of all but its last character, and that
/// character. A hash table that never grows.
class NgramNumbers {
 public:
  explicit NgramNumbers(std::size_t most) : cells_(std::bit_ceil(2 * most + 2)) {}

  static constexpr int32_t kNothing = -1;  // before the first character

  int32_t number_of(int32_t before, char32_t last) {
    // The shift keeps it apart from 0, an empty cell.
    const uint64_t key = (static_cast<uint64_t>(before - kNothing) << 32 | last) + 1;
    std::size_t at = key * 0x9E3779B97F4A7C15ULL >> 20;
    for (;; ++at) {
      Cell& cell = cells_[at & (cells_.size() - 1)];
      if (cell.key == key) return cell.number;
      if (cell.key == 0) {
        cell = {key, count_};
        return count_++;
      }
    }
  }

  int32_t count() const { return count_; }

 private:
  struct Cell {
    uint64_t key = 0;
    int32_t number = 0;
  };
  std::vector<Cell> cells_;
  int32_t count_ = 0;
};

/// The n-grams of a text with their counts, by order.
struct Ngrams {
  struct Counted {
    int32_t number, count;
  };
  std::array<std::vector<Counted>, kChrfOrder> orders;
  std::array<int64_t, kChrfOrder> totals{};
};

std::u32string without_blanks(std::string_view text) {
  std::u32string characters = text::decode_utf8(text);
  std::erase_if(characters, text::is_python_space);
  return characters;
}

Ngrams count_ngrams(const std::u32string& characters, NgramNumbers& numbers) {
  Ngrams out;
  std::vector<int32_t> all(characters.size(), NgramNumbers::kNothing), sorted;
  for (std::size_t order = 1; order <= kChrfOrder && order <= characters.size(); ++order) {
    all.resize(characters.size() - order + 1);  // by the position of their first character
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i] = numbers.number_of(all[i], characters[i + order - 1]);
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

/// All of them, and how many different n-grams they have together.
std::pair<std::vector<Ngrams>, int32_t> count_all(const std::vector<std::u32string>& texts) {
  std::size_t most = 0;
  for (const auto& text : texts) most += kChrfOrder * text.size();
  NgramNumbers numbers(most);
  std::vector<Ngrams> out;
  out.reserve(texts.size());
  for (const auto& text : texts) out.push_back(count_ngrams(text, numbers));
  return {std::move(out), numbers.count()};
}

/// One text's counts, so that any n-gram's is found at once.
class CountOfNgram {
 public:
  explicit CountOfNgram(int32_t ngrams) : counts_(ngrams) {}
  void put(const Ngrams& ngrams) {
    for (const auto& order : ngrams.orders)
      for (const auto& [number, count] : order) counts_[number] = count;
  }
  void take_away(const Ngrams& ngrams) {
    for (const auto& order : ngrams.orders)
      for (const auto& one : order) counts_[one.number] = 0;
  }
  int64_t matches(const std::vector<Ngrams::Counted>& others) const {
    int64_t sum = 0;
    for (const auto& [number, count] : others) sum += std::min(count, counts_[number]);
    return sum;
  }

 private:
  std::vector<int32_t> counts_;
};

double ratio(int64_t part, int64_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

double chrf(const ChrfStatistics& s) {
  double precision = 0, recall = 0;
  int orders = 0;
  for (int i = 0; i < kChrfOrder; ++i) {
    if (s.hypothesis[i] == 0 || s.reference[i] == 0) continue;
    precision += ratio(s.matches[i], s.hypothesis[i]);
    recall += ratio(s.matches[i], s.reference[i]);
    ++orders;
  }
  if (precision + recall == 0) return 0;
  precision /= orders;
  recall /= orders;
  return 100 * (1 + kBetaSquared) * precision * recall / (kBetaSquared * precision + recall);
}

double sentence_chrf(std::string_view hypothesis, std::string_view reference) {
  const std::vector<std::string> both{std::string(hypothesis), std::string(reference)};
  return chrf_of_all(both)[1];
}

std::vector<double> chrf_of_all(std::span<const std::string> texts) {
  std::vector<std::u32string> characters;
  for (const std::string& text : texts) characters.push_back(without_blanks(text));
  const auto [ngrams, distinct] = count_all(characters);
  CountOfNgram held(distinct);
  std::vector<double> out(texts.size() * texts.size());
  for (std::size_t a = 0; a < texts.size(); ++a) {
    held.put(ngrams[a]);
    for (std::size_t b = a; b < texts.size(); ++b) {
      ChrfStatistics s{ngrams[a].totals, ngrams[b].totals, {}};
      for (int i = 0; i < kChrfOrder; ++i) s.matches[i] = held.matches(ngrams[b].orders[i]);
      out[a * texts.size() + b] = chrf(s);
      std::swap(s.hypothesis, s.reference);  // both ways match the same
      out[b * texts.size() + a] = chrf(s);
    }
    held.take_away(ngrams[a]);
  }
  return out;
}

}  // namespace heed::score
