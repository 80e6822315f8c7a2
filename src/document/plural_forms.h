// Plural forms of languages, as the header of a PO file writes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace heed::document {

/// How many forms there are, and which is that of one.
struct PluralForms {
  int64_t count = 1, of_one = 0;
  /// Other numbers have the form of one, too, such as 21 and 31 in Russian. GNU's msgfmt then wants
  /// the number in it.
  bool is_shared = false;
};

/// The forms that "nplurals=2; plural=n != 1;" means; none where it is not of this form, as in the
/// header of a template.
std::optional<PluralForms> plural_forms(std::string_view header);

/// The usual header of a language, such as "nplurals=2; plural=(n != 1);" of "de"; empty where it
/// is not known.
std::string_view plural_header(std::string_view language);

}  // namespace heed::document
