// Every kernel promises that NaN in is NaN out.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/rows/numbers.h"

namespace heed::kernels {

using Floats = std::vector<float>;
using Halves = std::vector<uint16_t>;

inline Halves halves_of(const Floats& x) {
  Halves out;
  for (const float one : x) out.push_back(narrowed(one));
  return out;
}

inline void append(Floats& to, const Floats& more) {
  to.insert(to.end(), more.begin(), more.end());
}
inline void append(Floats& to, const Halves& more) {
  for (const uint16_t one : more) to.push_back(widened(one));
}

/// `run` makes outputs of several inputs, all as one vector. Whichever number of the inputs becomes
/// NaN, so does every output that another finite number in its place changes.
template <class Run>
void expect_nan_in_is_nan_out(std::vector<Floats> inputs, const Run& run) {
  const Floats before = run(inputs);
  int64_t changes = 0;
  for (std::size_t input = 0; input < inputs.size(); ++input)
    for (std::size_t index = 0; index < inputs[input].size(); ++index) {
      float& number = inputs[input][index];
      const float kept = number;
      number = kept + 0.75F;
      const Floats changed = run(inputs);
      for (const float nan :
           {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::quiet_NaN()}) {
        number = nan;
        const Floats got = run(inputs);
        for (std::size_t i = 0; i < before.size(); ++i) {
          if (changed[i] == before[i]) continue;
          ++changes;
          ASSERT_TRUE(std::isnan(got[i]))
              << "input " << input << ", number " << index << ": output " << i << " is " << got[i];
        }
      }
      number = kept;
    }
  EXPECT_GT(changes, 0);
}

}  // namespace heed::kernels
