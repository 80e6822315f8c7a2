#include "text/lines.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <utility>

#include "base/error.h"
#include "base/new_name.h"
#include "base/strings.h"
#include "text/binary_form.h"
#include "text/bytes.h"
#include "text/no_text.h"
#include "text/tmx_lines.h"
#include "text/utf8.h"

namespace heed::text {
namespace {

constexpr std::size_t kReadAtOnce = 1 << 16;
constexpr std::size_t kLongestLine = 4 << 20;  // SentencePiece takes 100 times as much memory
constexpr int64_t kAccidents = 10;             // fewer broken lines than this are accidents

std::string place(const std::string& path, int64_t line) {
  return fmt::format("{}:{}: ", shown_name(path), line);
}

/// The last position, at most `most` < text.size(), where a character ends.
std::size_t end_of_character(std::string_view text, std::size_t most) {
  std::size_t end = most;
  while (end > most - 3 && (text[end] & 0xC0) == 0x80) --end;
  return end;
}

/// The bytes of a text.
class TextSource : public ByteSource {
 public:
  explicit TextSource(std::string text) : text_(std::move(text)) {}

  std::size_t read(char* out, std::size_t size) override {
    const std::size_t count = std::string_view(text_).substr(at_).copy(out, size);
    at_ += count;
    return count;
  }

