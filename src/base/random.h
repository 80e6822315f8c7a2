// Random numbers that are the same on every machine and whose state is a value: xoshiro256**
// (Blackman and Vigna 2018), seeded through splitmix64. The standard library fixes neither its
// distributions nor std::shuffle.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>

namespace heed {

/// One step of splitmix64: mixes well, so that neighbouring seeds give unrelated streams.
constexpr uint64_t splitmix64(uint64_t& state) {
  uint64_t z = (state += 0x9E3779B97F4A7C15);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

/// Adds a number to a checksum, which depends on their order.
constexpr void mix_in(uint64_t& checksum, uint64_t value) {
  checksum ^= value;
  checksum = splitmix64(checksum);
}

/// One number out of several, for uses of one seed that are to be unrelated.
constexpr uint64_t mix(std::initializer_list<uint64_t> values) {
  uint64_t mixed = 0;
  for (const uint64_t value : values) mix_in(mixed, value);
  return mixed;
}

class Random {
 public:
  using State = std::array<uint64_t, 4>;

  /// `stream` separates uses of one seed (an epoch, a sentence): each has its own sequence.
  explicit constexpr Random(uint64_t seed, uint64_t stream = 0) {
    uint64_t mixed = stream;
    uint64_t start = seed ^ splitmix64(mixed);
    for (auto& word : state_) word = splitmix64(start);
  }
  explicit constexpr Random(const State& state) : state_(state) {}

  /// The state for checkpoints: Random(state()) goes on with the same numbers.
  constexpr const State& state() const { return state_; }

  /// Returns 64 random bits.
  constexpr uint64_t next() {
    const uint64_t result = rotate(state_[1] * 5, 7) * 9;
    const uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  /// A number in [0, 1) with 53 random bits.
  constexpr double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  /// A number in [0, bound), each equally likely; bound > 0. Values of the last, incomplete round
  /// are drawn again.
  constexpr uint64_t below(uint64_t bound) {
    const uint64_t unfair = (0 - bound) % bound;
    uint64_t value = next();
    while (value < unfair) value = next();
    return value % bound;
  }

  /// Shuffles anything with size() and [], by Fisher-Yates.
  template <class Range>
  constexpr void shuffle(Range& items) {
    for (std::size_t left = items.size(); left > 1; --left) {
      using std::swap;
      swap(items[left - 1], items[static_cast<std::size_t>(below(left))]);
    }
  }

 private:
  static constexpr uint64_t rotate(uint64_t x, int by) { return (x << by) | (x >> (64 - by)); }
  State state_{};
};

}  // namespace heed
