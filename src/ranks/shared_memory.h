// What the ranks of one machine give each other goes through memory that all of them map: several
// times as fast as loopback.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/tensor.h"

namespace heed::ranks {

class SharedMemory {
 public:
  using Numbers = std::vector<int64_t>;
  /// Each rank's numbers, on all: whoever returns knows that all have called it.
  using Gather = std::function<std::vector<Numbers>(const Numbers&)>;

  SharedMemory(int64_t rank, int64_t size) : rank_(rank), maps_(size) {}
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  /// As Group::exchange(), for contiguous tensors of the CPU.
  Tensor exchange(const Tensor& sent, const Numbers& sent_sizes, const Gather& gather);
  /// [size * n] for [n] of each.
  Tensor gather_all(const Tensor& mine, const Gather& gather);

 private:
  /// A stretch of memory, made here or found in another process.
  class Map {
   public:
    Map() = default;
    Map(int64_t process, int64_t file, std::size_t bytes);
    ~Map();
    Map(Map&& other) noexcept;
    Map& operator=(Map&& other) noexcept;
    char* data() const { return data_; }
    std::size_t size() const { return bytes_; }
    int64_t file() const { return file_; }

   private:
    char* data_ = nullptr;
    std::size_t bytes_ = 0;
    int64_t file_ = -1;
  };

  void reserve(std::size_t bytes);
  std::size_t half() const { return mine_.size() / 2; }
  std::vector<Numbers> tell(const Numbers& mine, const Gather& gather);
  Numbers put(const Tensor& tensor);

  int64_t rank_;
  int64_t turn_ = 0;
  std::vector<int> files_;  // of this rank, the last one in use
  Map mine_;
  std::vector<Map> maps_;  // of each rank, also of this one
};

}  // namespace heed::ranks
