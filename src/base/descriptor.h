// Open files, mapped memory and files in memory, released by their destructors.
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

/// A file descriptor that is closed with its object; a negative number means no file.
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
  /// Closes the file and returns the result of close(2), or 0 where there is no file.
  int close();

 private:
  int number_;
};

/// Writes all of `bytes`. Returns false, and sets errno, where that fails.
bool write_all(const Descriptor& file, std::string_view bytes);

/// Memory of `size` bytes: the beginning of a file, shared with all that map it, or, without a
/// file, memory of this process alone.
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

/// A file in memory, which programs of the same user open by its path. It is gone with this
/// process, however that ends.
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
