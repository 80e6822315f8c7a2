#include "engine/output_product.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "engine/matrix.h"
#include "engine/network.h"

namespace heed::engine {

OutputProduct::OutputProduct(const Linear& whole, std::span<const PieceList> lists,
                             Products& products)
    : whole_(whole), products_(products), columns_(whole.matrix.columns()) {
  if (lists.empty()) return;
  PieceList index(columns_, -1), pieces;
  for (const PieceList& list : lists)
    for (const int32_t piece : list) {
      expect(piece >= 0 && piece < columns_, "a piece of the vocabulary");
      index[piece] = 0;
    }
  columns_ = 0;
  for (int32_t piece = 0; piece < std::ssize(index); ++piece)
    if (index[piece] == 0) {
      index[piece] = static_cast<int32_t>(pieces.size());
      pieces.push_back(piece);
    }
  for (const PieceList& list : lists) {
    columns_ = std::max<int64_t>(columns_, std::ssize(list));
    PieceList& indices = indices_.emplace_back();
    for (const int32_t piece : list) indices.push_back(index[piece]);
  }
  listed_.matrix = whole.matrix.with_columns(pieces);
  if (!whole.bias.empty())
    for (const int32_t piece : pieces) listed_.bias.push_back(whole.bias[piece]);
}

void OutputProduct::take(const float* x, int64_t rows) {
  rows_ = rows;
  products_.take(whole_, x, rows);
}

float* OutputProduct::logits() {
  logits_.resize(rows_ * columns_);
  if (indices_.empty()) {
    products_.product(whole_, logits_.data());
    return logits_.data();
  }
  const int64_t columns = listed_.matrix.columns(), each = rows_ / std::ssize(indices_);
  listed_logits_.resize(rows_ * columns);
  products_.product(listed_, listed_logits_.data());
  for (int64_t row = 0; row < rows_; ++row) {
    const float* from = listed_logits_.data() + row * columns;
    float *to = logits_.data() + row * columns_, *end = to + columns_;
    for (const int32_t i : indices_[row / each]) *to++ = from[i];
    std::fill(to, end, -std::numeric_limits<float>::infinity());
  }
  return logits_.data();
}

void OutputProduct::block(int64_t index, Floats& to) const {
  constexpr int64_t kPanels = kBlock / Matrix::kPanel;
  to.resize(rows_ * kBlock);
  products_.panels(whole_, index * kPanels, std::min((index + 1) * kPanels, whole_.matrix.panels()),
                   to.data(), kBlock);
}

void OutputProduct::reorder(std::span<const int64_t> sentences) {
  if (!indices_.empty() && !sentences.empty()) choose(indices_, sentences);
}

}  // namespace heed::engine
