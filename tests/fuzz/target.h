// Functions that all fuzz targets share: which exceptions are answers, and inputs as files.
//
// A target is one file of targets/ (targets/torch/ where it needs LibTorch), named after what it
// parses, with the entry point of libFuzzer. The same file is linked against libFuzzer and against
// driver.cpp, where CMake gives each entry point a name of its own.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/strings.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace heed::fuzz {

inline std::string_view text_of(const uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// The most that an error may quote of its input, with all that is said around it.
inline constexpr std::size_t kLongestMessage = 4000;

/// Runs `action`; true where it came to its end. heed's own errors are answers as long as each is
/// one short line, or a list of faults with such a line for each. Whatever else is thrown gets out,
/// and is a finding.
template <class Action>
bool answers(const Action& action) {
  const auto check_line = [](std::string_view line) {
    expect(line.find_first_of("\n\r") == std::string_view::npos, "a message of several lines");
    expect(line.size() <= kLongestMessage, "a message that quotes too much");
  };
  const auto check = [&](std::string_view message) {
    constexpr std::string_view kNext = "\n  ";
    constexpr int kMostLines = 11;
    const std::string_view head = message.substr(0, message.find(kNext));
    if (!head.ends_with(" faults") && !head.ends_with(" faults or more"))
      return check_line(message);
    for (int lines = 1; !message.empty(); ++lines) {
      expect(lines <= kMostLines, "a message of very many lines");
      const std::size_t end = std::min(message.find(kNext), message.size());
      check_line(message.substr(0, end));
      message.remove_prefix(std::min(end + kNext.size(), message.size()));
    }
  };
  try {
    action();
    return true;
  } catch (const UserError& error) {
    check(error.what());
  } catch (const Failure& error) {
    check(error.what());
  }
  return false;
}

/// Bytes as a file that is only in memory, for what reads files.
class InputFile {
 public:
  explicit InputFile(std::string_view bytes) : descriptor_(::memfd_create("input", MFD_CLOEXEC)) {
    expect(descriptor_ >= 0, "no file in memory");
    while (!bytes.empty()) {
      const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
      expect(written > 0, "no room in memory");
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  ~InputFile() { ::close(descriptor_); }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace heed::fuzz
