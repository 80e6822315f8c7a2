// The ranks of one machine show their progress to the process that has started them: at which
// update each is, and whether they end because of a signal.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/descriptor.h"

namespace heed::ranks {

/// Numbers in a file that all map; one writes each.
class ProgressBoard {
 public:
  /// Makes a file for the numbers of `size` ranks, all 0, in `folder`, or takes the one that is
  /// there. Shown to nobody where `folder` is empty. Throws Failure.
  ProgressBoard(const std::string& folder, int64_t size);

  void show(int64_t rank, int64_t update) const { numbers()[rank].store(update); }
  int64_t at(int64_t rank) const { return numbers()[rank].load(); }

  /// All ranks end because one had a signal, and everything is saved.
  void show_interruption() const { numbers()[size_].store(1); }
  bool interrupted() const { return numbers()[size_].load() != 0; }

 private:
  /// [size + 1]
  std::atomic<int64_t>* numbers() const {
    return reinterpret_cast<std::atomic<int64_t>*>(map_.data());
  }

  int64_t size_;
  Mapping map_;
};

}  // namespace heed::ranks
