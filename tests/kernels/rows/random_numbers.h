// Numbers to compare a loop with its definition on.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace heed::kernels {

inline std::vector<float> random_numbers(int64_t count, uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<float> normal;
  std::vector<float> out(static_cast<std::size_t>(count));
  for (float& x : out) x = normal(generator);
  return out;
}

}  // namespace heed::kernels
