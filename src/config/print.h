// Values, types and bounds of a view as text, shared by everything that writes configuration.
#pragma once

#include <string>

#include "config/view.h"

namespace heed::config {

/// A value as it stands in YAML, on one line; lists in brackets. Not for sections and lists of
/// sections.
std::string value_text(const ValueView& value);

/// All keys of a section that has no lists of sections in it: {source: a, weight: 1.0}.
std::string section_text(const SectionView& section);

/// "whole number", "list of numbers", "section", ...
std::string type_text(const ValueView& value);

/// What a field may be: the names of an enumeration, the text of its check, or "".
std::string allowed_text(const FieldView& field);

/// "fixed" or "free"; "" for a section that leaves it to its keys.
std::string resume_text(const FieldView& field);

/// The fields of a section or of the elements of a list of sections; nullptr for a value.
const SectionView* section_in(const FieldView& field);

/// `text` broken between words so that no line is longer than `width`, each beginning with `start`.
std::string wrapped(const std::string& text, const std::string& start, std::size_t width);

}  // namespace heed::config
