#include "text/kept_numbers.h"

#include <algorithm>
#include <regex>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "text/digits.h"
#include "text/script.h"
#include "text/utf8.h"

namespace heed::text {
namespace {

CodePoint sign_at(std::string_view text, std::size_t at) {
  return at < text.size() ? code_point_at(text, at) : CodePoint{U'\n', 1};
}

/// Returns the bytes of the digits, of any script, that begin at `at`, and how many these are.
std::pair<std::size_t, std::size_t> digits_at(std::string_view text, std::size_t at) {
  std::size_t end = at, count = 0;
  for (; end < text.size(); ++count) {
    const CodePoint point = code_point_at(text, end);
    if (!digit_value(point.value)) break;
    end += point.bytes;
  }
  return {end - at, count};
}

/// Signs between the groups of a number, the parts of a time, or those of a date.
bool joins_digits(char32_t c) {
  static constexpr std::u32string_view kSigns = U".,:/'\u2019\u066B\u066C\uFF0C\uFF0E\uFF0F\uFF1A";
  return kSigns.find(c) != kSigns.npos;
}

/// Hyphens, dashes and minus signs, which stand between the ends of a range and in numbers of
/// telephones.
bool joins_numbers(char32_t c) {
  return c == U'-' || (c >= 0x2010 && c <= 0x2014) || c == 0x2212 || c == 0xFF0D;
}

bool is_ascii_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_ascii_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_hexadecimal(char c) {
  return is_ascii_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/// Returns the bytes of the time of day that ISO 8601 puts after a date, T10:30:00Z; 0 for none.
std::size_t bytes_of_time(std::string_view text) {
  static const std::regex time(R"(T\d\d:?\d\d(:?\d\d([.,]\d+)?)?(Z|[+-]\d\d(:?\d\d)?)?)");
  constexpr std::size_t kLongestTime = 40;
  text = text.substr(0, kLongestTime);
  std::match_results<std::string_view::const_iterator> found;
  if (!text.starts_with('T') || !std::regex_search(text.begin(), text.end(), found, time,
                                                   std::regex_constants::match_continuous))
    return 0;
  const auto bytes = static_cast<std::size_t>(found.length());
  return bytes < text.size() && is_in_word(code_point_at(text, bytes).value) ? 0 : bytes;
}

constexpr std::size_t kLongestKey = 100;  // bytes, so that no text is looked at again and again

/// Whether what begins at `at` goes on with digits before it: the 2 of v1.2, but not that of
/// 1st-2nd.
bool goes_on_with_digits(std::string_view text, std::size_t at) {
  constexpr std::size_t kLongestSign = 3;  // bytes
  std::size_t end = at;
  if (at > 0 && std::string_view(".,:/'_").find(text[at - 1]) != std::string_view::npos)
    end = at - 1;
  else if (joins_numbers(value_before(text, at)))
    for (end = at - 1; end > 0 && at - end < kLongestSign && (text[end] & 0xC0) == 0x80;) --end;
  if (end == at) return false;
  std::size_t begin = end;
  while (begin > 0 && end - begin < kLongestKey &&
         (is_ascii_letter(text[begin - 1]) || is_ascii_digit(text[begin - 1])))
    --begin;
  const std::string_view run = text.substr(begin, end - begin);
  const auto letter = std::ranges::find_if(run, is_ascii_letter);
  return (!run.empty() && is_ascii_digit(run.back())) ||
         std::any_of(letter, run.end(), is_ascii_digit);
}

/// The parts of a key, which one sign joins.
struct Key {
  std::vector<std::string_view> parts;
  std::size_t end = 0;
};

/// Returns the letters and digits of ASCII from `at` on, with `sign` between them.
Key key_at(std::string_view text, std::size_t at, char sign) {
  Key key;
  std::size_t end = at;
  text = text.substr(0, at + kLongestKey + 1);
  for (;;) {
    const std::size_t begin = end;
    while (end < text.size() && (is_ascii_letter(text[end]) || is_ascii_digit(text[end]))) ++end;
    key.parts.push_back(text.substr(begin, end - begin));
    if (end + 1 >= text.size() || text[end] != sign) break;
    // A part of an address of the internet may have nothing: fe80::1.
    const bool may_follow = is_ascii_letter(text[end + 1]) || is_ascii_digit(text[end + 1]) ||
                            (sign == ':' && text[end + 1] == ':' && begin < end);
    if (!may_follow) break;
    ++end;
  }
  key.end = end;
  return key;
}

bool has_digit(std::string_view part) {
  return std::ranges::any_of(part, is_ascii_digit);
}

bool has_letter(std::string_view part) {
  return std::ranges::any_of(part, is_ascii_letter);
}

/// Whether the parts are those of an address or key of hexadecimal digits, or of digits and capital
/// letters: not of two numbers with a unit, 10-20KM. A time of day has two parts, T10:30.
bool is_key(const std::vector<std::string_view>& parts, char sign) {
  const std::span<const std::string_view> all(parts), first = all.first(parts.size() - 1);
  if (std::ranges::none_of(all, has_letter)) return false;
  const auto digits = std::ranges::count_if(all, has_digit);
  const bool is_of_hexadecimals = std::ranges::all_of(
      all, [](std::string_view part) { return std::ranges::all_of(part, is_hexadecimal); });
  if (is_of_hexadecimals && parts.size() > 2 && digits > 1) return true;
  const bool has_small = std::ranges::any_of(all, [](std::string_view part) {
    return std::ranges::any_of(part, [](char c) { return c >= 'a' && c <= 'z'; });
  });
  const bool are_numbered = std::ranges::all_of(first, has_digit) &&
                            (has_digit(parts.back()) || (parts.back() == "X" && parts.size() > 2));
  return !has_small && are_numbered &&
         (parts.size() > 2 || (sign == '-' && std::ranges::any_of(first, has_letter)));
}

/// Whether a run of letters and digits that a digit begins is a hexadecimal number: 0x1F, 3f2a9c1.
bool is_hexadecimal_number(std::string_view run) {
  if (run.size() > 2 && run[0] == '0' && (run[1] == 'x' || run[1] == 'X'))
    return std::ranges::all_of(run.substr(2), is_hexadecimal);
  constexpr std::size_t kShortest = 4;
  if (run.size() < kShortest || !std::ranges::all_of(run, is_hexadecimal)) return false;
  // A digit after a letter, as no number with a unit has it.
  const auto letter = std::ranges::find_if(run, is_ascii_letter);
  return is_ascii_digit(run[0]) && std::any_of(letter, run.end(), is_ascii_digit);
}

/// Returns the bytes of an address or key of letters and digits that begins at `at`; 0 for none.
std::size_t bytes_of_key(std::string_view text, std::size_t at) {
  if (!is_ascii_letter(text[at]) && !is_ascii_digit(text[at])) return 0;
  for (const char sign : {'-', ':', '.'}) {
    const Key key = key_at(text, at, sign);
    if (key.end - at > kLongestKey) continue;
    // What goes on with another sign is no key: 2021-04-03T10:30.
    const bool goes_on = key.end + 1 < text.size() &&
                         std::string_view(".,:/_-").find(text[key.end]) != text.npos &&
                         is_in_word(code_point_at(text, key.end + 1).value);
    if (goes_on || is_in_word(sign_at(text, key.end).value)) continue;
    if (key.parts.size() == 1) {
      if (is_hexadecimal_number(key.parts[0])) return key.end - at;
      continue;
    }
    constexpr std::size_t kOfPoints = 4;  // 001A.2B3C.4D5E, not Section 1.A2
    const bool has_size = sign != '.' || std::ranges::all_of(key.parts, [](std::string_view part) {
                            return part.size() == kOfPoints;
                          });
    if (has_size && is_key(key.parts, sign)) return key.end - at;
  }
  return 0;
}

/// Returns the end of the power after a number that ^ begins, ^23, ^-5, ^{23} or ^(23); `end` for
/// none.
std::size_t end_of_caret(std::string_view text, std::size_t end) {
  if (end >= text.size() || text[end] != '^') return end;
  std::size_t begin = end + 1;
  const char open = begin < text.size() ? text[begin] : ' ';
  const bool is_bracketed = open == '{' || open == '(';
  if (is_bracketed) ++begin;
  const CodePoint sign = sign_at(text, begin);
  if (sign.value == U'-' || sign.value == U'+' || sign.value == 0x2212) begin += sign.bytes;
  const std::size_t bytes = digits_at(text, begin).first;
  if (bytes == 0) return end;
  if (!is_bracketed) return begin + bytes;
  const bool is_closed =
      begin + bytes < text.size() && text[begin + bytes] == (open == '{' ? '}' : ')');
  return is_closed ? begin + bytes + 1 : end;
}

/// Returns the end of the power or fraction after a number: e-19, ^23, superscripts, ½.
std::size_t end_of_power(std::string_view text, std::size_t end) {
  if (const std::size_t caret = end_of_caret(text, end); caret > end) return caret;
  if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    const CodePoint sign = sign_at(text, end + 1);
    const bool is_signed = sign.value == U'+' || sign.value == U'-' || sign.value == 0x2212;
    const std::size_t begin = end + 1 + (is_signed ? sign.bytes : 0);
    const std::size_t bytes = digits_at(text, begin).first;
    if (bytes > 0 && !is_in_word(sign_at(text, begin + bytes).value)) return begin + bytes;
  }
  constexpr char32_t kRaisedMinus = 0x207B;
  for (;;) {
    const CodePoint next = sign_at(text, end);
    const std::size_t after = end + next.bytes;
    const bool is_minus =
        next.value == kRaisedMinus && raised_digit_value(sign_at(text, after).value);
    if (!is_minus && !raised_digit_value(next.value) && !fraction_value(next.value)) return end;
    end = after;
  }
}

/// Returns the end of the number without hyphens that begins at `at`; `at` where there is none. A
/// blank of any kind is inside of it if nothing but groups of three digits follow it.
std::size_t end_of_number(std::string_view text, std::size_t at) {
  const auto [bytes, count] = digits_at(text, at);
  std::size_t end = at + bytes;
  if (bytes == 0) return at;
  if (count <= 3) {
    for (;;) {
      const CodePoint blank = sign_at(text, end);
      if (!is_space(blank.value) || blank.value < U' ') break;
      const auto [group, digits] = digits_at(text, end + blank.bytes);
      if (digits != 3) break;
      end += blank.bytes + group;
    }
  }
  for (;;) {
    const CodePoint next = sign_at(text, end);
    const bool is_of_program = next.value == U'_';
    if (!joins_digits(next.value) && !is_of_program) break;
    const auto [group, digits] = digits_at(text, end + next.bytes);
    if (digits == 0 || (is_of_program && digits != 3)) break;
    end += next.bytes + group;
  }
  return end_of_power(text, end);
}

/// Returns the end of a power of ten by which the number before `end` is multiplied, ×10⁶ or
/// x 10^6; `end` for none.
std::size_t end_of_product(std::string_view text, std::size_t end) {
  constexpr std::u32string_view kTimes = U"\u00D7\u00B7\u22C5\u2219\u2022xX*";
  std::size_t at = end;
  const auto pass_blank = [&] {
    const CodePoint blank = sign_at(text, at);
    if (is_space(blank.value) && blank.value >= U' ') at += blank.bytes;
  };
  pass_blank();
  const CodePoint times = sign_at(text, at);
  if (kTimes.find(times.value) == kTimes.npos) return end;
  at += times.bytes;
  pass_blank();
  const std::size_t bytes = digits_at(text, at).first;
  if (bytes == 0 || text.substr(at, bytes) != "10") return end;
  const std::size_t power = end_of_power(text, at + bytes);
  return power > at + bytes ? power : end;
}

/// Whether the text is a date as ISO 8601 writes it.
bool is_date(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00";
  return text.size() == kForm.size() && std::ranges::equal(text, kForm, [](char c, char form) {
           return form == '0' ? is_ascii_digit(c) : c == form;
         });
}

}  // namespace

std::size_t bytes_of_kept_number(std::string_view text, std::size_t at) {
  if (goes_on_with_digits(text, at)) return 0;
  if (const std::size_t bytes = bytes_of_key(text, at)) return bytes;
  std::size_t end = end_of_number(text, at);
  if (const std::size_t product = end_of_product(text, end); end > at && product > end)
    return product - at;
  while (end > at) {
    const CodePoint sign = sign_at(text, end);
    const std::size_t next = end + sign.bytes;
    if (!joins_numbers(sign.value)) break;
    const std::size_t after = end_of_number(text, next);
    if (after == next) break;
    end = after;
  }
  if (is_date(text.substr(at, end - at))) end += bytes_of_time(text.substr(end));
  return end - at;
}

}  // namespace heed::text
