#include "config/reference.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/format.h"
#include "base/strings.h"
#include "config/print.h"
#include "config/suggest.h"

namespace heed::config {
namespace {

std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
    text.insert(at, 1, '\\');
  return text;
}

std::string code(const std::string& text) {
  return text.empty() ? "" : "`" + text + "`";
}

std::string default_of(const FieldView& field) {
  return std::holds_alternative<SectionView>(field.value) ? "" : value_text(field.value);
}

void rows(const SectionView& section, const std::string& prefix, std::string& out) {
  for (const FieldView& field : section.fields) {
    const std::string path = path_of(prefix, field.key);
    out += "| " + code(path) + " | " + type_text(field.value) + " | " +
           code(cell(default_of(field))) + " | " + cell(allowed_text(field)) + " | " +
           resume_text(field) + " | " + cell(field.help) + " |\n";
    if (const SectionView* below = section_in(field)) rows(*below, path, out);
  }
}

std::string table(const SectionView& section) {
  std::string out =
      "| key | type | default | allowed | on resume | what it does |\n"
      "| --- | --- | --- | --- | --- | --- |\n";
  rows(section, "", out);
  return out;
}

/// "  heading", and a line or more for each name with its sentence.
std::string explained(const std::string& heading, const std::vector<ValueHelp>& all) {
  std::size_t width = 0;
  for (const ValueHelp& one : all) width = std::max(width, one.name.size());
  std::string out = "  " + heading + "\n";
  for (const ValueHelp& one : all) {
    std::string lines = wrapped(one.help, std::string(width + 6, ' '), 100);
    out += lines.replace(4, one.name.size(), one.name);
  }
  return out;
}

/// A list of the values of each key that has a sentence on them, below the section's table.
std::string value_lists(const SectionView& section, const std::string& prefix) {
  std::string out;
  for (const FieldView& field : section.fields) {
    const std::string path = path_of(prefix, field.key);
    if (!field.values.empty()) out += fmt::format("\nThe values of `{}`:\n\n", path);
    for (const ValueHelp& value : field.values)
      out += fmt::format("- `{}`: {}\n", value.name, value.help);
    if (const SectionView* below = section_in(field)) out += value_lists(*below, path);
  }
  return out;
}

std::string described(const FieldView& field) {
  std::string out = fmt::format("  type       {}\n", type_text(field.value));
  if (!std::holds_alternative<SectionView>(field.value))
    out += fmt::format("  default    {}\n", default_of(field));
  if (const std::string allowed = allowed_text(field); !allowed.empty())
    out += fmt::format("  allowed    {}\n", allowed);
  if (const std::string resume = resume_text(field); !resume.empty())
    out += fmt::format("  on resume  {}\n", resume);
  if (!field.values.empty()) out += explained("values", field.values);
  return out;
}

std::string listed(const SectionView& section) {
  std::vector<ValueHelp> keys;
  for (const FieldView& field : section.fields) keys.push_back({field.key, field.help});
  return explained("keys", keys);
}

/// The paths of all keys and sections that end in `.name`.
void collect(const SectionView& section, const std::string& prefix, const std::string& name,
             std::vector<std::string>& out) {
  for (const FieldView& field : section.fields) {
    const std::string path = path_of(prefix, field.key);
    if (path.ends_with("." + name)) out.push_back(path);
    if (const SectionView* below = section_in(field)) collect(*below, path, name, out);
  }
}

/// The error for a path that leads nowhere, at its first unknown part.
[[noreturn]] void unknown(const SectionView& root, const std::string& path) {
  const SectionView* section = &root;
  std::string prefix;
  for (const std::string& key : split(path, '.')) {
    const FieldView* field = find_field(root, path_of(prefix, key));
    if (field == nullptr)
      throw ConfigError(path_of(prefix, key) + ": unknown key" +
                        suggest_key(key, *section, prefix, root));
    prefix = path_of(prefix, key);
    section = section_in(*field);
    if (section == nullptr) throw ConfigError(prefix + ": is a value, not a section");
  }
  throw Bug("every part of the path is known");
}

}  // namespace

std::string explain(const SectionView& defaults, const std::string& path) {
  const FieldView* field = find_field(defaults, path);
  if (field == nullptr) {
    std::vector<std::string> found;
    collect(defaults, "", path, found);
    if (found.empty()) unknown(defaults, path);
    if (found.size() == 1) return explain(defaults, found.front());
    throw ConfigError(path + ": several keys end in this; explain one of " + join(found, ", "));
  }
  std::string out = path + "\n" + wrapped(field->help, "  ", 100) + described(*field);
  if (const SectionView* section = section_in(*field)) out += listed(*section);
  return out;
}

std::string reference(const SectionView& defaults) {
  SectionView top;
  std::string sections;
  for (const FieldView& field : defaults.fields) {
    if (const auto* section = std::get_if<SectionView>(&field.value))
      sections += "\n## `" + field.key + "`\n\n" + field.help + "\n\n" + table(*section) +
                  value_lists(*section, "");
    else
      top.fields.push_back(field);
  }
  return "# Configuration\n\n"
         "Every key, from the declarations in the code. `heed config --markdown` writes this "
         "page.\n"
         "The file replaces defaults, and `--set section.key=value` replaces values of the file. "
         "Of several `--set` of one key the last counts.\n\n"
         "*On resume*: `heed train --resume` refuses another value of a fixed key and accepts one "
         "of a free key ([training.md](training.md#resuming)).\n\n"
         "## Top level\n\n" +
         table(top) + value_lists(top, "") + sections;
}

}  // namespace heed::config
