// Matrices that several tests draw or measure.
#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "study/attention_matrix.h"

namespace heed::study {

// 3 target pieces (2 words and the end) by 4 source pieces (2 words and the end).
inline AttentionMatrix example() {
  return {.sentence = 7,
          .layer = 1,
          .head = 2,
          .target = {"\u2581Ti", "er", "</s>"},
          .source = {"\u2581an", "imal", "\u2581,\"", "</s>"},
          .weights = {0.5f, 0.25f, 0.125f, 0.125f,  //
                      0.25f, 0.5f, 0.0f, 0.25f,     //
                      0.0f, 0.125f, 0.125f, 0.75f}};
}

/// Softmax of normal scores of deviation 2.
inline std::vector<float> random_rows(std::size_t rows, std::size_t columns, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, 2);
  std::vector<float> weights(rows * columns);
  for (std::size_t row = 0; row < rows; ++row) {
    float sum = 0;
    for (std::size_t i = row * columns; i < (row + 1) * columns; ++i)
      sum += weights[i] = std::exp(normal(random));
    for (std::size_t i = row * columns; i < (row + 1) * columns; ++i) weights[i] /= sum;
  }
  return weights;
}

}  // namespace heed::study
