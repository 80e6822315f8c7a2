// Small functions for text.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace heed {

/// The parts between separators, empty ones included; one part for empty text.
std::vector<std::string> split(std::string_view text, char separator);

/// The parts between runs of ASCII white space; none is empty.
std::vector<std::string> split_words(std::string_view text);

std::string_view trim(std::string_view text);

/// The text with the capital letters of ASCII made small; other bytes stay.
std::string ascii_lower(std::string_view text);

bool is_one_of(char c, std::string_view characters);

/// The position, at or after `from`, of the first byte that is none of `characters`, or the text's
/// size.
std::size_t after_run(std::string_view text, std::string_view characters, std::size_t from = 0);

std::string join(const std::vector<std::string>& parts, std::string_view separator);

/// The number that the text is from its first character to its last, if it fits. No blanks and no
/// sign +; a double may have an exponent, and be inf or nan.
template <class Number>
std::optional<Number> exact_number(std::string_view text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end) return std::nullopt;
  return value;
}

/// The number with commas: 1234567 becomes 1,234,567.
std::string with_commas(int64_t number);

/// The count with three digits and a unit: 950, 41.2k, 3.05M.
std::string human_count(double count);

/// The duration written 7.3s, 1:05, 1:02:03 or 2d 03:04:05.
std::string human_duration(double seconds);

/// The size written 812 B, 1.5 KiB or 3.2 GiB.
std::string human_bytes(uint64_t bytes);

/// The count with its noun: 1 thread, 2 threads.
std::string counted(int64_t count, const std::string& thing);

/// `value` with so many digits after the point; "" where there is no value.
std::string fixed(double value, int digits);
std::string fixed(const std::optional<double>& value, int digits);

/// Text of unknown origin as an error may quote it: control characters written \n, \t or \xNN, at
/// most `most` bytes of whole UTF-8 characters and then "...".
std::string one_line(std::string_view text, std::size_t most = 80);

/// `word` as a POSIX shell reads it back: in single quotes where it has more than letters, digits
/// and ./_-+,:=@% in it.
std::string shell_word(std::string_view word);

/// A path as an argument of a printed command: shell_word(), changed so that one that begins with -
/// is not an option.
std::string shell_path(std::string_view path);

/// The bytes in base64, for data inside a text.
std::string base64(std::string_view bytes);

/// The least number of insertions, deletions, replacements and swaps of neighbours that turn one
/// word into the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The name whose spelling is nearest to `word`, or "" where none is within a third of its length.
std::string nearest_spelling(std::string_view word, const std::vector<std::string>& names);

}  // namespace heed
