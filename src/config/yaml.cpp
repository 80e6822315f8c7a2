#include "config/yaml.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstddef>

#include "base/error.h"
#include "base/strings.h"
#include "config/schema.h"

namespace heed::config {
namespace {

/// Whether every YAML reader takes the text for a string without quotes, like words, names and
/// paths.
bool is_plain(std::string_view text) {
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

struct Escape {
  std::string text;
  std::size_t bytes = 0;  // of the character that it stands for
};
/// The escape of the character that `text` begins with, if UTF-8 writes it with several bytes and a
/// YAML reader takes it for a line break, or refuses it: the controls U+0080 to U+009F, the
/// separators of lines and paragraphs, and U+FFFE and U+FFFF. Else no bytes.
Escape long_escape(std::string_view text) {
  if (text.size() >= 2 && text[0] == '\xC2' && (text[1] & 0xE0) == 0x80)
    return {fmt::format("\\x{:02X}", static_cast<unsigned char>(text[1])), 2};
  if (text.starts_with("\u2028")) return {"\\u2028", 3};
  if (text.starts_with("\u2029")) return {"\\u2029", 3};
  if (text.starts_with("\xEF\xBF\xBE")) return {"\\uFFFE", 3};
  if (text.starts_with("\xEF\xBF\xBF")) return {"\\uFFFF", 3};
  return {};
}

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const char c = text[0];
    const auto byte = static_cast<unsigned char>(c);
    std::size_t bytes = 1;
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\x{:02X}", byte);
    } else if (const Escape escape = long_escape(text); escape.bytes > 0) {
      out += escape.text;
      bytes = escape.bytes;
    } else {
      out += c;
    }
    text.remove_prefix(bytes);
  }
  return out + '"';
}

}  // namespace

std::string yaml_text(std::string_view text) {
  return is_plain(text) ? std::string(text) : in_quotes(text);
}

std::string yaml_text(double value) {
  std::string text = number_text(value);
  if (!std::isfinite(value)) return std::isnan(value) ? ".nan" : value > 0 ? ".inf" : "-.inf";
  if (text.find('.') != std::string::npos) return text;
  text.insert(std::min(text.find('e'), text.size()), ".0");
  return text;
}

std::string short_number(double value) {
  int digits = 4;
  for (double least = 0.001; value < least && digits < 12; least /= 10) ++digits;
  std::string text = fixed(value, digits);
  while (text.ends_with('0') && !text.ends_with(".0")) text.pop_back();
  return text;
}

Yaml& Yaml::add_text(std::string_view key, std::string_view value) {
  lines_.push_back(fmt::format("{}: {}", key, value));
  return *this;
}

Yaml& Yaml::add_flow(std::string_view key, const Yaml& section) {
  return add_text(key, section.flow_text());
}

Yaml& Yaml::add_section(std::string_view key, const Yaml& section) {
  lines_.push_back(fmt::format("{}:", key));
  add_indented(section, "  ", "  ");
  return *this;
}

Yaml& Yaml::add_list(std::string_view key, const std::vector<Yaml>& elements) {
  if (elements.empty()) return add_text(key, "[]");
  lines_.push_back(fmt::format("{}:", key));
  for (const Yaml& element : elements) add_indented(element, "  - ", "    ");
  return *this;
}

Yaml& Yaml::comment(std::string_view text) {
  lines_.push_back("# " + one_line(text, text.size()));
  return *this;
}

Yaml& Yaml::blank_line() {
  lines_.emplace_back();
  return *this;
}

Yaml& Yaml::append(const Yaml& more) {
  lines_.insert(lines_.end(), more.lines_.begin(), more.lines_.end());
  return *this;
}

std::string Yaml::text() const {
  std::string text;
  for (const std::string& line : lines_) text += line + '\n';
  return text;
}

std::string Yaml::flow_text() const {
  for (const std::string& line : lines_)
    expect(!line.empty() && line[0] != '#' && line[0] != ' ', "only keys fit on one line");
  return "{" + join(lines_, ", ") + "}";
}

void Yaml::add_indented(const Yaml& section, std::string_view first, std::string_view others) {
  for (const std::string& line : section.lines_) {
    const std::string_view start = &line == &section.lines_.front() ? first : others;
    lines_.push_back(line.empty() ? "" : std::string(start) + line);
  }
}

}  // namespace heed::config
