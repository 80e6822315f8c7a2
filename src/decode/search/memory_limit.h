// The size of batch that memory suffices for, learned from searches for which it did not.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace heed::decode {

/// The limit of one translator, for all of its requests and threads.
class MemoryLimit {
 public:
  /// The search of a batch of sentences. `tokens_of` returns how many padded source pieces some of
  /// them have together, `name_of` what messages call a sentence, and `run` searches some of them.
  struct Search {
    std::function<int64_t(const std::vector<int64_t>&)> tokens_of;
    std::function<std::string(int64_t)> name_of;
    std::function<void(const std::vector<int64_t>&)> run;
  };

  /// Runs the search of the whole batch. Where memory does not suffice, and for batches as large as
  /// one for which it did not, the batch is searched in halves; a warning says so once. Throws
  /// Failure where memory does not suffice for one sentence.
  void search(const std::vector<int64_t>& batch, const Search& search);

 private:
  void note_too_large(const std::vector<int64_t>& batch, const Search& search);

  std::atomic<int64_t> too_large_ = std::numeric_limits<int64_t>::max();  // padded pieces
};

}  // namespace heed::decode
