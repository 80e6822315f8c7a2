#include "text/lines.h"

#include <algorithm>

#include "base/error.h"
#include "text/bytes.h"

namespace heed::text {
namespace {

constexpr std::size_t kChunk = 1 << 16, kLongestLine = std::size_t{256} << 20;

std::string place(const std::string& path, int64_t line) {
  return (path == "-" ? "stdin" : path) + ":" + std::to_string(line) + ": ";
}

}  // namespace

std::string clean_line(std::string_view raw, bool first_of_file) {
  if (first_of_file && raw.starts_with("\xEF\xBB\xBF")) raw.remove_prefix(3);
  if (raw.ends_with('\r')) raw.remove_suffix(1);
  return repair(raw);
}

LineReader::LineReader(const std::string& path) : path_(path) {
  try {
    bytes_ = open_bytes(path);
  } catch (const BadBytes& error) {
    throw UserError(place(path_, 1) + error.what());
  }
}
LineReader::~LineReader() = default;
LineReader::LineReader(LineReader&&) noexcept = default;
LineReader& LineReader::operator=(LineReader&&) noexcept = default;

bool LineReader::fill() {
  buffer_.erase(0, start_);
  scanned_ = buffer_.size();
  start_ = 0;
  if (scanned_ > kLongestLine)
    throw UserError(place(path_, line_number_ + 1) + "a line of more than 256 MiB; is this text?");
  buffer_.resize(scanned_ + kChunk);
  try {
    buffer_.resize(scanned_ + bytes_->read(buffer_.data() + scanned_, kChunk));
  } catch (const BadBytes& error) {
    throw UserError(place(path_, line_number_ + 1) + error.what());
  }
  return buffer_.size() > scanned_;
}

bool LineReader::next(std::string& line) {
  std::size_t end;
  while ((end = buffer_.find('\n', scanned_)) == std::string::npos) {
    if (ended_ || !fill()) {
      ended_ = true;
      break;
    }
  }
  if (end == std::string::npos) end = buffer_.size();
  if (ended_ && start_ >= buffer_.size()) return false;
  line = clean_line(std::string_view(buffer_).substr(start_, end - start_), line_number_ == 0);
  ++line_number_;
  start_ = scanned_ = std::min(end + 1, buffer_.size());
  return true;
}

int64_t count_lines(const std::string& path) {
  LineReader reader(path);
  std::string line;
  while (reader.next(line)) {
  }
  return reader.line_number();
}

}  // namespace heed::text
