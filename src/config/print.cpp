#include "config/print.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <type_traits>

#include "base/format.h"
#include "base/strings.h"
#include "config/io.h"
#include "config/reference.h"

namespace heed::config {
namespace {

/// With a point, so that other YAML readers, too, take it for a floating-point number.
std::string text_of(double value) {
  std::string text = number_text(value);
  if (!std::isfinite(value)) return std::isnan(value) ? ".nan" : value > 0 ? ".inf" : "-.inf";
  if (text.find('.') != std::string::npos) return text;
  text.insert(std::min(text.find('e'), text.size()), ".0");
  return text;
}

std::string text_of(int64_t value) {
  return std::to_string(value);
}

/// Text that every YAML reader takes for a string without quotes: words, names and paths.
bool is_plain(const std::string& text) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '/' || c == '-' || c == '=';
  };
  if (text.empty() || !std::all_of(text.begin(), text.end(), plain)) return false;
  const bool starts_well = std::isalpha(static_cast<unsigned char>(text[0])) != 0 ||
                           text[0] == '/' || text.starts_with("./") || text.starts_with("../");
  const std::string low = ascii_lower(text);
  static constexpr std::array<std::string_view, 9> words = {"null", "true", "false", "yes", "no",
                                                            "on",   "off",  "y",     "n"};
  return starts_well && std::find(words.begin(), words.end(), low) == words.end();
}

std::string text_of(const std::string& text) {
  if (is_plain(text)) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += {'\\', c};
    } else if (byte < 0x20 || byte == 0x7F) {
      quoted += fmt::format("\\x{:02X}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

template <class T>
std::string text_of(const std::vector<T>& list) {
  std::vector<std::string> parts;
  for (const T& element : list) parts.push_back(text_of(element));
  return "[" + join(parts, ", ") + "]";
}

struct ValueText {
  std::string operator()(bool* value) const { return *value ? "true" : "false"; }
  std::string operator()(const EnumView& value) const { return value.names->at(value.get()); }
  std::string operator()(const SectionView&) const { throw Bug("a section has no value"); }
  std::string operator()(const ListView& list) const {
    expect(list.size() == 0, "a list of sections has no value");
    return "[]";
  }
  template <class T>
  std::string operator()(T* value) const {
    return text_of(*value);
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

}  // namespace

std::string value_text(const ValueView& value) {
  return std::visit(ValueText{}, value);
}

std::string section_text(const SectionView& section) {
  std::vector<std::string> parts;
  for (const FieldView& field : section.fields) {
    const auto* below = std::get_if<SectionView>(&field.value);
    parts.push_back(field.key + ": " +
                    (below == nullptr ? value_text(field.value) : section_text(*below)));
  }
  return "{" + join(parts, ", ") + "}";
}

std::string type_text(const ValueView& value) {
  return std::visit(TypeText{}, value);
}

std::string allowed_text(const FieldView& field) {
  const auto* names = std::get_if<EnumView>(&field.value);
  return names == nullptr ? field.allowed : "one of " + join(*names->names, ", ");
}

std::string resume_text(const FieldView& field) {
  switch (field.on_resume) {
    case OnResume::fixed:
      return "fixed";
    case OnResume::free:
      return "free";
    case OnResume::by_keys:
      return "";
  }
  throw Bug("no such rule for resumed runs");
}

const SectionView* section_in(const FieldView& field) {
  if (const auto* section = std::get_if<SectionView>(&field.value)) return section;
  const auto* list = std::get_if<ListView>(&field.value);
  return list == nullptr ? nullptr : &list->prototype;
}

std::string wrapped(const std::string& text, const std::string& start, std::size_t width) {
  std::string out, line = start;
  for (const std::string& word : split_words(text)) {
    if (line.size() > start.size() && line.size() + 1 + word.size() > width) {
      out += line + '\n';
      line = start;
    }
    if (line.size() > start.size()) line += ' ';
    line += word;
  }
  return out + line + '\n';
}

namespace {

constexpr std::size_t kWidth = 100;

class Writer {
 public:
  /// `start` stands before the first key in place of the indentation: "- " of a list's element.
  void section(const SectionView& section, std::size_t indent, std::string start, bool with_help) {
    for (const FieldView& field : section.fields) {
      if (with_help) help(field, indent);
      out_ += start + field.key + ":";
      start.assign(indent, ' ');
      value(field, indent, with_help);
    }
  }

  std::string out_;

 private:
  void help(const FieldView& field, std::size_t indent) {
    const std::string space(indent, ' ');
    const std::string allowed = allowed_text(field);
    if (indent == 0 && !out_.empty()) out_ += '\n';
    out_ +=
        wrapped(field.help + (allowed.empty() ? "" : " (" + allowed + ")"), space + "# ", kWidth);
  }

  void value(const FieldView& field, std::size_t indent, bool with_help) {
    const auto* list = std::get_if<ListView>(&field.value);
    if (const auto* below = std::get_if<SectionView>(&field.value)) {
      out_ += '\n';
      section(*below, indent + 2, std::string(indent + 2, ' '), with_help);
    } else if (list != nullptr && list->size() > 0) {
      out_ += '\n';
      const std::string start = std::string(indent + 2, ' ') + "- ";
      for (std::size_t i = 0; i < list->size(); ++i) section(list->at(i), indent + 4, start, false);
    } else {
      out_ += " " + value_text(field.value) + '\n';
    }
  }
};

}  // namespace

std::string dump(const SectionView& root) {
  Writer writer;
  writer.section(root, 0, "", /*with_help=*/false);
  return writer.out_;
}

std::string dump_with_help(const SectionView& root) {
  Writer writer;
  writer.section(root, 0, "", /*with_help=*/true);
  return writer.out_;
}

}  // namespace heed::config
