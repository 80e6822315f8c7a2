// JSON lines, and JSON: the strings of some keys.
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/format.h"
#include "base/strings.h"
#include "document/format.h"
#include "document/lines_of_text.h"
#include "document/passage.h"
#include "document/segment.h"
#include "document/table_cells.h"
#include "document/token.h"
#include "text/utf8.h"

namespace heed::document {
namespace {

constexpr std::string_view kJsonBlanks = " \t\r\n";

/// A character of a string, as bytes of the document.
struct JsonCharacter {
  std::size_t bytes = 1;
  bool is_escape = false;
  std::optional<char32_t> value;  // of an escape; none for half of a pair of surrogates
};

/// The code unit of the escape \uXXXX that begins with these bytes.
std::optional<uint32_t> unit_at(std::string_view text) {
  constexpr std::size_t kBytes = 6;
  if (text.size() < kBytes || !text.starts_with("\\u")) return std::nullopt;
  uint32_t unit = 0;
  const char* const end = text.data() + kBytes;
  const auto [rest, error] = std::from_chars(text.data() + 2, end, unit, /*base=*/16);
  return error == std::errc() && rest == end ? std::optional(unit) : std::nullopt;
}

/// The escape that the text begins with; nothing where it is none of JSON's.
std::optional<JsonCharacter> escape_at(std::string_view text) {
  if (text.size() < 2) return std::nullopt;
  constexpr std::string_view kLetters = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
  if (const std::size_t letter = kLetters.find(text[1]); letter != std::string_view::npos)
    return JsonCharacter{
        .bytes = 2, .is_escape = true, .value = static_cast<unsigned char>(kMeanings[letter])};
  const auto first = unit_at(text);
  if (!first) return std::nullopt;
  const auto is_in = [](uint32_t unit, uint32_t from) {
    return unit >= from && unit < from + 0x400;
  };
  JsonCharacter character{.bytes = 6, .is_escape = true, .value = std::nullopt};
  if (!is_in(*first, 0xD800) && !is_in(*first, 0xDC00)) {
    character.value = *first;
  } else if (const auto second = unit_at(text.substr(6));
             is_in(*first, 0xD800) && second && is_in(*second, 0xDC00)) {
    character.bytes = 12;
    character.value = 0x10000 + ((*first - 0xD800) << 10) + (*second - 0xDC00);
  }
  return character;
}

/// Reads values of JSON one after the other, and tells of each string its path and its bytes
/// between the quotes. It has no limit of depth.
class StringReader {
 public:
  explicit StringReader(std::string_view bytes) : bytes_(bytes), at_(after_mark(bytes)) {}

  /// Moves to the next string that is a value; false at the end. Throws UserError, which begins
  /// with the line, where the bytes are not JSON.
  bool next() {
    for (;;) {
      at_ = std::min(bytes_.find_first_not_of(kJsonBlanks, at_), bytes_.size());
      if (at_ == bytes_.size()) {
        if (!open_.empty()) fail(opened_at_, "has no end");
        return false;
      }
      if (take()) return true;
    }
  }

  /// The keys from the outermost object to the string, with `.` between them. Lists have no part
  /// in it.
  const std::string& path() const { return path_; }
  ByteRange string() const { return string_; }

 private:
  enum class Expected { value, value_or_end, key, key_or_end, value_of_key, separator };
  struct Open {
    bool is_object;
    std::size_t path_bytes;
  };

  [[noreturn]] void fail(std::size_t at, std::string_view what) const {
    throw UserError("{}: '{}' {}; this is not JSON", line_at(bytes_, at),
                    one_line(bytes_.substr(at, 20)), what);
  }

  /// Takes one sign, key or value; true where it is a string.
  bool take() {
    using enum Expected;
    const char c = bytes_[at_];
    const bool may_end = expected_ == value_or_end || expected_ == key_or_end ||
                         (expected_ == separator && !open_.empty());
    if (may_end && c == (open_.back().is_object ? '}' : ']')) {
      ++at_;
      path_.resize(open_.back().path_bytes);
      open_.pop_back();
      expected_ = separator;
      return false;
    }
    switch (expected_) {
      case separator:
        if (open_.empty()) {  // the next line
          expected_ = value;
          return false;
        }
        if (c != ',') fail(at_, "stands where a comma or the end of a value belongs");
        ++at_;
        expected_ = open_.back().is_object ? key : value;
        return false;
      case key:
      case key_or_end:
        take_key();
        return false;
      default:
        return take_value();
    }
  }

  void take_key() {
    if (bytes_[at_] != '"') fail(at_, "stands where a key belongs");
    take_string();
    path_.resize(open_.back().path_bytes);
    if (!path_.empty()) path_ += '.';
    for (std::size_t at = string_.from; at < string_.to;) {
      JsonCharacter character;
      if (bytes_[at] == '\\')
        character = escape_at(bytes_.substr(at, string_.to - at)).value_or(character);
      if (character.value)
        path_ += text::encode_utf8(std::u32string(1, *character.value));
      else
        path_ += bytes_.substr(at, character.bytes);
      at += character.bytes;
    }
    at_ = std::min(bytes_.find_first_not_of(kJsonBlanks, at_), bytes_.size());
    if (at_ == bytes_.size() || bytes_[at_] != ':') fail(string_.from - 1, "is a key without `:`");
    ++at_;
    expected_ = Expected::value_of_key;
  }

