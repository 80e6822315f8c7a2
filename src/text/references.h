// References to characters, as HTML and XML have them: `&amp;`, `&auml;`, `&#228;`. Torch-free.
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

/// The reference that begins with the `&` at this place. Names are those of HTML 2 to 4 that texts
/// have.
std::optional<Reference> reference_at(std::string_view page, std::size_t at);

/// With references for `&`, `<` and `>`.
std::string with_references(std::string_view text);

}  // namespace heed::text
