// What cells of a glossary have that is hardly meant to be in a translation.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace heed::document {

/// How many kinds of remarks there are.
inline constexpr std::size_t kCellRemarks = 7;

/// What there is to remark on a cell, in words that follow "line 3, column 2: ", one for each kind;
/// "" where it has nothing of the kind: several translations, marks of gender, markup, a formula of
/// a spreadsheet, nothing to translate with, a comment, quotation marks around it. `other` is the
/// term of a translation, or the first translation of a term: what both have is meant.
std::array<std::string, kCellRemarks> remarks_on_cell(std::string_view cell, std::string_view other,
                                                      bool is_translation);

/// Whether a spreadsheet wrote the cell in place of a value that it could not compute: "#N/A".
bool is_error_of_spreadsheet(std::string_view cell);

}  // namespace heed::document
