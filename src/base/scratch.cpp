#include "base/scratch.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "base/error.h"
#include "base/strings.h"

namespace heed {

void Scratch::append(std::string_view bytes) {
  expect(map_.data() == nullptr, "append after seal");
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  if (!folder_.path.empty() && buffer_.size() > memory_) flush();
}

void Scratch::seal() {
  if (map_.data() != nullptr || size() == 0) return;
  if (written_ == 0 && !folder_.shared) return;
  flush();
  buffer_.shrink_to_fit();
  map();
}

void Scratch::map() {
  map_ = Mapping(file_, written_, Mapping::Access::read);
  if (map_.data() == nullptr) fail(errno);
  // Bytes are read at random: if the system also read the pages around them, it would read a
  // hundred times as much.
  ::madvise(map_.data(), written_, MADV_RANDOM);
}

// write() rather than a writable map: it reports a full disk, where a map would only crash.
void Scratch::flush() {
  if (!file_.open()) {
    std::string name = folder_.path + "/heed.XXXXXX";
    file_ = Descriptor(::mkostemp(name.data(), O_CLOEXEC));
    if (!file_.open()) fail(errno);
    ::unlink(name.c_str());
  }
  if (!write_all(file_, {buffer_.data(), buffer_.size()})) fail(errno);
  written_ += buffer_.size();
  buffer_.clear();
}

std::string Scratch::address() const {
  if (size() == 0) return "-";
  expect(map_.data() != nullptr && buffer_.empty(), "sealed in a shared folder");
  return std::to_string(::getpid()) + "/" + std::to_string(file_.number()) + "/" +
         std::to_string(written_);
}

Scratch Scratch::at(const std::string& address) {
  Scratch found;
  if (address == "-") return found;
  const auto parts = split(address, '/');
  expect(parts.size() == 3, "an address of Scratch");
  found.folder_.path = "/proc/" + parts[0] + "/fd/" + parts[1];
  found.file_ = Descriptor(::open(found.folder_.path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!found.file_.open()) found.fail(errno);
  found.written_ = std::stoull(parts[2]);
  if (::lseek(found.file_.number(), 0, SEEK_END) != static_cast<off_t>(found.written_))
    found.fail(ESTALE);
  found.map();
  return found;
}

void Scratch::fail(int error) const {
  throw Failure("{}: cannot hold a temporary file: {}", folder_.path, error_text(error));
}

}  // namespace heed
