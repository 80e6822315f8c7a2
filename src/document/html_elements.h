// The elements of HTML: which of them end a sentence, and which stay as they are.
#pragma once

#include <string_view>

namespace heed::document {

/// Names are in small letters.
bool is_void_element(std::string_view name);

/// Whether nothing but characters is in the element, whatever looks like a tag.
bool has_only_characters(std::string_view name);

/// Whether a sentence ends where the element begins and where it ends: blocks, parts of tables,
/// line breaks, and controls, whose labels are read by themselves.
bool is_block_element(std::string_view name);

/// Whether what is in the element stays as it is: code, formulas, pictures, names of icons of
/// libraries (`<mat-icon>`), scripts and styles, what a reader types (textarea), what is shown only
/// where the page is not (iframe), and readings of characters (rt).
bool is_untranslated_element(std::string_view name);

/// Whether the element's class says that it stays.
bool has_untranslated_class(std::string_view classes);

}  // namespace heed::document
