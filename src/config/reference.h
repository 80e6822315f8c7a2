// What the schema says about itself: the commented dump, one key explained, and docs/config.md.
#pragma once

#include <string>

#include "config/io.h"
#include "config/schema.h"
#include "config/view.h"

namespace heed::config {

std::string dump_with_help(const SectionView& root);
std::string explain(const SectionView& defaults, const std::string& path);
std::string reference(const SectionView& defaults);

/// dump() with what each key does above it.
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
