#include "config/print.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "config/io.h"
#include "config/suggest.h"
#include "config/yaml.h"

namespace heed::config {
namespace {

struct ValueText {
  std::string operator()(const EnumView& value) const { return value.names->at(value.get()); }
  std::string operator()(const SectionView&) const { throw Bug("a section has no value"); }
  std::string operator()(const ListView& list) const {
    expect(list.size() == 0, "a list of sections has no value");
    return "[]";
  }
  template <class T>
  std::string operator()(T* value) const {
    return yaml_text(*value);
  }
};

struct TypeText {
  std::string operator()(const int64_t*) const { return "whole number"; }
  std::string operator()(const double*) const { return "number"; }
  std::string operator()(const bool*) const { return "true or false"; }
  std::string operator()(const std::string*) const { return "text"; }
  std::string operator()(const EnumView&) const { return "name"; }
  std::string operator()(const std::vector<int64_t>*) const { return "list of whole numbers"; }
  std::string operator()(const std::vector<double>*) const { return "list of numbers"; }
  std::string operator()(const std::vector<std::string>*) const { return "list of texts"; }
  std::string operator()(const SectionView&) const { return "section"; }
  std::string operator()(const ListView&) const { return "list of sections"; }
};

/// The values that a field may have: the names of an enumeration, the text of its check, or "".
std::string allowed_text(const FieldView& field) {
  const auto* names = std::get_if<EnumView>(&field.value);
  return names == nullptr ? field.allowed : "one of " + join(*names->names, ", ");
}

constexpr std::size_t kWidth = 100;

/// `text` broken between words into lines of at most `width` bytes, or of one longer word.
std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> lines(1);
  for (const std::string& word : split_words(text)) {
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width)
      lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
  }
  return lines;
}

/// The same with `start` before each line, none of them longer than kWidth.
std::string wrapped(const std::string& text, const std::string& start) {
  std::string out;
  for (const std::string& line : wrapped(text, kWidth - start.size())) out += start + line + '\n';
  return out;
}

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
    out += "| " + code(path) + " | " + std::visit(TypeText{}, field.value) + " | " +
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

/// A heading, and below it each name with its sentence on a line or more.
std::string explained(const std::string& heading, const std::vector<ValueHelp>& all) {
  std::size_t width = 0;
  for (const ValueHelp& one : all) width = std::max(width, one.name.size());
  std::string out = "  " + heading + "\n";
  for (const ValueHelp& one : all) {
    std::string lines = wrapped(one.help, std::string(width + 6, ' '));
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
  std::string out = fmt::format("  type       {}\n", std::visit(TypeText{}, field.value));
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

/// The error for a path that leads nowhere, at its first unknown part.
[[noreturn]] void unknown(const SectionView& root, const std::string& path) {
  const SectionView* section = &root;
  std::string prefix;
  for (const std::string& key : split(path, '.')) {
    const FieldView* field = find_field(root, path_of(prefix, key));
    if (field == nullptr)
      throw ConfigError(path_of(prefix, key) + ": unknown key" +
                        suggest_key(key, *section, prefix, root, /*whole=*/true));
    prefix = path_of(prefix, key);
    section = section_in(*field);
    if (section == nullptr) throw ConfigError(prefix + ": is a value, not a section");
  }
  throw Bug("every part of the path is known");
}

/// `depth`: the number of sections around this one, whose indentation makes comments shorter.
Yaml yaml_of(const SectionView& section, bool with_help, std::size_t depth = 0) {
  Yaml yaml;
  for (const FieldView& field : section.fields) {
    if (with_help) {
      const std::string allowed = allowed_text(field);
      if (depth == 0 && !yaml.empty()) yaml.blank_line();
      const std::string help = field.help + (allowed.empty() ? "" : " (" + allowed + ")");
      for (const std::string& line : wrapped(help, kWidth - 2 * depth - 2)) yaml.comment(line);
    }
    const auto* list = std::get_if<ListView>(&field.value);
    if (const auto* below = std::get_if<SectionView>(&field.value)) {
      yaml.add_section(field.key, yaml_of(*below, with_help, depth + 1));
    } else if (list != nullptr) {
      std::vector<Yaml> elements;
      for (std::size_t i = 0; i < list->size(); ++i)
        elements.push_back(yaml_of(list->at(i), /*with_help=*/false));
      yaml.add_list(field.key, elements);
    } else {
      yaml.add_text(field.key, value_text(field.value));
    }
  }
  return yaml;
}

}  // namespace

std::string value_text(const ValueView& value) {
  return std::visit(ValueText{}, value);
}

std::string section_text(const SectionView& section) {
  Yaml yaml;
  for (const FieldView& field : section.fields) {
    const auto* below = std::get_if<SectionView>(&field.value);
    yaml.add_text(field.key, below == nullptr ? value_text(field.value) : section_text(*below));
  }
  return yaml.flow_text();
}

std::string resume_text(const FieldView& field) {
  if (field.on_resume == OnResume::fixed) return "fixed";
  return field.on_resume == OnResume::free ? "free" : "";
}

const SectionView* section_in(const FieldView& field) {
  if (const auto* section = std::get_if<SectionView>(&field.value)) return section;
  const auto* list = std::get_if<ListView>(&field.value);
  return list == nullptr ? nullptr : &list->prototype;
}

std::string dump(const SectionView& root) {
  return yaml_of(root, /*with_help=*/false).text();
}

std::string dump_with_help(const SectionView& root) {
  return yaml_of(root, /*with_help=*/true).text();
}

std::string explain(const SectionView& defaults, const std::string& path) {
  const FieldView* field = find_field(defaults, path);
  if (field == nullptr) {
    std::vector<std::string> found = all_paths(defaults);
    std::erase_if(found, [&](const std::string& one) { return !one.ends_with("." + path); });
    if (found.empty()) unknown(defaults, path);
    std::ranges::stable_sort(found, {}, depth_of);
    if (found.size() == 1) return explain(defaults, found.front());
    if (depth_of(found[0]) == depth_of(found[1]))
      throw ConfigError(path + ": several keys end in this; explain one of " + join(found, ", "));
    const std::string nearest = explain(defaults, found.front());
    found.erase(found.begin());
    return nearest + "\nDeeper keys of this name: " + join(found, ", ") + "\n";
  }
  std::string out = path + "\n" + wrapped(field->help, "  ") + described(*field);
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
         "*On resume*: with `heed train --resume` a free key may get another value, a fixed key "
         "may not ([training.md](training.md#resuming)).\n\n"
         "## Top level\n\n" +
         table(top) + value_lists(top, "") + sections;
}

}  // namespace heed::config
