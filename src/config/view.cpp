#include "config/view.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "config/print.h"
#include "config/suggest.h"

namespace heed::config {
namespace {

std::string last_part(const std::string& path) {
  return path.substr(path.rfind('.') + 1);
}

/// The path as a suggestion names it: a key of the same section without the path that the error
/// begins with.
std::string named(const std::string& path, const std::string& prefix) {
  const std::string start = path_of(prefix, "");
  const bool own = path.starts_with(start) && path.find('.', start.size()) == std::string::npos;
  return fmt::format("; did you mean '{}'?", own ? path.substr(start.size()) : path);
}

/// The path that another trainer's name of a key stands for, where `root` has it, else "".
std::string path_of_other_name(const std::string& name, const SectionView& root) {
  const auto found = names_of_other_trainers().find(folded(name));
  const bool is_there =
      found != names_of_other_trainers().end() && find_field(root, found->second) != nullptr;
  return is_there ? found->second : "";
}

}  // namespace

std::vector<ValueHelp> detail::values_of(const std::vector<std::string>& names,
                                         const std::vector<std::string>& helps) {
  std::vector<ValueHelp> values;
  for (std::size_t i = 0; i < names.size(); ++i) values.push_back({names[i], helps.at(i)});
  return values;
}

std::string path_of(const std::string& section, const std::string& key) {
  return section.empty() ? key : section + "." + key;
}

std::vector<std::string> keys_of(const SectionView& section) {
  std::vector<std::string> keys;
  for (const FieldView& field : section.fields) keys.push_back(field.key);
  return keys;
}

std::vector<std::string> all_paths(const SectionView& root, const std::string& prefix) {
  std::vector<std::string> paths;
  for (const FieldView& field : root.fields) {
    paths.push_back(path_of(prefix, field.key));
    if (const SectionView* below = section_in(field))
      for (std::string& path : all_paths(*below, paths.back())) paths.push_back(std::move(path));
  }
  return paths;
}

std::ptrdiff_t depth_of(const std::string& path) {
  return std::ranges::count(path, '.');
}

std::string suggest_key(const std::string& key, const SectionView& section,
                        const std::string& prefix, const SectionView& root, bool whole) {
  const std::string start = whole ? "" : prefix;
  if (const std::string other = path_of_other_name(key, root); !other.empty())
    return named(other, start);
  const std::vector<std::string> own = keys_of(section);
  const std::string near = nearest(key, own);
  if (!near.empty() && distance(key, near) <= 1) return named(path_of(prefix, near), start);

  std::vector<std::string> paths = all_paths(root);
  // A value is meant by `valid_steps`, not the section `valid`.
  std::erase_if(paths, [&](const std::string& path) {
    return !prefix.empty() && distance(key, last_part(path)) == 1 &&
           section_in(*find_field(root, path)) != nullptr;
  });
  std::ranges::stable_sort(paths, {}, depth_of);
  const auto from_key = [&](const std::string& path) { return distance(key, last_part(path)); };
  const auto best = std::ranges::min_element(paths, {}, from_key);
  if (best != paths.end() && from_key(*best) == 0) return named(*best, start);

  if (!near.empty()) return named(path_of(prefix, near), start);
  if (best != paths.end() && from_key(*best) < kFar) return named(*best, start);
  return "; allowed: " + join(own, ", ");
}

std::string key_named(const std::string& name, const SectionView& root,
                      const std::function<bool(const std::string& path)>& allowed) {
  if (const std::string other = path_of_other_name(name, root); !other.empty())
    return allowed(other) ? other : "";
  std::vector<std::string> paths = all_paths(root);
  std::erase_if(paths, [&](const std::string& path) {
    return !allowed(path) || section_in(*find_field(root, path)) != nullptr;
  });
  std::ranges::stable_sort(paths, {}, depth_of);
  const auto from_name = [&](const std::string& path) { return distance(name, last_part(path)); };
  const auto best = std::ranges::min_element(paths, {}, from_name);
  return best == paths.end() || from_name(*best) > 1 ? "" : *best;
}

const FieldView* field_in(const SectionView& section, const std::string& key) {
  const std::string name = present_key(key);
  const auto field =
      std::ranges::find_if(section.fields, [&](const FieldView& f) { return f.key == name; });
  return field == section.fields.end() ? nullptr : &*field;
}

const FieldView* find_field(const SectionView& root, const std::string& path) {
  const SectionView* section = &root;
  const FieldView* found = nullptr;
  for (const std::string& key : split(path, '.')) {
    if (section == nullptr) return nullptr;
    found = field_in(*section, key);
    if (found == nullptr) return nullptr;
    section = section_in(*found);
  }
  return found;
}

}  // namespace heed::config