 private:
  std::string text_;
  std::size_t at_ = 0;
};

constexpr std::pair<const char*, std::string_view> kByteOrderMarks[] = {
    {"UTF-32", {"\xFF\xFE\0\0", 4}},
    {"UTF-32", {"\0\0\xFE\xFF", 4}},
    {"UTF-16", "\xFF\xFE"},
    {"UTF-16", "\xFE\xFF"}};

/// What follows the place in a message, for a text in another encoding.
std::string not_utf8(const Encoding& encoding, const std::string& command) {
  return fmt::format(
      "not UTF-8, like {} of the {} lines with letters beyond ASCII; if it is of Western Europe, "
      "convert it: {}",
      encoding.repaired - encoding.with_nul, encoding.beyond_ascii, command);
}

/// Counts a line.
void count_in(std::string_view raw, int64_t number, Encoding& encoding) {
  if (raw.find('\r') != std::string_view::npos)
    encoding.inner_returns +=
        std::ranges::count(raw.substr(0, raw.find_last_not_of('\r') + 1), '\r');
  const bool nul = raw.find('\0') != std::string_view::npos, ascii = is_ascii(raw);
  if (nul)
    for (std::size_t i = 0; i < raw.size(); ++i)
      encoding.nuls[(encoding.bytes + static_cast<int64_t>(i)) % 2] += raw[i] == '\0';
  if (number == 1) encoding.has_mark = raw.starts_with("\xFF\xFE") || raw.starts_with("\xFE\xFF");
  encoding.bytes += std::ssize(raw) + 1;
  if (ascii && !nul) return;
  encoding.beyond_ascii += !ascii;
  const bool broken = !ascii && !is_utf8(raw);
  encoding.with_nul += nul;
  encoding.not_utf8 += broken;
  if ((nul || broken) && encoding.repaired++ == 0) encoding.first_repaired = number;
}

/// Letters of Europe have NUL as the upper half, which comes first or second.
const char* utf16_of(const Encoding& encoding) {
  if (encoding.has_mark) return "UTF-16";
  return encoding.nuls[1] >= encoding.nuls[0] ? "UTF-16LE" : "UTF-16BE";
}

}  // namespace

std::string clean_line(std::string_view raw) {
  if (raw.ends_with('\r')) raw.remove_suffix(1);
  return repair(raw);
}

LineReader::LineReader(const std::string& path, LongLines long_lines)
    : path_(path), long_lines_(long_lines) {
  telling(place(path_, 1), [&] { bytes_ = open_bytes(path); });
}
LineReader::LineReader(std::string text, const std::string& name, LongLines long_lines)
    : path_(name), long_lines_(long_lines), bytes_(std::make_unique<TextSource>(std::move(text))) {}
LineReader::~LineReader() = default;
LineReader::LineReader(LineReader&&) noexcept = default;
LineReader& LineReader::operator=(LineReader&&) noexcept = default;

bool LineReader::fill() {
  buffer_.erase(0, start_);
  scanned_ = buffer_.size();
  start_ = 0;
  if (scanned_ > kLongestLine) {
    refuse_unless_cut();
    scanned_ = kLongestLine + 1;  // the rest is read and forgotten
  }
  buffer_.resize(scanned_ + kReadAtOnce);
  telling(place(path_, line_number_ + 1),
          [&] { buffer_.resize(scanned_ + bytes_->read(buffer_.data() + scanned_, kReadAtOnce)); });
  return buffer_.size() > scanned_;
}

void LineReader::refuse_unless_cut() const {
  if (long_lines_ == LongLines::refuse)
    throw UserError(place(path_, line_number_ + 1) + "a line of more than 4 MiB; is this text?");
}

/// Moves scanned_ to the next line feed; false where the buffer has none.
bool LineReader::find_end() {
  const std::size_t end = buffer_.find('\n', scanned_);
  scanned_ = std::min(end, buffer_.size());
  return end != std::string::npos;
}

bool LineReader::ready(int milliseconds) {
  while (!ended_ && !find_end()) {
    if (!bytes_->ready(milliseconds)) return false;
    ended_ = !fill();
  }
  return true;
}

bool LineReader::next(std::string& line) {
  while (!find_end() && !ended_) ended_ = !fill();
  if (line_number_ == 0) look_for_text();
  const std::size_t end = scanned_;
  if (ended_ && start_ >= buffer_.size()) return false;
  std::string_view raw = std::string_view(buffer_).substr(start_, end - start_);
  was_cut_ = raw.size() > kLongestLine;
  if (was_cut_) {
    refuse_unless_cut();
    raw = raw.substr(0, end_of_character(raw, kLongestLine));
  }
  line = clean_line(raw);
  ++line_number_;
  count_in(raw, line_number_, encoding_);
  was_open_ = end == buffer_.size();
  start_ = scanned_ = std::min(end + 1, buffer_.size());
  return true;
}

/// Sets no_text_ from the beginning of the file, or as much of it as is there: a pipe is not waited
/// for.
void LineReader::look_for_text() {
  if (tmx_side(path_)) return;  // its reader has looked
  while (!ended_ && buffer_.size() < kBeginning && bytes_->ready(0)) ended_ = !fill();
  scanned_ = start_;
  find_end();
  const std::string_view beginning = std::string_view(buffer_).substr(start_);
  const auto found = text::no_text(beginning);
  if (!found) return;
  // Somebody may have typed the words to see them translated.
  if (found->is_one_line && path_ == "-" && long_lines_ == LongLines::cut) return;
  no_text_ =
      name() + ": " + (found->ending == "tmx" ? tmx_needs_language(path_, beginning) : found->what);
  if (!found->program.empty())
    no_text_ += ": " + command_through(found->program, found->makes_table);
  if (found->is_pointer || long_lines_ == LongLines::refuse) throw UserError(no_text_);
}

std::string LineReader::name() const {
  return shown_name(path_);
}

std::string LineReader::command_to_convert(const std::string& encoding) const {
  return text::command_to_convert(path_, encoding, bytes_->unpacked_by());
}

std::string LineReader::command_through(const std::string& program, bool makes_table) const {
  const std::string unpack = bytes_->unpacked_by(), old = path_ == "-" ? "OLD" : shell_word(path_);
  const std::string made = makes_table ? new_name(path_, ".tsv") : new_name_for(path_);
  return unpack.empty() ? fmt::format("{} < {} > {}", program, old, made)
                        : fmt::format("{} < {} | {} > {}", unpack, old, program, made);
}

std::optional<std::string> encoding_flaw(const LineReader& reader) {
  const Encoding& encoding = reader.encoding();
  const int64_t lines = reader.line_number();
  if (encoding.inner_returns > (lines == 1 ? 0 : lines))
    return fmt::format(
        "{}: carriage returns (CR) without line feeds end its lines, {} of them; convert it: {}",
        reader.name(), encoding.inner_returns, reader.command_through("tr '\\r' '\\n'"));
  const std::string here = place(reader.path(), encoding.first_repaired);
  if (encoding.with_nul >= kAccidents && 2 * encoding.with_nul > reader.line_number())
    return fmt::format("{}a NUL byte, as in {} of {} lines; if it is UTF-16, convert it: {}", here,
                       encoding.with_nul, reader.line_number(),
                       reader.command_to_convert(utf16_of(encoding)));
  const int64_t broken = encoding.repaired - encoding.with_nul;
  if (broken < kAccidents || 2 * broken <= encoding.beyond_ascii) return std::nullopt;
  return here + not_utf8(encoding, reader.command_to_convert("WINDOWS-1252"));
}

std::optional<std::string> encoding_flaw(std::string_view document, const std::string& path,
                                         const std::string& unpacked_by) {
  if (const std::string_view form = binary_form(document); !form.empty())
    return fmt::format("{}: {}", shown_name(path), form);
  const auto convert = [&](const char* encoding) {
    return command_to_convert(path, encoding, unpacked_by);
  };
  for (const auto& [encoding, mark] : kByteOrderMarks)
    if (document.starts_with(mark))
      return fmt::format("{}text in {}; convert it: {}", place(path, 1), encoding,
                         convert(encoding));
  Encoding found;
  int64_t lines = 0;
  for (std::size_t from = 0; from < document.size(); ++lines) {
    const std::size_t end = std::min(document.find('\n', from), document.size());
    count_in(document.substr(from, end - from), lines + 1, found);
    from = end + 1;
  }
  const std::string here = place(path, found.first_repaired);
  if (2 * found.with_nul > lines)
    return fmt::format("{}a NUL byte, as in {} of {}; if it is UTF-16, convert it: {}", here,
                       found.with_nul, counted(lines, "line"), convert(utf16_of(found)));
  const int64_t broken = found.repaired - found.with_nul;
  if (2 * broken <= found.beyond_ascii) return std::nullopt;
  return here + not_utf8(found, convert("WINDOWS-1252"));
}

void require_utf8(const LineReader& reader) {
  if (const auto flaw = encoding_flaw(reader)) throw UserError(*flaw);
}

int64_t count_lines(const std::string& path) {
  LineReader reader(path, LongLines::cut);
  std::string line;
  while (reader.next(line)) {
  }
  return reader.line_number();
}

namespace fs = std::filesystem;

bool is_stream(const std::string& path) {
  // Recognised by its name: when a run is resumed, there may be no such descriptor.
  const std::string file = file_of_lines(path);
  for (const std::string_view start : {"/dev/fd/", "/proc/self/fd/"})
    if (file.starts_with(start)) return true;
  if (file == "-" || file == "/dev/stdin") return true;
  std::error_code none;
  return fs::is_other(fs::status(file, none));
}

}  // namespace heed::text
