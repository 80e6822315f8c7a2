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
};

/// The reference that begins with the `&` at `at`. The names it knows are those of HTML 2 to 4 that
/// are common in texts.
std::optional<Reference> reference_at(std::string_view page, std::size_t at);

/// The text with references in place of `&`, `<` and `>`.
std::string with_references(std::string_view text);

}  // namespace heed::text
