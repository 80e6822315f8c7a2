// References to characters, as HTML and XML have them: `&amp;`, `&auml;`, `&#228;`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace heed::text {

struct Reference {
  std::size_t bytes;                  // from `&` to `;`
  std::optional<char32_t> character;  // none: it has no meaning here
  char32_t second = 0;                // the other character of a name that stands for two

  /// Its characters; "" where it has no meaning.
  std::string text() const;
};

/// The reference that begins with the `&` at `at` and ends in `;`. The names are those of HTML. As
/// there, `&#128;` to `&#159;` are the characters of Windows-1252.
std::optional<Reference> reference_at(std::string_view page, std::size_t at);

/// The same where the semicolon may be missing as HTML lets it: `&copy 2001`, `&#8364 5`. In the
/// value of an attribute a name before `=`, a letter or a digit is none: `?a=1&copy=2`. What has a
/// semicolon and no meaning is told like reference_at() does.
std::optional<Reference> html_reference_at(std::string_view page, std::size_t at,
                                           bool is_in_attribute = false);

/// The text with references in place of `&`, `<` and `>`.
std::string with_references(std::string_view text);

/// The same for the value of an attribute in quotes: without quotes of either kind.
std::string with_references_in_quotes(std::string_view text);

/// The same for the value of an attribute without quotes, which can have no blanks either.
std::string with_references_unquoted(std::string_view text);

}  // namespace heed::text
