#include "text/references.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <system_error>
#include <vector>

#include "base/strings.h"
#include "text/utf8.h"

namespace heed::text {
namespace {

bool is_letter_of_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_digit_of_name(char c) {
  return c >= '0' && c <= '9';
}

/// The value of a number, which has nothing else; the largest one where it is too large.
std::optional<uint32_t> number_in(std::string_view digits, int base) {
  uint32_t value = 0;
  const auto [rest, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (digits.empty() || rest != digits.data() + digits.size()) return std::nullopt;
  return error == std::errc() ? value : UINT32_MAX;
}

struct NamedCharacter {
  std::string_view name;
  char32_t character = 0, second = 0;
  bool needs_semicolon = true;
};

constexpr std::string_view kReferenceNames =
#include "text/named_references.def"
    ;

/// The names of HTML in the order of their bytes.
const std::vector<NamedCharacter>& named_characters() {
  static const auto all = [] {
    std::vector<NamedCharacter> names;
    for (std::size_t from = 0; from < kReferenceNames.size();) {
      const std::size_t blank = kReferenceNames.find(' ', from),
                        colon = kReferenceNames.find(':', from);
      NamedCharacter& one = names.emplace_back();
      one.name = kReferenceNames.substr(from, colon - from);
      if (one.name.ends_with('?')) {
        one.name.remove_suffix(1);
        one.needs_semicolon = false;
      }
      const std::string_view values = kReferenceNames.substr(colon + 1, blank - colon - 1);
      const std::size_t plus = values.find('+');
      one.character = number_in(values.substr(0, plus), 16).value_or(0);
      if (plus != std::string_view::npos)
        one.second = number_in(values.substr(plus + 1), 16).value_or(0);
      from = blank + 1;
    }
    std::ranges::sort(names, {}, &NamedCharacter::name);
    return names;
  }();
  return all;
}

const NamedCharacter* character_named(std::string_view name) {
  const auto found = std::ranges::lower_bound(named_characters(), name, {}, &NamedCharacter::name);
  return found == named_characters().end() || found->name != name ? nullptr : &*found;
}

/// The character of a number; none: there is no such character.
std::optional<char32_t> character_numbered(uint32_t value) {
  constexpr std::array<char32_t, 32> kWindows = {
      0x20AC, 0x81,   0x201A, 0x192,  0x201E, 0x2026, 0x2020, 0x2021, 0x2C6,  0x2030, 0x160,
      0x2039, 0x152,  0x8D,   0x17D,  0x8F,   0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
      0x2013, 0x2014, 0x2DC,  0x2122, 0x161,  0x203A, 0x153,  0x9D,   0x17E,  0x178};
  if (value >= 0x80 && value < 0x80 + kWindows.size()) return kWindows[value - 0x80];
  const bool is_character = value > 0 && value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF);
  return is_character ? std::optional<char32_t>(value) : std::nullopt;
}

Reference reference_to(const NamedCharacter& named, std::size_t bytes) {
  return {bytes, named.character, named.second};
}

/// The text with each of these characters as a reference.
std::string with_references_for(std::string_view characters, std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (characters.find(c) == std::string_view::npos)
      out += c;
    else if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += "&#" + std::to_string(static_cast<int>(c)) + ";";
  }
  return out;
}

}  // namespace

std::string Reference::text() const {
  if (!character) return "";
  std::u32string characters(1, *character);
  if (second != 0) characters += second;
  return encode_utf8(characters);
}

std::optional<Reference> reference_at(std::string_view page, std::size_t at) {
  constexpr std::size_t kLongest = 40;
  const std::size_t end = page.substr(0, at + kLongest).find(';', at);
  if (end == std::string_view::npos || end < at + 2) return std::nullopt;
  std::string_view name = page.substr(at + 1, end - at - 1);
  const std::size_t bytes = end + 1 - at;
  if (name[0] == '#') {
    const bool hexadecimal = name.size() > 1 && (name[1] == 'x' || name[1] == 'X');
    name.remove_prefix(hexadecimal ? 2 : 1);
    const auto value = number_in(name, hexadecimal ? 16 : 10);
    if (!value) return std::nullopt;
    return Reference{bytes, character_numbered(*value)};
  }
  if (!is_letter_of_name(name[0]) || !std::ranges::all_of(name, [](char c) {
        return is_letter_of_name(c) || is_digit_of_name(c);
      }))
    return std::nullopt;
  const NamedCharacter* const named = character_named(name);
  return named == nullptr ? Reference{bytes, std::nullopt} : reference_to(*named, bytes);
}

std::optional<Reference> html_reference_at(std::string_view page, std::size_t at,
                                           bool is_in_attribute) {
  const auto whole = reference_at(page, at);
  if (whole && whole->character) return whole;
  const std::string_view rest = page.substr(at);
  if (rest.starts_with("&#")) {
    const bool hexadecimal = rest.size() > 2 && (rest[2] == 'x' || rest[2] == 'X');
    const std::size_t first = hexadecimal ? 3 : 2;
    const std::string_view digits = hexadecimal ? "0123456789abcdefABCDEF" : "0123456789";
    const std::size_t end = std::min(rest.find_first_not_of(digits, first), rest.size());
    const auto value =
        number_in(rest.substr(first, std::max(end, first) - first), hexadecimal ? 16 : 10);
    if (!value || whole) return whole;
    return Reference{end, character_numbered(*value)};
  }
  // The longest name that needs no semicolon; none has more than six letters.
  constexpr std::size_t kLongest = 6;
  for (std::size_t size = std::min(kLongest, rest.size() - 1); size > 1; --size) {
    const NamedCharacter* const named = character_named(rest.substr(1, size));
    if (named == nullptr || named->needs_semicolon) continue;
    const char next = size + 1 < rest.size() ? rest[size + 1] : ' ';
    if (is_in_attribute && (next == '=' || is_letter_of_name(next) || is_digit_of_name(next)))
      return whole;
    return reference_to(*named, size + 1);
  }
  return whole;
}

std::string with_references(std::string_view text) {
  return with_references_for("&<>", text);
}

std::string with_references_in_quotes(std::string_view text) {
  return with_references_for("&<>\"'", text);
}

std::string with_references_unquoted(std::string_view text) {
  return with_references_for("&<>\"' \t\n\r\f=`/", text);
}

}  // namespace heed::text
