#include "ranks/shared_memory.h"

#include <ATen/ATen.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/files.h"

namespace heed::ranks {
namespace {

// The facts of its memory that a rank sends before the sizes.
enum MemoryField : std::size_t { kProcess, kFile, kBytes, kOffset, kSizes };

[[noreturn]] void fail(int error = errno) {
  throw Failure("ranks cannot share memory: " + error_text(error));
}

}  // namespace

/// Maps the memory of a file that another process has open.
SharedMemory::Shared SharedMemory::found(int64_t process, int64_t file, std::size_t bytes) {
  const std::string path = "/proc/" + std::to_string(process) + "/fd/" + std::to_string(file);
  const Descriptor opened(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!opened.open()) fail();
  Shared shared{Mapping(opened, bytes, Mapping::Access::write), file};
  if (shared.map.data() == nullptr) fail();
  return shared;
}

/// Two halves take turns: who writes into one knows that all have read what was in it, for they
/// have come to the exchange after that one.
void SharedMemory::reserve(std::size_t bytes) {
  if (half() >= bytes) return;
  const std::size_t page = 1 << 16;
  const std::size_t size = 2 * ((bytes + page - 1) / page * page);
  Descriptor file(::memfd_create("heed", MFD_CLOEXEC));
  if (!file.open()) fail();
  if (const int error = reserve_space(file.number(), size); error != 0) fail(error);
  mine_ = Mapping(file, size, Mapping::Access::write);
  if (mine_.data() == nullptr) fail();
  files_.push_back(std::move(file));  // older ones stay open: others may be about to map them
}

SharedMemory::Numbers SharedMemory::put(const Tensor& tensor) {
  reserve(tensor.nbytes());
  const std::size_t offset = (turn_++ % 2 == 0) ? 0 : half();
  if (tensor.nbytes() > 0)
    std::memcpy(mine_.data() + offset, tensor.const_data_ptr(), tensor.nbytes());
  return {::getpid(), files_.empty() ? -1 : files_.back().number(),
          static_cast<int64_t>(mine_.size()), static_cast<int64_t>(offset)};
}

/// Returns what each rank sends about its memory, once that is mapped here. Where any is new nobody
/// goes on before all have mapped it: it may be gone with its rank.
std::vector<SharedMemory::Numbers> SharedMemory::exchange_memory(const Numbers& mine,
                                                                 const Gather& gather) {
  const std::vector<Numbers> memory = gather(mine);
  bool any_new = false;
  for (std::size_t rank = 0; rank < maps_.size(); ++rank) {
    const Numbers& its = memory[rank];
    if (its[kFile] < 0 || maps_[rank].file == its[kFile]) continue;
    maps_[rank] = found(its[kProcess], its[kFile], static_cast<std::size_t>(its[kBytes]));
    any_new = true;
  }
  if (any_new) gather({0});
  return memory;
}

Tensor SharedMemory::exchange(const Tensor& sent, const Numbers& sent_sizes, const Gather& gather) {
  Numbers mine = put(sent);
  mine.insert(mine.end(), sent_sizes.begin(), sent_sizes.end());
  const std::vector<Numbers> memory = exchange_memory(mine, gather);
  const auto size = static_cast<int64_t>(maps_.size());
  const auto sizes_of = [&](int64_t rank) { return memory[rank].begin() + kSizes; };
  int64_t received = 0;
  for (int64_t rank = 0; rank < size; ++rank) received += sizes_of(rank)[rank_];
  const Tensor all = at::empty({received}, sent.options());
  const auto item = static_cast<int64_t>(sent.element_size());
  char* to = static_cast<char*>(all.mutable_data_ptr());
  for (int64_t rank = 0; rank < size; ++rank) {
    int64_t before = 0;
    for (int64_t other = 0; other < rank_; ++other) before += sizes_of(rank)[other];
    const int64_t bytes = sizes_of(rank)[rank_] * item;
    if (bytes == 0) continue;
    std::memcpy(to, maps_[rank].map.data() + memory[rank][kOffset] + before * item,
                static_cast<std::size_t>(bytes));
    to += bytes;
  }
  return all;
}

Tensor SharedMemory::gather_all(const Tensor& mine, const Gather& gather) {
  const std::vector<Numbers> memory = exchange_memory(put(mine), gather);
  const auto size = static_cast<int64_t>(maps_.size());
  const Tensor all = at::empty({size * mine.numel()}, mine.options());
  char* to = static_cast<char*>(all.mutable_data_ptr());
  for (int64_t rank = 0; rank < size && mine.nbytes() > 0; ++rank) {
    std::memcpy(to, maps_[rank].map.data() + memory[rank][kOffset], mine.nbytes());
    to += mine.nbytes();
  }
  return all;
}

}  // namespace heed::ranks
