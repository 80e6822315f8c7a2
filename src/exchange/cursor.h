// A reader of a file's bytes, from the first to the last, which nobody has checked.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/error.h"

namespace heed::exchange {

/// Each function throws UserError, which begins with `name`, where the bytes that it is to take are
/// not there.
class Cursor {
 public:
  /// Both arguments must outlive this object.
  Cursor(std::string_view bytes, const std::string& name) : rest_(bytes), name_(name) {}

  std::string_view bytes(uint64_t count) {
    if (count > rest_.size()) throw UserError("{}: truncated, or damaged", name_);
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  /// Takes a little-endian number.
  template <class Number>
  Number number() {
    Number value;
    std::memcpy(&value, bytes(sizeof value).data(), sizeof value);
    return value;
  }

  /// Takes `text` if it comes next.
  bool take(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  /// Takes the bytes before `end`, and `end`.
  std::string_view until(char end) {
    const std::string_view taken = bytes(std::min(rest_.find(end), rest_.size()));
    bytes(1);
    return taken;
  }

  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
  const std::string& name_;
};

}  // namespace heed::exchange
