// A set of 64-bit hashes at 11 to 22 bytes each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace heed::data {

class HashSet {
 public:
  /// Adds a hash; returns whether it is new. 0 and 1 are the same value.
  bool insert(uint64_t hash) {
    if (4 * (count_ + 1) > 3 * slots_.size()) grow();
    uint64_t& slot = slots_[slot_of(hash)];
    const bool is_new = slot == 0;
    slot = named(hash);
    count_ += is_new;
    return is_new;
  }
  bool contains(uint64_t hash) const { return count_ > 0 && slots_[slot_of(hash)] != 0; }
  std::size_t size() const { return count_; }

 private:
  static uint64_t named(uint64_t hash) { return hash == 0 ? 1 : hash; }  // 0: an empty slot

  /// The slot of the hash, or the empty slot where it belongs.
  std::size_t slot_of(uint64_t hash) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = named(hash) & mask;
    while (slots_[at] != 0 && slots_[at] != named(hash)) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    std::vector<uint64_t> old(slots_.empty() ? 64 : 2 * slots_.size());
    std::swap(old, slots_);
    for (const uint64_t hash : old)
      if (hash != 0) slots_[slot_of(hash)] = hash;
  }

  std::vector<uint64_t> slots_;  // their number is a power of two
  std::size_t count_ = 0;
};

}  // namespace heed::data
