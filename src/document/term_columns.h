// What the columns of a table of terms have, by their names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "document/term_list.h"

namespace heed::document {

/// What a column is, by its name.
enum class ColumnRole {
  unknown,
  source,
  target,
  source_language,
  target_language,
  language,  // the terms of one language
  status,    // may say that a translation is not to be used
  note,      // says something about a term
  other,     // a name that headers have, as "id"; it is not read
};

struct NamedColumn {
  ColumnRole role = ColumnRole::unknown;
  std::string language = {};
};

/// Whether the name is among `names`, which have '|' between them.
bool is_among(std::string_view name, std::string_view names);

/// Whether a cell consists of digits of ASCII.
bool is_number(std::string_view cell);

/// Whether a cell is the code of a language: "de" of the list or of the model, or one with a
/// region. A short word may look like a code that is not in the list.
bool is_language_code(std::string_view cell, const TermLanguages& model);

/// The role of a column with this name in the first row.
NamedColumn named_column(const std::string& cell, const TermLanguages& model);

/// Whether names of columns say which ones have terms and which ones translations, or are of
/// several languages.
bool names_both_sides(const std::vector<std::string>& names, const TermLanguages& model);

/// Whether a column of this name may say where terms are from, if another one has the terms.
bool may_name_origin(const std::string& cell);

/// Whether a status, such as "deprecatedTerm-admn-sts" of TBX, or the cell of a column of such a
/// name says that the term is not to be used.
bool is_forbidden(std::string_view status);
bool is_forbidden(std::string_view cell, const std::string& column);

/// Whether a cell is a word by which tables name parts of speech in English, German, French and
/// Spanish.
bool is_part_of_speech(const std::string& cell);

}  // namespace heed::document
