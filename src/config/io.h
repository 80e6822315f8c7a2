// Converts between YAML text and config structs: load, `--set`, dump. The rules of precedence are
// here and nowhere else: default < file < `--set`, left to right.
//
// Text that is accepted: a whole number is written exactly (4096; not 4k, 1e3 or 1_000); a truth
// value is true, false, yes, no, on or off; a list is [a, b] or one element a line; a list of
// sections may be one section alone.
#pragma once

#include <string>
#include <utility>

#include "config/schema.h"
#include "config/view.h"

namespace heed::config {

// The functions below without the types; after an error the view's struct may be half-changed.
void load_file(const SectionView& root, const std::string& path);
void load_text(const SectionView& root, const std::string& yaml, const std::string& name);
void set(const SectionView& root, const std::string& assignment);
std::string dump(const SectionView& root);

/// Lays a YAML file over `config`. Throws ConfigError, one line with file and line number, for an
/// unknown, repeated or mistyped key or value or a file of more than 1 MiB, and UserError for a
/// missing file; `config` is then unchanged.
template <Section C>
void load_file(C& config, const std::string& path) {
  C changed = config;
  load_file(view(changed), path);
  config = std::move(changed);
}

/// The same for text in memory; errors call it `name`.
template <Section C>
void load_text(C& config, const std::string& yaml, const std::string& name) {
  C changed = config;
  load_text(view(changed), yaml, name);
  config = std::move(changed);
}

/// Lays one "section.key=value" over `config`; the value is YAML, so [a, b] is a list. Elements of
/// a list of sections are numbered from 0 (data.train.0.source); the number may be left out where
/// there is only one. Throws ConfigError, also for text after the value and for a section without
/// keys.
template <Section C>
void set(C& config, const std::string& assignment) {
  C changed = config;
  set(view(changed), assignment);
  config = std::move(changed);
}

/// Every key with its value, as YAML that loads back to an equal struct.
template <Section C>
std::string dump(const C& config) {
  C copy = config;  // views are for writing, too
  return dump(view(copy));
}

}  // namespace heed::config
