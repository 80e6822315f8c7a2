// The differences between two configs of one type: for a resumed run, and for models that are to be
// compared.
#pragma once

#include <string>
#include <vector>

#include "config/schema.h"
#include "config/view.h"
#include "config/yaml.h"

namespace heed::config {

/// One key whose values differ, or one element that only one of two lists of sections has.
struct Difference {
  std::string path;           // "model.heads", "data.train.1"
  std::string before, after;  // as in YAML, on one line; "nothing" where there is no such element
  OnResume on_resume;         // fixed or free
};

std::vector<Difference> differences(const SectionView& before, const SectionView& after);

/// The differences in the order of declaration.
template <Section C>
std::vector<Difference> differences(const C& before, const C& after) {
  C a = before, b = after;  // views are for writing, too
  return differences(view(a), view(b));
}

/// The changed keys of a section and of those in it, with their new values, as YAML: each inner
/// section on one line. The keys `left_out` and all below them are not in it.
Yaml changed_lines(const std::vector<Difference>& differences,
                   const std::vector<std::string>& left_out = {});

/// The same for the keys of `section` whose values are not the defaults.
template <Section C>
Yaml changed_lines(const C& section, const std::vector<std::string>& left_out = {}) {
  return changed_lines(differences(C(), section), left_out);
}

/// The differences on one line: "model.heads: 8 -> 4, seed: 1 -> 2".
std::string differences_text(const std::vector<Difference>& differences);

}  // namespace heed::config