  bool take_value() {
    const char c = bytes_[at_];
    if (c == '"') {
      take_string();
      expected_ = Expected::separator;
      return true;
    }
    if (c == '{' || c == '[') {
      if (open_.empty()) opened_at_ = at_;
      open_.push_back({.is_object = c == '{', .path_bytes = path_.size()});
      expected_ = c == '{' ? Expected::key_or_end : Expected::value_or_end;
      ++at_;
      return false;
    }
    // A number, true, false or null.
    const std::size_t end = std::min(
        bytes_.find_first_not_of("+-.0123456789abcdefghijklmnopqrstuvwxyzEIN", at_), bytes_.size());
    if (end == at_) fail(at_, "stands where a value belongs");
    const std::string_view word = bytes_.substr(at_, end - at_);
    const bool is_word = word == "true" || word == "false" || word == "null" || word == "NaN" ||
                         word == "Infinity" || word == "-Infinity";
    if (!is_word && !exact_number<double>(word)) fail(at_, "is no value");
    at_ = end;
    expected_ = Expected::separator;
    return false;
  }

  /// Puts the string that begins at at_ into string_.
  void take_string() {
    const std::size_t begin = at_++;
    for (;; at_ += 2) {
      at_ = bytes_.find_first_of("\"\\\r\n", at_);
      if (at_ >= bytes_.size() || bytes_[at_] == '\r' || bytes_[at_] == '\n')
        fail(begin, "is a string without an end in its line");
      if (bytes_[at_] == '"') break;
      if (!escape_at(bytes_.substr(at_, 12))) fail(at_, "is no escape");
    }
    string_ = {begin + 1, at_++};
  }

  std::string_view bytes_;
  std::size_t at_, opened_at_ = 0;  // opened_at_: the outermost open value
  Expected expected_ = Expected::value;
  std::vector<Open> open_;
  std::string path_;
  ByteRange string_;
};

std::string with_escapes(std::string_view text) {
  constexpr std::string_view kEscaped = "\"\\\b\f\n\r\t", kLetters = "\"\\bfnrt";
  std::string out;
  for (const char c : text) {
    if (const std::size_t at = kEscaped.find(c); at != std::string_view::npos)
      (out += '\\') += kLetters[at];
    else if (static_cast<unsigned char>(c) < ' ')
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out;
}

/// The same in ASCII.
std::string with_all_escapes(std::string_view text) {
  std::string out;
  text::each_code_point(text, [&](const text::CodePoint& point, std::string_view bytes) {
    if (point.value < 0x80)
      out += with_escapes(bytes);
    else if (point.value < 0x10000)
      out += fmt::format("\\u{:04x}", static_cast<uint32_t>(point.value));
    else
      out += fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + ((point.value - 0x10000) >> 10),
                         0xDC00 + (point.value & 0x3FF));
  });
  return out;
}

/// Adds the lines of a string; a tab ends one, too.
void add_lines_of_string(std::string_view bytes, ByteRange string, const Writing& writing,
                         Passages& passages) {
  Passage passage;
  const auto add = [&](Token token) {
    if (token.from < token.to) passage.tokens.push_back(std::move(token));
  };
  const auto end = [&] {
    passage.writing = writing;
    if (!passage.tokens.empty()) passages.push_back(std::move(passage));
    passage = {};
  };
  const std::string_view before_end = bytes.substr(0, string.to);
  ListNumbers numbers(before_end.find("\\n", string.from) != bytes.npos);
  const auto after_number = [&](std::size_t at) {
    const std::size_t size = numbers.bytes_of(before_end.substr(at));
    add({.from = at, .to = at + size, .syntax = Token::Syntax::block});
    return at + size;
  };
  std::size_t from = after_number(string.from);
  for (std::size_t at = from; (at = before_end.find('\\', at)) < string.to;) {
    const JsonCharacter escape = escape_at(before_end.substr(at)).value();
    add({.from = from, .to = at});
    from = at + escape.bytes;
    const char32_t value = escape.value.value_or(0);
    if (value == '\n' || value == '\r' || value == '\t') {
      end();
      from = after_number(from);
    } else if (value < ' ') {
      add({.from = at, .to = from, .syntax = Token::Syntax::whole});
    } else {
      add({.from = at, .to = from, .text = text::encode_utf8(std::u32string(1, value))});
    }
    at = from;
  }
  add({.from = from, .to = string.to});
  end();
}

}  // namespace

/// Programs that write ASCII alone get it back.
Passages read_jsonl(std::string_view bytes, const ReadOptions& options) {
  const bool is_escaped = text::is_ascii(bytes) && bytes.find("\\u") != std::string_view::npos;
  const Writing writing{.escaped = is_escaped ? with_all_escapes : with_escapes,
                        .is_document = true};
  Passages passages;
  constexpr std::size_t kMostNames = 20;
  std::vector<std::string> names;  // of strings, for messages
  std::vector<bool> is_there(options.columns.size());
  for (StringReader reader(bytes); reader.next();) {
    if (names.size() < kMostNames && std::ranges::find(names, reader.path()) == names.end())
      names.push_back(reader.path());
    const auto column = std::ranges::find(options.columns, reader.path());
    if (column == options.columns.end()) continue;
    is_there[static_cast<std::size_t>(column - options.columns.begin())] = true;
    add_lines_of_string(bytes, reader.string(), writing, passages);
  }
  if (names.empty() && options.columns.empty()) return passages;
  for (std::string& name : names) name = one_line(name, 40);
  if (options.columns.empty())
    throw UserError("{} says of which key the strings are translated; there are: {}",
                    options.column_option, join(names, ", "));
  for (std::size_t i = 0; i < is_there.size(); ++i)
    if (!is_there[i] && !names.empty())
      throw UserError("{} {}: no string has this key; there are: {}", options.column_option,
                      one_line(options.columns[i]), join(names, ", "));
  return passages;
}

}  // namespace heed::document
