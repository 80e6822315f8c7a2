#include "config/differences.h"

#include <algorithm>

#include "base/strings.h"
#include "config/print.h"

namespace heed::config {
namespace {

class Comparison {
 public:
  void sections(const SectionView& before, const SectionView& after, const std::string& prefix) {
    for (std::size_t i = 0; i < before.fields.size(); ++i)
      fields(before.fields[i], after.fields[i], path_of(prefix, before.fields[i].key));
  }

  std::vector<Difference> found;

 private:
  void fields(const FieldView& before, const FieldView& after, const std::string& path) {
    if (const auto* section = std::get_if<SectionView>(&before.value)) {
      sections(*section, std::get<SectionView>(after.value), path);
    } else if (const auto* list = std::get_if<ListView>(&before.value)) {
      lists(*list, std::get<ListView>(after.value), path, before.on_resume);
    } else {
      values(value_text(before.value), value_text(after.value), path, before.on_resume);
    }
  }

  void lists(const ListView& before, const ListView& after, const std::string& path,
             OnResume on_resume) {
    for (std::size_t i = 0; i < std::max(before.size(), after.size()); ++i) {
      const std::string element = path_of(path, std::to_string(i));
      if (i < before.size() && i < after.size())
        sections(before.at(i), after.at(i), element);
      else
        values(element_text(before, i), element_text(after, i), element, on_resume);
    }
  }

  void values(const std::string& before, const std::string& after, const std::string& path,
              OnResume on_resume) {
    if (before != after) found.push_back({path, before, after, on_resume});
  }

  static std::string element_text(const ListView& list, std::size_t i) {
    return i < list.size() ? section_text(list.at(i)) : "nothing";
  }
};

}  // namespace

std::vector<Difference> differences(const SectionView& before, const SectionView& after) {
  Comparison comparison;
  comparison.sections(before, after, "");
  return comparison.found;
}

std::string differences_text(const std::vector<Difference>& differences) {
  std::vector<std::string> parts;
  for (const Difference& one : differences)
    parts.push_back(one.path + ": " + one.before + " -> " + one.after);
  return join(parts, ", ");
}

}  // namespace heed::config
