// YAML as heed writes it, whoever writes it: saved configurations, those of `heed init` and of
// `heed distill`, and values in messages. config/io.h reads it back.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

namespace heed::config {

// A value as it stands in YAML, on one line.

/// Without quotes where every YAML reader takes the text for a string (words, names, paths), or
/// else in double quotes, so that no character ends it, begins a comment or makes another type of
/// it. UTF-8 stays as it is; control characters and line separators are escaped.
std::string yaml_text(std::string_view text);

/// With a point or an exponent, so that other YAML readers, too, take it for a floating-point
/// number; .nan, .inf or -.inf.
std::string yaml_text(double value);

template <std::integral T>
std::string yaml_text(T value) {
  if constexpr (std::same_as<T, bool>)
    return value ? "true" : "false";
  else
    return std::to_string(value);
}

/// [a, b]
template <class T>
std::string yaml_text(const std::vector<T>& list) {
  std::string text;
  for (const T& element : list) text += (text.empty() ? "" : ", ") + yaml_text(element);
  return "[" + text + "]";
}

/// The number rounded for readers: 0.1, 0.0015, 1.0. It has at most four digits after the point,
/// and below 0.001 so many that two of them say something.
std::string short_number(double value);

/// The lines of a section, in the order in which they are added. A section inside another is
/// indented when it is added to it.
class Yaml {
 public:
  /// Adds "key: value".
  template <class T>
  Yaml& add(std::string_view key, const T& value) {
    return add_text(key, yaml_text(value));
  }
  /// Adds a value that is YAML already, as yaml_text(), short_number() or a Difference has it.
  Yaml& add_text(std::string_view key, std::string_view value);
  /// Adds "key: {a: 1, b: 2}". `section` has neither comments nor blank lines.
  Yaml& add_flow(std::string_view key, const Yaml& section);
  /// Adds the section, indented, below "key:".
  Yaml& add_section(std::string_view key, const Yaml& section);
  /// Adds "key:" and below it each section as an element of a list, or "key: []".
  Yaml& add_list(std::string_view key, const std::vector<Yaml>& elements);
  /// Adds "# text". Control characters in it are written \n, \t or \xNN, so that it stays a
  /// comment.
  Yaml& comment(std::string_view text);
  Yaml& blank_line();
  /// Adds the lines of `more` to this section.
  Yaml& append(const Yaml& more);

  bool empty() const { return lines_.empty(); }
  /// All lines, each with a line break.
  std::string text() const;
  /// {a: 1, b: 2}
  std::string flow_text() const;

 private:
  void add_indented(const Yaml& section, std::string_view first, std::string_view others);

  std::vector<std::string> lines_;
};

}  // namespace heed::config
