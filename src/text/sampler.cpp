#include "text/sampler.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <queue>
#include <tuple>

#include "base/error.h"
#include "text/utf8.h"

namespace heed::text {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

/// The byte offsets of the characters, and of the end.
std::vector<std::size_t> boundaries(std::string_view text) {
  std::vector<std::size_t> offsets{0};
  while (offsets.back() < text.size())
    offsets.push_back(offsets.back() + code_point_at(text, offsets.back()).bytes);
  return offsets;
}

double log_add(double a, double b) {
  if (a < b) std::swap(a, b);
  return b == kNever ? a : a + std::log1p(std::exp(b - a));
}

/// A piece that ends at some character: where it began and what it is worth.
struct Arc {
  std::size_t begin = 0;
  int32_t id = 0;
  double weight = 0;
};

/// Symbols of BPE: a doubly linked list over the characters.
struct Symbol {
  std::size_t begin = 0, bytes = 0;
  int64_t previous = -1, next = -1;
};

class Merger {
 public:
  Merger(const PieceTable& pieces, std::string_view text) : pieces_(pieces), text_(text) {
    const auto offsets = boundaries(text);
    const auto count = static_cast<int64_t>(offsets.size()) - 1;
    for (int64_t i = 0; i < count; ++i)
      symbols_.push_back(
          {offsets[i], offsets[i + 1] - offsets[i], i - 1, i + 1 < count ? i + 1 : -1});
    for (int64_t i = 1; i < count; ++i) offer(i - 1, i);
  }

  void run(double dropout, Random& random) {
    while (!agenda_.empty()) {
      const auto [score, minus_left, right, bytes] = agenda_.top();
      agenda_.pop();
      const int64_t left = -minus_left;
      const std::size_t now = symbols_[left].bytes + symbols_[right].bytes;
      const bool gone = symbols_[left].bytes == 0 || symbols_[right].bytes == 0 || now != bytes;
      if (gone || random.uniform() < dropout) continue;
      merge(left, right);
    }
  }

  std::vector<int32_t> ids() const {
    std::vector<int32_t> out;
    for (int64_t i = symbols_.empty() ? -1 : 0; i >= 0; i = symbols_[i].next) {
      const auto* piece = pieces_.find(text_.substr(symbols_[i].begin, symbols_[i].bytes));
      expect(piece != nullptr, "a character without a piece");
      out.push_back(piece->id);
    }
    return out;
  }

 private:
  void offer(int64_t left, int64_t right) {
    if (left < 0 || right < 0) return;
    const std::size_t bytes = symbols_[left].bytes + symbols_[right].bytes;
    if (const auto* piece = pieces_.find(text_.substr(symbols_[left].begin, bytes)))
      agenda_.emplace(piece->score, -left, right, bytes);
  }

  void merge(int64_t left, int64_t right) {
    symbols_[left].bytes += symbols_[right].bytes;
    symbols_[right].bytes = 0;
    symbols_[left].next = symbols_[right].next;
    if (symbols_[right].next >= 0) symbols_[symbols_[right].next].previous = left;
    offer(symbols_[left].previous, left);
    offer(left, symbols_[left].next);
  }

  const PieceTable& pieces_;
  std::string_view text_;
  std::vector<Symbol> symbols_;
  // Possible merges, the best score first, then the leftmost: (score, -left, right, bytes of both
  // when offered).
  std::priority_queue<std::tuple<double, int64_t, int64_t, std::size_t>> agenda_;
};

}  // namespace

void PieceTable::add(std::string_view text, Piece piece) {
  for (const std::size_t end : boundaries(text))
    if (end < text.size()) pieces_.emplace(text.substr(0, end), Piece{kNoPiece, 0});
  pieces_.insert_or_assign(std::string(text), piece);
}

const PieceTable::Piece* PieceTable::begins(std::string_view text) const {
  const auto found = pieces_.find(text);
  return found == pieces_.end() ? nullptr : &found->second;
}

const PieceTable::Piece* PieceTable::find(std::string_view text) const {
  const Piece* piece = begins(text);
  return piece == nullptr || piece->id == kNoPiece ? nullptr : piece;
}

bool PieceTable::spells(std::string_view text) const {
  const auto offsets = boundaries(text);
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
    if (find(text.substr(offsets[i], offsets[i + 1] - offsets[i])) == nullptr) return false;
  return true;
}

std::vector<int32_t> sample_unigram(const PieceTable& pieces, std::string_view text, double alpha,
                                    Random& random) {
  const auto offsets = boundaries(text);
  const std::size_t count = offsets.size() - 1;
  std::vector<std::vector<Arc>> arriving(count + 1);
  std::vector<double> forward(count + 1, kNever);
  forward[0] = 0;
  for (std::size_t begin = 0; begin < count; ++begin) {
    if (forward[begin] == kNever) continue;
    for (std::size_t end = begin + 1; end <= count; ++end) {
      const auto* piece = pieces.begins(text.substr(offsets[begin], offsets[end] - offsets[begin]));
      if (piece == nullptr) break;
      if (piece->id == PieceTable::kNoPiece) continue;
      const double weight = forward[begin] + alpha * piece->score;
      arriving[end].push_back({begin, piece->id, weight});
      forward[end] = log_add(forward[end], weight);
    }
  }
  expect(forward[count] != kNever, "a text that the pieces do not cover");
  std::vector<int32_t> ids;
  for (std::size_t at = count; at > 0;) {
    double left = random.uniform();
    const Arc* chosen = nullptr;
    for (const Arc& arc : arriving[at]) {
      chosen = &arc;
      left -= std::exp(arc.weight - forward[at]);
      if (left < 0) break;
    }
    ids.push_back(chosen->id);
    at = chosen->begin;
  }
  std::reverse(ids.begin(), ids.end());
  return ids;
}

double best_unigram(const PieceTable& pieces, std::string_view text) {
  const auto offsets = boundaries(text);
  std::vector<double> best(offsets.size(), kNever);
  best[0] = 0;
  for (std::size_t begin = 0; begin + 1 < offsets.size(); ++begin)
    for (std::size_t end = begin + 1; end < offsets.size(); ++end) {
      const auto* piece = pieces.begins(text.substr(offsets[begin], offsets[end] - offsets[begin]));
      if (piece == nullptr) break;
      if (piece->id != PieceTable::kNoPiece)
        best[end] = std::max(best[end], best[begin] + piece->score);
    }
  return best.back();
}

std::vector<int32_t> best_bpe(const PieceTable& pieces, std::string_view text) {
  Random unused(0);
  return sample_bpe(pieces, text, 0, unused);
}

std::vector<int32_t> sample_bpe(const PieceTable& pieces, std::string_view text, double dropout,
                                Random& random) {
  Merger merger(pieces, text);
  merger.run(dropout, random);
  return merger.ids();
}

}  // namespace heed::text
