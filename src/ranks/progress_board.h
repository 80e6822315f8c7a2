// What the ranks of one machine show to the process that has started them: at which update each is,
// and whether they end because of a signal. No Torch here.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace heed::ranks {

/// Numbers in a file that all map; one writes each.
class ProgressBoard {
 public:
  /// A place for those of `size` ranks, all 0, in `folder`; or the one that is there. Shown to
  /// nobody where `folder` is empty. Throws Failure.
  ProgressBoard(const std::string& folder, int64_t size);
  ~ProgressBoard();
  ProgressBoard(const ProgressBoard&) = delete;
  ProgressBoard& operator=(const ProgressBoard&) = delete;

  void show(int64_t rank, int64_t update) const { numbers_[rank].store(update); }
  int64_t at(int64_t rank) const { return numbers_[rank].load(); }

  /// All ranks end because one had a signal, and everything is saved.
  void show_interruption() const { numbers_[size_].store(1); }
  bool interrupted() const { return numbers_[size_].load() != 0; }

 private:
  std::atomic<int64_t>* numbers_;  // [size + 1]
  int64_t size_;
  std::size_t bytes_;
};

}  // namespace heed::ranks
