#include "config/differences.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <tuple>
#include <variant>

#include "base/strings.h"
#include "config/print.h"

namespace heed::config {
namespace {

std::string element_text(const ListView& list, std::size_t i) {
  return i < list.size() ? section_text(list.at(i)) : "nothing";
}

void compare(const SectionView& before, const SectionView& after, const std::string& prefix,
             std::vector<Difference>& found) {
  for (std::size_t i = 0; i < before.fields.size(); ++i) {
    const FieldView &one = before.fields[i], &other = after.fields[i];
    const std::string path = path_of(prefix, one.key);
    const auto note = [&](const std::string& at, const std::string& a, const std::string& b) {
      if (a != b) found.push_back({at, a, b, one.on_resume});
    };
    const auto* list = std::get_if<ListView>(&one.value);
    if (const auto* section = std::get_if<SectionView>(&one.value))
      compare(*section, std::get<SectionView>(other.value), path, found);
    else if (list == nullptr)
      note(path, value_text(one.value), value_text(other.value));
    if (list == nullptr) continue;
    const auto& others = std::get<ListView>(other.value);
    for (std::size_t k = 0; k < std::max(list->size(), others.size()); ++k) {
      const std::string element = path_of(path, std::to_string(k));
      if (k < list->size() && k < others.size())
        compare(list->at(k), others.at(k), element, found);
      else
        note(element, element_text(*list, k), element_text(others, k));
    }
  }
}

}  // namespace

std::vector<Difference> differences(const SectionView& before, const SectionView& after) {
  std::vector<Difference> found;
  compare(before, after, "", found);
  return found;
}

Yaml changed_lines(const std::vector<Difference>& differences,
                   const std::vector<std::string>& left_out) {
  Yaml lines;
  std::map<std::string, Yaml> inner;  // changed keys of the sections in it
  for (const Difference& one : differences) {
    const std::size_t point = one.path.find('.');
    const std::string first = one.path.substr(0, point);
    if (std::ranges::count(left_out, one.path) + std::ranges::count(left_out, first) > 0) continue;
    if (point == std::string::npos)
      lines.add_text(one.path, one.after);
    else
      inner[first].add_text(one.path.substr(point + 1), one.after);
  }
  for (const auto& [name, keys] : inner) lines.add_flow(name, keys);
  return lines;
}

std::string differences_text(const std::vector<Difference>& differences) {
  std::vector<std::string> parts;
  for (const Difference& one : differences)
    parts.push_back(one.path + ": " + one.before + " -> " + one.after);
  return join(parts, ", ");
}

}  // namespace heed::config
