#include "document/android_strings.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "base/strings.h"
#include "document/token.h"
#include "text/references.h"
#include "text/utf8.h"

namespace heed::document {
namespace {

constexpr std::string_view kValueBlanks = " \t\r\n";

/// A character of a value, as XML gives it: the bytes of a text, or a reference.
struct ValueCharacter {
  std::string_view character;
  ByteRange bytes;
  bool is_reference = false;
};

bool has_characters(const XmlEvent& event) {
  return event.kind == XmlEvent::EventType::text || event.kind == XmlEvent::EventType::character;
}

/// Reads the characters between two tags.
class AndroidText {
 public:
  /// `is_alone`: there is nothing else in its element.
  AndroidText(std::vector<ValueCharacter> characters, bool is_alone)
      : characters_(std::move(characters)) {
    if (is_alone) find_enclosing();
  }

  void move_to(std::vector<XmlEvent>& out) && {
    for (std::size_t i = 0; i < characters_.size();) {
      if (is_quote(i)) {
        add_quote(i++, out);
      } else if (characters_[i].character == "\\") {
        i = add_escape(i, out);
      } else {
        add(characters_[i].character, characters_[i].bytes, !characters_[i].is_reference, out);
        ++i;
      }
    }
    if (quote_) add_last_quote(out);
  }

 private:
  bool is_quote(std::size_t i) const { return characters_[i].character == "\""; }

  /// Finds the quote marks around all of the value.
  void find_enclosing() {
    std::vector<std::size_t> quotes;
    std::size_t first = characters_.size(), last = 0;
    for (std::size_t i = 0; i < characters_.size(); ++i) {
      if (is_quote(i)) quotes.push_back(i);
      if (characters_[i].character.size() > 1 ||
          !is_one_of(characters_[i].character[0], kValueBlanks)) {
        first = std::min(first, i);
        last = i;
      }
      if (characters_[i].character == "\\") ++i;
    }
    is_enclosed_ = quotes.size() == 2 && quotes[0] == first && quotes[1] == last;
  }

  void add_quote(std::size_t i, std::vector<XmlEvent>& out) {
    const ByteRange bytes = characters_[i].bytes;
    if (is_enclosed_)
      add_other(bytes, out);
    else if (quote_)
      quote_->to = bytes.to;
    else
      quote_ = bytes;
  }

  /// Adds the character of the escape that begins here; returns the index after it.
  std::size_t add_escape(std::size_t i, std::vector<XmlEvent>& out) {
    const std::size_t from = characters_[i].bytes.from;
    if (i + 1 == characters_.size()) {
      add_other(characters_[i].bytes, out);
      return i + 1;
    }
    const ValueCharacter& next = characters_[i + 1];
    if (next.character == "u") return add_code_point(i, out);
    add(next.character == "n"   ? "\n"
        : next.character == "t" ? "\t"
                                : next.character,
        {from, next.bytes.to}, /*is_plain=*/false, out);
    return i + 2;
  }

  /// Four hexadecimal digits from `i` on, or as many as there are.
  struct Digits {
    std::size_t end = 0;  // index after them
    char32_t value = 0;
    bool are_four = false;
  };

  Digits digits_at(std::size_t i) const {
    constexpr std::size_t kMost = 4;
    constexpr std::string_view kHexadecimal = "0123456789abcdef";
    Digits out{.end = i};
    for (; out.end < characters_.size() && out.end < i + kMost; ++out.end) {
      const std::size_t digit = kHexadecimal.find(ascii_lower(characters_[out.end].character));
      if (digit == kHexadecimal.npos) break;
      out.value = out.value * 16 + static_cast<char32_t>(digit);
    }
    out.are_four = out.end == i + kMost;
    return out;
  }

  /// Adds the character of `\u00e9`, or of two halves of a surrogate. One half, or fewer digits,
  /// stay as they are.
  std::size_t add_code_point(std::size_t i, std::vector<XmlEvent>& out) {
    Digits digits = digits_at(i + 2);
    char32_t value = digits.value;
    const std::size_t next = digits.end;
    if (value >= 0xD800 && value <= 0xDBFF && next + 1 < characters_.size() &&
        characters_[next].character == "\\" && characters_[next + 1].character == "u")
      if (const Digits low = digits_at(next + 2); low.value >= 0xDC00 && low.value <= 0xDFFF) {
        value = 0x10000 + ((value - 0xD800) << 10) + (low.value - 0xDC00);
        digits = low;
      }
    const std::size_t end = digits.end;
    const ByteRange bytes{characters_[i].bytes.from, characters_[end - 1].bytes.to};
    if (!digits.are_four || value == 0 || (value >= 0xD800 && value <= 0xDFFF))
      add_other(bytes, out);
    else
      add(text::encode_utf8(std::u32string(1, value)), bytes, /*is_plain=*/false, out);
    return end;
  }

