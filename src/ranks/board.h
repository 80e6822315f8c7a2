// What the ranks of one machine show to the process that has started them: at which update each is.
// No Torch here.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace heed::ranks {

/// Numbers in a file that all map; one writes each.
class Board {
 public:
  /// A place for `size` numbers, all 0, in `folder`; or the one that is there. Shown to nobody
  /// where `folder` is empty. Throws Failure.
  Board(const std::string& folder, int64_t size);
  ~Board();
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  void show(int64_t rank, int64_t update) const { numbers_[rank].store(update); }
  int64_t at(int64_t rank) const { return numbers_[rank].load(); }

 private:
  std::atomic<int64_t>* numbers_;
  std::size_t bytes_;
};

}  // namespace heed::ranks
