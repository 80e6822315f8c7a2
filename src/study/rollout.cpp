#include "study/rollout.h"

#include <map>

namespace heed::study {
namespace {

/// Row-major.
struct Square {
  std::size_t rows = 0, columns = 0;
  std::vector<double> values;

  Square(std::size_t rows, std::size_t columns)
      : rows(rows), columns(columns), values(rows * columns) {}
  double& at(std::size_t row, std::size_t column) { return values[row * columns + column]; }
  double at(std::size_t row, std::size_t column) const { return values[row * columns + column]; }
};

Square product(const Square& a, const Square& b) {
  Square out(a.rows, b.columns);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t k = 0; k < a.columns; ++k)
      for (std::size_t j = 0; j < b.columns; ++j) out.at(i, j) += a.at(i, k) * b.at(k, j);
  return out;
}

/// a/2 + b/2
Square half_each(Square a, const Square& b) {
  for (std::size_t i = 0; i < a.values.size(); ++i) a.values[i] = (a.values[i] + b.values[i]) / 2;
  return a;
}

Square identity(std::size_t size) {
  Square out(size, size);
  for (std::size_t i = 0; i < size; ++i) out.at(i, i) = 1;
  return out;
}

/// layer -> the mean over its heads.
std::map<int64_t, Square> means_of(std::span<const AttentionMatrix> heads, AttentionKind kind) {
  std::map<int64_t, Square> sums;
  std::map<int64_t, double> counts;
  for (const AttentionMatrix& head : heads) {
    if (head.kind != kind || head.head < 0) continue;
    Square& sum =
        sums.try_emplace(head.layer, head.target.size(), head.source.size()).first->second;
    for (std::size_t i = 0; i < head.weights.size(); ++i) sum.values[i] += head.weights[i];
    ++counts[head.layer];
  }
  for (auto& [layer, sum] : sums)
    for (double& value : sum.values) value /= counts[layer];
  return sums;
}

}  // namespace

AttentionMatrix rollout(std::span<const AttentionMatrix> heads) {
  const auto encoder = means_of(heads, AttentionKind::encoder),
             decoder = means_of(heads, AttentionKind::decoder),
             cross = means_of(heads, AttentionKind::cross);
  if (encoder.empty() || decoder.empty() || cross.size() != decoder.size())
    throw UserError("rollout: follows the layers of a Transformer, and this model has none");
  const AttentionMatrix* like = nullptr;
  for (const AttentionMatrix& head : heads)
    if (head.kind == AttentionKind::cross) like = &head;

  Square of_source = identity(like->source.size());
  for (const auto& [layer, mean] : encoder)
    of_source = product(half_each(identity(mean.rows), mean), of_source);
  Square shares(like->target.size(), like->source.size());
  for (const auto& [layer, mean] : decoder) {
    shares = product(half_each(identity(mean.rows), mean), shares);
    shares = half_each(shares, product(cross.at(layer), of_source));
  }

  AttentionMatrix out = *like;
  out.kind = AttentionKind::rollout;
  out.layer = 0;
  out.head = -1;
  out.softmax = false;
  for (std::size_t row = 0; row < shares.rows; ++row) {
    double sum = 0;
    for (std::size_t column = 0; column < shares.columns; ++column) sum += shares.at(row, column);
    for (std::size_t column = 0; column < shares.columns; ++column)
      out.weights[row * shares.columns + column] =
          static_cast<float>(sum > 0 ? shares.at(row, column) / sum : 0);
  }
  return out;
}

}  // namespace heed::study