  /// Adds a character with the quote mark before it.
  void add(std::string_view character, ByteRange bytes, bool is_plain, std::vector<XmlEvent>& out) {
    if (quote_) {
      bytes.from = std::exchange(quote_, std::nullopt)->from;
      is_plain = false;
    }
    if (is_plain && !out.empty() && out.back().kind == XmlEvent::EventType::text &&
        out.back().bytes.to == bytes.from)
      out.back().bytes.to = bytes.to;
    else if (is_plain)
      out.push_back({.kind = XmlEvent::EventType::text, .bytes = bytes});
    else
      out.push_back(
          {.kind = XmlEvent::EventType::character, .bytes = bytes, .text = std::string(character)});
  }

  void add_other(ByteRange bytes, std::vector<XmlEvent>& out) {
    if (quote_) bytes.from = std::exchange(quote_, std::nullopt)->from;
    out.push_back({.bytes = bytes});
  }

  /// Adds a quote mark after the last character to that.
  void add_last_quote(std::vector<XmlEvent>& out) {
    const ByteRange quote = *std::exchange(quote_, std::nullopt);
    if (out.empty() || out.back().bytes.to != quote.from || !has_characters(out.back()))
      return add_other(quote, out);
    const ValueCharacter* last = &characters_.back();
    while (last->bytes.to > quote.from) --last;
    if (out.back().kind == XmlEvent::EventType::text) {
      out.back().bytes.to = last->bytes.from;
      if (out.back().bytes.is_empty()) out.pop_back();
      add(last->character, {last->bytes.from, quote.to}, /*is_plain=*/false, out);
    } else {
      out.back().bytes.to = quote.to;
    }
  }

  std::vector<ValueCharacter> characters_;
  bool is_enclosed_ = false;
  std::optional<ByteRange> quote_;  // that belongs to the next character
};

}  // namespace

std::vector<XmlEvent> with_android_escapes(std::string_view bytes, std::vector<XmlEvent> events) {
  std::vector<XmlEvent> out;
  std::vector<std::size_t> places(events.size());  // of tags, by what they were
  for (std::size_t i = 0; i < events.size();) {
    if (!has_characters(events[i])) {
      places[i] = out.size();
      out.push_back(std::move(events[i++]));
      continue;
    }
    const std::size_t first = i;
    std::vector<ValueCharacter> characters;
    for (; i < events.size() && has_characters(events[i]); ++i) {
      const XmlEvent& event = events[i];
      if (event.kind == XmlEvent::EventType::character) {
        characters.push_back({event.text, event.bytes, true});
        continue;
      }
      for (std::size_t at = event.bytes.from; at < event.bytes.to;) {
        const std::size_t size =
            std::min(text::code_point_at(bytes, at).bytes, event.bytes.to - at);
        characters.push_back({bytes.substr(at, size), {at, at + size}});
        at += size;
      }
    }
    const bool is_alone = first > 0 && i < events.size() &&
                          out.back().kind == XmlEvent::EventType::start && out.back().partner == i;
    AndroidText(std::move(characters), is_alone).move_to(out);
  }
  for (XmlEvent& event : out)
    if (event.kind == XmlEvent::EventType::start || event.kind == XmlEvent::EventType::end)
      event.partner = places[event.partner];
  return out;
}

std::string android_text(std::string_view text) {
  std::string out;
  for (const char c : text::with_references(text)) {
    if (is_one_of(c, "\\\"'")) out += '\\';
    out += c;
  }
  return out;
}

std::string android_value(std::string_view written) {
  std::string out(written);
  const std::size_t at = after_run(written, kValueBlanks);
  if (at < written.size() && is_one_of(written[at], "@?")) out.insert(at, 1, '\\');
  return out;
}

bool is_android_reference(std::string_view value) {
  const std::string_view name = trim(value);
  constexpr std::string_view kOfNames =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:/+*$-";
  return name.size() > 1 && is_one_of(name[0], "@?") && after_run(name, kOfNames, 1) == name.size();
}

}  // namespace heed::document
