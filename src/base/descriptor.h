// Open files, mapped memory and files in memory, which are given back by themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace heed {

/// A file descriptor; none where it is negative.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  int number() const { return number_; }
  bool open() const { return number_ >= 0; }
  /// Returns what close(2) does, 0 where there is none.
  int close();

 private:
  int number_;
};

/// Writes all of it. Returns false, with errno, where that fails.
bool write_all(const Descriptor& file, std::string_view bytes);

/// `size` bytes from the beginning of a file, seen by all that map it, or of this process alone
/// where there is no file.
class Mapping {
 public:
  enum class Access { read, write, copy };  // copy: the file stays as it is

  Mapping() = default;
  /// data() is nullptr, and errno says why, where that fails.
  Mapping(const Descriptor& file, std::size_t size, Access access);

  char* data() const { return data_.get(); }
  std::size_t size() const { return data_.get_deleter().size; }

 private:
  struct Unmap {
    std::size_t size;
    void operator()(char* data) const;
  };
  std::unique_ptr<char, Unmap> data_;
};

/// Programs of the same user open it by its path. It is gone with this process, however that ends.
class MemoryFile {
 public:
  /// `name` is what the system's lists of open files show. Throws std::system_error.
  MemoryFile(const char* name, std::string_view bytes);

  const std::string& path() const { return path_; }

 private:
  Descriptor file_;
  std::string path_;
};

}  // namespace heed
