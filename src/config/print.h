// Values, types and bounds of a view as text, shared by everything that writes configuration.
#pragma once

#include <string>

#include "config/schema.h"
#include "config/view.h"

namespace heed::config {

/// A value as it stands in YAML, on one line; lists in brackets. Not for sections and lists of
/// sections.
std::string value_text(const ValueView& value);

/// Returns all keys of a section that has no lists of sections in it: {source: a, weight: 1.0}.
std::string section_text(const SectionView& section);

/// The effect of the field on a resumed run: "fixed" or "free"; "" for a section that leaves it to
/// its keys.
std::string resume_text(const FieldView& field);

/// The fields of a section or of the elements of a list of sections; nullptr for a value.
const SectionView* section_in(const FieldView& field);

std::string dump_with_help(const SectionView& root);
std::string explain(const SectionView& defaults, const std::string& path);
std::string reference(const SectionView& defaults);

/// dump() with a comment above each key that says what it does.
template <Section C>
std::string dump_with_help(const C& config) {
  C copy = config;
  return dump_with_help(view(copy));
}

/// One key (or section) of C by its dotted path: type, default, what it may be, what it changes.
/// Throws ConfigError with the nearest key for an unknown one.
template <Section C>
std::string explain(const std::string& path) {
  C defaults;
  return explain(view(defaults), path);
}

/// The Markdown of docs/config.md: a table for the keys of C and for each of its sections.
template <Section C>
std::string reference() {
  C defaults;
  return reference(view(defaults));
}

}  // namespace heed::config
