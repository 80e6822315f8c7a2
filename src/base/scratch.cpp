#include "base/scratch.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/strings.h"

namespace heed {

Scratch::Scratch(ScratchPlace place, std::size_t memory)
    : place_(std::move(place)), memory_(memory) {}

Scratch::~Scratch() {
  if (map_ != nullptr) ::munmap(const_cast<char*>(map_), written_);
  if (descriptor_ >= 0) ::close(descriptor_);
}

Scratch::Scratch(Scratch&& other) noexcept
    : place_(std::move(other.place_)),
      memory_(other.memory_),
      buffer_(std::move(other.buffer_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      written_(std::exchange(other.written_, 0)),
      map_(std::exchange(other.map_, nullptr)) {}

Scratch& Scratch::operator=(Scratch&& other) noexcept {
  std::swap(place_, other.place_);
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
  if (!place_.folder.empty() && buffer_.size() > memory_) flush();
}

void Scratch::seal() {
  if (map_ != nullptr || size() == 0) return;
  if (written_ == 0 && !place_.shared) return;
  flush();
  buffer_.shrink_to_fit();
  map();
}

void Scratch::map() {
  void* map = ::mmap(nullptr, written_, PROT_READ, MAP_SHARED, descriptor_, 0);
  if (map == MAP_FAILED) fail(errno);
  // Read here and there: with the pages around each, the system would read a hundred times as much.
  ::madvise(map, written_, MADV_RANDOM);
  map_ = static_cast<const char*>(map);
}

// write() rather than a writable map: it reports a full disk, where a map would only crash.
void Scratch::flush() {
  if (descriptor_ < 0) {
    std::string name = place_.folder + "/heed.XXXXXX";
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

std::string Scratch::address() const {
  if (size() == 0) return "-";
  expect(map_ != nullptr && buffer_.empty(), "sealed in a shared place");
  return std::to_string(::getpid()) + "/" + std::to_string(descriptor_) + "/" +
         std::to_string(written_);
}

Scratch Scratch::at(const std::string& address) {
  Scratch found;
  if (address == "-") return found;
  const auto parts = split(address, '/');
  expect(parts.size() == 3, "an address of Scratch");
  found.place_.folder = "/proc/" + parts[0] + "/fd/" + parts[1];
  found.descriptor_ = ::open(found.place_.folder.c_str(), O_RDONLY | O_CLOEXEC);
  if (found.descriptor_ < 0) found.fail(errno);
  found.written_ = std::stoull(parts[2]);
  if (::lseek(found.descriptor_, 0, SEEK_END) != static_cast<off_t>(found.written_))
    found.fail(ESTALE);
  found.map();
  return found;
}

void Scratch::fail(int error) const {
  throw Failure(place_.folder +
                ": cannot hold a temporary file: " + std::generic_category().message(error));
}

}  // namespace heed
