// Messages in the wire format of protocol buffers.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace heed {

/// A message, field by field.
class ProtobufMessage {
 public:
  ProtobufMessage& number(uint64_t field, uint64_t value) {
    key(field, 0);
    varint(value);
    return *this;
  }
  ProtobufMessage& real(uint64_t field, double value) {
    key(field, 1);
    fixed(std::bit_cast<uint64_t>(value), 8);
    return *this;
  }
  ProtobufMessage& single(uint64_t field, float value) {
    key(field, 5);
    fixed(std::bit_cast<uint32_t>(value), 4);
    return *this;
  }
  ProtobufMessage& bytes(uint64_t field, std::string_view value) {
    key(field, 2);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  ProtobufMessage& message(uint64_t field, const ProtobufMessage& value) {
    return bytes(field, value.bytes_);
  }
  const std::string& done() const { return bytes_; }

 private:
  void key(uint64_t field, uint64_t type) { varint(field << 3 | type); }
  void varint(uint64_t value) {
    for (; value >= 128; value >>= 7) bytes_ += static_cast<char>((value & 127) | 128);
    bytes_ += static_cast<char>(value);
  }
  void fixed(uint64_t value, int size) {
    for (int i = 0; i < size; ++i) bytes_ += static_cast<char>(value >> 8 * i & 255);
  }
  std::string bytes_;
};

}  // namespace heed
