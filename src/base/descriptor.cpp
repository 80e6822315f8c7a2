#include "base/descriptor.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "base/strings.h"

namespace heed {

int Descriptor::close() {
  return open() ? ::close(std::exchange(number_, -1)) : 0;
}

bool write_all(const Descriptor& file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.number(), bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

Mapping::Mapping(const Descriptor& file, std::size_t size, Access access) {
  const int protection = access == Access::read ? PROT_READ : PROT_READ | PROT_WRITE;
  const int sharing = !file.open()             ? MAP_PRIVATE | MAP_ANONYMOUS
                      : access == Access::copy ? MAP_PRIVATE
                                               : MAP_SHARED;
  void* const map = ::mmap(nullptr, size, protection, sharing, file.number(), 0);
  data_ = {map == MAP_FAILED ? nullptr : static_cast<char*>(map), Unmap{size}};
}

void Mapping::Unmap::operator()(char* data) const {
  ::munmap(data, size);
}

MemoryFile::MemoryFile(const char* name, std::string_view bytes)
    : file_(::memfd_create(name, MFD_CLOEXEC)) {
  if (!file_.open() || !write_all(file_, bytes))
    throw std::system_error(errno, std::generic_category());
  // Not getpid(): /proc may belong to another namespace of processes than this one.
  std::error_code ignored;
  path_ = "/proc/" + std::filesystem::read_symlink("/proc/self", ignored).string() + "/fd/" +
          std::to_string(file_.number());
}

void Scratch::append(std::string_view bytes) {
  expect(map_.data() == nullptr, "append after seal");
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  if (!place_.folder.empty() && buffer_.size() > memory_) flush();
}

void Scratch::seal() {
  if (map_.data() != nullptr || size() == 0) return;
  if (written_ == 0 && !place_.shared) return;
  flush();
  buffer_.shrink_to_fit();
  map();
}

void Scratch::map() {
  map_ = Mapping(file_, written_, Mapping::Access::read);
  if (map_.data() == nullptr) fail(errno);
  // Read here and there: with the pages around each, the system would read a hundred times as much.
  ::madvise(map_.data(), written_, MADV_RANDOM);
}

// write() rather than a writable map: it reports a full disk, where a map would only crash.
void Scratch::flush() {
  if (!file_.open()) {
    std::string name = place_.folder + "/heed.XXXXXX";
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
  expect(map_.data() != nullptr && buffer_.empty(), "sealed in a shared place");
  return std::to_string(::getpid()) + "/" + std::to_string(file_.number()) + "/" +
         std::to_string(written_);
}

Scratch Scratch::at(const std::string& address) {
  Scratch found;
  if (address == "-") return found;
  const auto parts = split(address, '/');
  expect(parts.size() == 3, "an address of Scratch");
  found.place_.folder = "/proc/" + parts[0] + "/fd/" + parts[1];
  found.file_ = Descriptor(::open(found.place_.folder.c_str(), O_RDONLY | O_CLOEXEC));
  if (!found.file_.open()) found.fail(errno);
  found.written_ = std::stoull(parts[2]);
  if (::lseek(found.file_.number(), 0, SEEK_END) != static_cast<off_t>(found.written_))
    found.fail(ESTALE);
  found.map();
  return found;
}

void Scratch::fail(int error) const {
  throw Failure("{}: cannot hold a temporary file: {}", place_.folder, error_text(error));
}

}  // namespace heed
