// Data that is too large for memory: bytes that are appended, then only read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/descriptor.h"

namespace heed {

/// The folder for bytes that memory should not hold.
struct ScratchFolder {
  ScratchFolder(std::string in = "", bool for_others = false)
      : path(std::move(in)), shared(for_others) {}
  std::string path;  // empty: the bytes stay in memory
  bool shared;       // all bytes go there, so that other processes can map them
};

/// Keeps up to `memory` bytes to itself and puts the rest into a file without a name, which is gone
/// with the process. Sealed, that file is mapped: the system brings its pages when they are read
/// and may drop them again, so that they never press on other memory.
class Scratch {
 public:
  static constexpr std::size_t kMemory = 1 << 20;

  explicit Scratch(ScratchFolder folder = {}, std::size_t memory = kMemory)
      : folder_(std::move(folder)), memory_(memory) {}

  /// Throws Failure naming the folder where it cannot be written or is full.
  void append(std::string_view bytes);
  /// Ends the appending; data() can be read afterwards.
  void seal();
  const char* data() const { return map_.data() != nullptr ? map_.data() : buffer_.data(); }
  std::size_t size() const { return written_ + buffer_.size(); }
  /// Returns the number of bytes in the file.
  std::size_t on_disk() const { return written_; }

  /// A word by which another process of this user and machine finds the sealed bytes while this one
  /// keeps them. They must be in a shared folder.
  std::string address() const;
  /// The sealed bytes with this address. Throws Failure where they cannot be found.
  static Scratch at(const std::string& address);

 private:
  void flush();
  void map();
  [[noreturn]] void fail(int error) const;

  ScratchFolder folder_;
  std::size_t memory_;
  std::vector<char> buffer_;
  Descriptor file_;
  std::size_t written_ = 0;
  Mapping map_;
};

/// A Scratch of plain values.
template <class T>
class ScratchArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit ScratchArray(ScratchFolder folder = {}) : bytes_(std::move(folder)) {}
  void append(std::span<const T> values) {
    bytes_.append({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  }
  void push_back(const T& value) { append({&value, 1}); }
  void seal() { bytes_.seal(); }
  int64_t size() const { return static_cast<int64_t>(bytes_.size() / sizeof(T)); }
  std::size_t on_disk() const { return bytes_.on_disk(); }
  std::string address() const { return bytes_.address(); }
  static ScratchArray at(const std::string& address) {
    ScratchArray array;
    array.bytes_ = Scratch::at(address);
    return array;
  }
  /// This and slice() need a sealed array.
  const T& operator[](int64_t i) const { return reinterpret_cast<const T*>(bytes_.data())[i]; }
  std::span<const T> slice(int64_t begin, int64_t end) const {
    return {&(*this)[begin], static_cast<std::size_t>(end - begin)};
  }

 private:
  Scratch bytes_;
};

}  // namespace heed
