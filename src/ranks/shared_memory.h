// The ranks of one machine exchange data through memory that all of them map, which is several
// times as fast as loopback.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/descriptor.h"
#include "kernels/tensor.h"

namespace heed::ranks {

class SharedMemory {
 public:
  using Numbers = std::vector<int64_t>;
  /// A function that returns each rank's numbers, on all: whoever returns knows that all have
  /// called it.
  using Gather = std::function<std::vector<Numbers>(const Numbers&)>;

  SharedMemory(int64_t rank, int64_t size) : rank_(rank), maps_(size) {}

  /// Does the work of Group::exchange() for contiguous tensors of the CPU.
  Tensor exchange(const Tensor& sent, const Numbers& sent_sizes, const Gather& gather);
  /// Returns [size * n] for [n] of each rank.
  Tensor gather_all(const Tensor& mine, const Gather& gather);

 private:
  /// Memory of a rank, and its file there.
  struct Shared {
    Mapping map;
    int64_t file = -1;
  };

  static Shared found(int64_t process, int64_t file, std::size_t bytes);
  void reserve(std::size_t bytes);
  std::size_t half() const { return mine_.size() / 2; }
  std::vector<Numbers> exchange_memory(const Numbers& mine, const Gather& gather);
  Numbers put(const Tensor& tensor);

  int64_t rank_;
  int64_t turn_ = 0;
  std::vector<Descriptor> files_;  // of this rank, the last one in use
  Mapping mine_;
  std::vector<Shared> maps_;  // of each rank, also of this one
};

}  // namespace heed::ranks
