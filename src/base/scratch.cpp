#include "base/scratch.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "base/error.h"

namespace heed {

Scratch::Scratch(std::string folder, std::size_t memory)
    : folder_(std::move(folder)), memory_(memory) {}

Scratch::~Scratch() {
  if (map_ != nullptr) ::munmap(const_cast<char*>(map_), written_);
  if (descriptor_ >= 0) ::close(descriptor_);
}

Scratch::Scratch(Scratch&& other) noexcept
    : folder_(std::move(other.folder_)),
      memory_(other.memory_),
      buffer_(std::move(other.buffer_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      written_(std::exchange(other.written_, 0)),
      map_(std::exchange(other.map_, nullptr)) {}

Scratch& Scratch::operator=(Scratch&& other) noexcept {
  std::swap(folder_, other.folder_);
  std::swap(memory_, other.memory_);
  std::swap(buffer_, other.buffer_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(written_, other.written_);
  std::swap(map_, other.map_);
  return *this;
}

void Scratch::append(std::string_view bytes) {
  expect(map_ == nullptr, "append after seal");
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  if (!folder_.empty() && buffer_.size() > memory_) flush();
}

void Scratch::seal() {
  if (written_ == 0 || map_ != nullptr) return;
  flush();
  buffer_.shrink_to_fit();
  void* map = ::mmap(nullptr, written_, PROT_READ, MAP_SHARED, descriptor_, 0);
  if (map == MAP_FAILED) fail(errno);
  // Read here and there: with the pages around each, the system would read a hundred times as much.
  ::madvise(map, written_, MADV_RANDOM);
  map_ = static_cast<const char*>(map);
}

// write() rather than a writable map: it reports a full disk, where a map would only crash.
void Scratch::flush() {
  if (descriptor_ < 0) {
    std::string name = folder_ + "/heed.XXXXXX";
    descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);
    if (descriptor_ < 0) fail(errno);
    ::unlink(name.c_str());
  }
  for (std::size_t done = 0; done < buffer_.size();) {
    const ssize_t count = ::write(descriptor_, buffer_.data() + done, buffer_.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(errno);
    done += static_cast<std::size_t>(count);
  }
  written_ += buffer_.size();
  buffer_.clear();
}

void Scratch::fail(int error) const {
  throw Failure(folder_ +
                ": cannot hold a temporary file: " + std::generic_category().message(error));
}

}  // namespace heed
