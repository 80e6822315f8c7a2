#include "document/weights.h"

#include <algorithm>
#include <numeric>

namespace heed::document {

WordWeights diagonal_weights(std::size_t rows, std::size_t columns) {
  WordWeights out{columns, std::vector<double>(rows * columns)};
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t column = 0; column < columns; ++column) {
      const double begin = std::max<double>(row * columns, column * rows),
                   end = std::min<double>((row + 1) * columns, (column + 1) * rows);
      out.values[row * columns + column] = std::max(end - begin, 0.0) / columns;
    }
  return out;
}

WordWeights balanced(WordWeights weights) {
  constexpr int kRounds = 8;
  constexpr double kHardlyAny = 0.001, kTiny = 1e-30;
  std::vector<double> scales(weights.columns, 1);
  for (double& value : weights.values) value = value * value * value;
  for (int round = 0; round <= kRounds; ++round) {
    std::vector<double> sums(weights.columns, kHardlyAny);
    for (auto row = weights.values.begin(); row != weights.values.end(); row += scales.size()) {
      const double sum = std::inner_product(scales.begin(), scales.end(), row, kTiny);
      for (std::size_t column = 0; column < sums.size(); ++column)
        if (round < kRounds)
          sums[column] += row[column] / sum;
        else
          row[column] *= scales[column] / sum;
    }
    std::ranges::transform(sums, scales.begin(), [](double sum) { return 1 / sum; });
  }
  return weights;
}

}  // namespace heed::document
