#include "config/io.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/files.h"
#include "base/stand_in.h"
#include "base/strings.h"
#include "config/document.h"
#include "config/other_trainers.h"
#include "config/suggest.h"
#include "config/yaml.h"
#include "config/yaml_slips.h"

namespace heed::config {
namespace {

/// The most bytes of a configuration's text, and of its values once aliases are unfolded. A byte of
/// YAML may take hundreds of bytes in memory.
constexpr std::size_t kLongestText = std::size_t{1} << 20;

[[noreturn]] void refuse_length(const std::string& name, uintmax_t bytes) {
  throw ConfigError("{}: has {}, and a configuration at most {}; is it another file?", name,
                    human_bytes(bytes), human_bytes(kLongestText));
}

bool parse(const std::string& text, int64_t& value) {
  const auto number = exact_number<int64_t>(text);
  value = number.value_or(value);
  return number.has_value();
}

bool parse(const std::string& text, double& value) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (text == ".nan" || text == ".NaN" || text == ".NAN") {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (text == ".inf" || text == "+.inf" || text == "-.inf") {
    value = text[0] == '-' ? -kInfinity : kInfinity;
  } else {
    const auto number = exact_number<double>(text);
    value = number.value_or(value);
    return number.has_value();
  }
  return true;
}

bool parse(const std::string& text, bool& value) {
  const std::string low = ascii_lower(text);
  value = low == "true" || low == "yes" || low == "on";
  return value || low == "false" || low == "no" || low == "off";
}

bool parse(const std::string& text, std::string& value) {
  value = text;
  return true;
}

template <class T>
constexpr const char* kNoun = "text";
template <>
constexpr const char* kNoun<int64_t> = "a whole number";
template <>
constexpr const char* kNoun<double> = "a number";
template <>
constexpr const char* kNoun<bool> = "true or false";

/// A number with a decimal comma, in percent, or of minutes as configurations have it, or "".
/// `key`: what it is of.
std::string rewritten_real(const std::string& text, const std::string& key) {
  const auto suggested = [](double value) {
    return fmt::format("; did you mean {}?", number_text(value));
  };
  const std::size_t comma = text.find(',');
  if (comma != text.npos && text.find(',', comma + 1) == text.npos) {
    const std::string decimal = text.substr(0, comma) + "." + text.substr(comma + 1);
    const bool may_be_thousands = text.size() == comma + 4 && text[0] != '0';
    const auto number = exact_number<double>(decimal);
    if (!number) return "";
    return may_be_thousands ? fmt::format("; did you mean {} or {}?", number_text(*number),
                                          number_text(*number * 1000))
                            : suggested(*number);
  }
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  const auto number = exact_number<double>(text.substr(0, end));
  const std::string unit(trim(text.substr(end)));
  if (!number) return "";
  if (unit == "%") return suggested(*number / 100);
  if (!key.ends_with("minutes")) return "";
  if (unit == "m" || unit == "min" || unit == "minutes") return suggested(*number);
  return unit == "h" ? suggested(*number * 60) : "";
}

/// The most mistakes that are told of one file.
constexpr std::size_t kMostFaults = 10;

bool is_digits(const std::string& text) {
  return !text.empty() && text.size() < 16 && text.find_first_not_of("0123456789") == text.npos;
}

/// A number written for people (4k, 1_000, 1e6) as configurations have it, or "".
std::string rewritten(std::string text) {
  std::erase_if(text, [](char c) { return c == '_' || c == ',' || c == '\''; });
  double unit = 1;
  if (!text.empty() && (text.back() == 'k' || text.back() == 'K')) unit = 1e3;
  if (!text.empty() && text.back() == 'M') unit = 1e6;
  if (unit > 1) text.pop_back();
  const double value = exact_number<double>(text).value_or(0.5) * unit;
  if (value != std::floor(value) || std::abs(value) >= 1e15) return "";
  return fmt::format("; did you mean {}?", number_text(value));
}

std::string kind_of(const YAML::Node& node) {
  if (node.IsMap()) return "a section";
  if (node.IsSequence()) return "a list";
  return node.IsNull() ? "nothing" : "'" + one_line(node.Scalar()) + "'";
}

/// The advice what to write in place of an empty value for a section. A corpus needs both of its
/// files.
std::string name_keys(const SectionView& section, const std::string& path) {
  const std::vector<std::string> keys = keys_of(section);
  if (std::ranges::count(keys, "source") > 0 && std::ranges::count(keys, "target") > 0)
    return fmt::format("name its keys, as in {}= and {}=", path_of(path, "source"),
                       path_of(path, "target"));
  return "name a key of it, as in " + path_of(path, keys.front());
}

/// Whether a file of this name has both sides of a corpus (text/tsv.h).
bool has_both_sides(const YAML::Node& name) {
  return name.Scalar().find(".tsv") != std::string::npos;
}

/// The advice for a file's name in place of the section of a corpus.
std::string write_files(const SectionView& section, const YAML::Node& node) {
  const std::vector<std::string> keys = keys_of(section);
  if (!node.IsScalar() || std::ranges::count(keys, "source") == 0) return "";
  const std::string source = one_line(yaml_text(node.Scalar()));
  if (has_both_sides(node) || std::ranges::count(keys, "target") == 0)
    return fmt::format("; write {{source: {}}}", source);
  return fmt::format("; write {{source: {}, target: FILE}}, where FILE has its translations",
                     source);
}

/// The advice for a list of the names of two files in place of the section of a corpus.
std::string write_both(const SectionView& section, const YAML::Node& list) {
  const std::vector<std::string> keys = keys_of(section);
  if (list.size() != 2 || std::ranges::count(keys, "source") == 0 ||
      std::ranges::count(keys, "target") == 0)
    return "";
  const YAML::Node source = list[0], target = list[1];
  if (!source.IsScalar() || !target.IsScalar() || has_both_sides(source) || has_both_sides(target))
    return "";
  return fmt::format("; write {{source: {}, target: {}}}", one_line(yaml_text(source.Scalar())),
                     one_line(yaml_text(target.Scalar())));
}

/// Lays YAML nodes over a view. `source` is the file's name, or "--set".
class Reader {
 public:
  Reader(const SectionView& root, std::string source) : root_(root), source_(std::move(source)) {}

  void section(const SectionView& into, const YAML::Node& node, const std::string& prefix) {
    if (is_setting() && (node.IsNull() || (node.IsMap() && node.size() == 0)))
      fail(node, prefix, "an empty value changes nothing; " + name_keys(into, prefix));
    if (node.IsNull()) return;  // all of its keys are commented out
    if (!node.IsMap())
      fail(node, prefix,
           "expected a section of keys, got " + kind_of(node) + write_files(into, node));
    refuse_commas(node, prefix);
    std::map<std::string, int> lines;
    for (const auto& entry : node)
      note_faults([&] {
        if (!entry.first.IsScalar())
          fail(entry.first, prefix, "expected a key, got " + kind_of(entry.first));
        const std::string& key = entry.first.Scalar();
        const std::string path = path_of(prefix, key);
        const auto [earlier, is_new] = lines.emplace(present_key(key), entry.first.Mark().line + 1);
        if (!is_new)
          fail(entry.first, path, "given twice, first on line " + std::to_string(earlier->second));
        field(member(into, key, prefix, entry.first), entry.second, path, entry.first);
      });
  }

  /// Throws ConfigError with all faults of the file, if there are any.
  void require_sound() const {
    if (faults_.size() == 1) throw ConfigError(faults_[0]);
    if (faults_.size() > 1)
      throw ConfigError("{}: {}\n  {}", source_,
                        faults_.size() < kMostFaults
                            ? counted(static_cast<int64_t>(faults_.size()), "fault")
                            : fmt::format("{} faults or more", kMostFaults),
                        join(faults_, "\n  "));
  }

  /// The field of that name. Throws an error with the nearest name where there is no such field.
  const FieldView& member(const SectionView& of, const std::string& key, const std::string& prefix,
                          const YAML::Node& where) const {
    if (const FieldView* const field = field_in(of, key)) return *field;
    if (const auto shown = with_invisible_shown(key))
      fail(where, path_of(prefix, *shown), "has an invisible character; write the key without it");
    const std::size_t colon = key.find(':');
    if (colon < key.size() && field_in(of, key.substr(0, colon)) != nullptr)
      fail(where, path_of(prefix, one_line(key)),
           fmt::format("unknown key; write a blank after its colon, as in '{}: {}'",
                       key.substr(0, colon), one_line(key.substr(colon + 1))));
    fail(where, path_of(prefix, one_line(key)),
         "unknown key" + suggest_key(key, of, prefix, root_, is_setting()));
  }

  /// Writes `node` into `into` and checks it; an error points at `where` (an empty value has no
  /// line).
  void field(const FieldView& into, const YAML::Node& node, const std::string& path,
             const YAML::Node& where) {
    std::visit([&](const auto& value) { assign(value, node, path, where); }, into.value);
    done(into, path, where);
  }

  /// To be called once a value has been written.
  void done(const FieldView& field, const std::string& path, const YAML::Node& where) {
    const std::string wrong = field.wrong();
    if (!wrong.empty()) fail(where, path, wrong);
  }

  [[noreturn]] void fail(const YAML::Node& where, const std::string& path,
                         const std::string& what) const {
    if (is_setting()) throw ConfigError("--set {}: {}", path, what);
    throw ConfigError(place(where) + ": " + (path.empty() ? "" : path + ": ") + what);
  }

 private:
  bool is_setting() const { return source_ == "--set"; }

  /// Does the work. A mistake in it is noted, so that others of the file are found, too, up to
  /// kMostFaults.
  template <class Work>
  void note_faults(const Work& work) {
    if (is_setting()) return work();
    if (faults_.size() == kMostFaults) return;
    try {
      work();
    } catch (const ConfigError& error) {
      faults_.emplace_back(error.what());
    }
  }

  /// Fails where a number has a comma, which ends it in {}: YAML takes what follows for a key, as
  /// in {learning_rate: 0,0005}.
  void refuse_commas(const YAML::Node& section, const std::string& prefix) {
    std::string key, number;  // before
    for (const auto& entry : section) {
      const bool is_rest = entry.first.IsScalar() && is_digits(entry.first.Scalar()) &&
                           entry.second.IsNull() && !number.empty();
      if (is_rest) {
        const std::string rest = entry.first.Scalar(), decimal = number + "." + rest;
        const bool may_be_thousands = rest.size() == 3 && number != "0";
        fail(entry.first, path_of(prefix, one_line(key)),
             fmt::format("'{},{}' has a comma, which ends a value; write {}", number, rest,
                         may_be_thousands ? number + rest + ", or " + decimal : decimal));
      }
      key = entry.first.IsScalar() ? entry.first.Scalar() : "";
      number =
          entry.second.IsScalar() && is_digits(entry.second.Scalar()) ? entry.second.Scalar() : "";
    }
  }

  std::string place(const YAML::Node& where) const {
    const int line = where.Mark().line;
    return is_setting() || line < 0 ? source_ : fmt::format("{}:{}", source_, line + 1);
  }

  template <class T>
  T scalar(const YAML::Node& node, const std::string& path, const YAML::Node& where) {
    T value{};
    if (node.IsNull() && std::is_same_v<T, std::string>) return value;
    if (!node.IsScalar())
      fail(where, path, fmt::format("expected {}, got {}", kNoun<T>, kind_of(node)));
    const std::string& text = node.Scalar();
    unfolded_ += text.size() + 1;
    if (unfolded_ > kLongestText)
      fail(where, path, "aliases (*name) unfold to more than " + human_bytes(kLongestText));
    if (!parse(text, value))
      fail(where, path,
           fmt::format("cannot read '{}' as {}{}", one_line(text), kNoun<T>,
                       std::is_same_v<T, int64_t>  ? rewritten(text)
                       : std::is_same_v<T, double> ? rewritten_real(text, path)
                                                   : ""));
    return value;
  }

  template <class T>
  void assign(T* value, const YAML::Node& node, const std::string& path, const YAML::Node& where) {
    *value = scalar<T>(node, path, where);
  }

  template <class T>
  void assign(std::vector<T>* list, const YAML::Node& node, const std::string& path,
              const YAML::Node& where) {
    if (!node.IsSequence()) {
      const std::string cure =
          node.IsScalar() ? fmt::format("; write [{}]", one_line(node.Scalar())) : "";
      fail(where, path, "expected a list, got " + kind_of(node) + cure);
    }
    list->clear();
    for (const auto& element : node) list->push_back(scalar<T>(element, path, element));
  }

  void assign(const EnumView& value, const YAML::Node& node, const std::string& path,
              const YAML::Node& where) {
    const auto text = scalar<std::string>(node, path, where);
    const auto found = std::find(value.names->begin(), value.names->end(), text);
    if (found == value.names->end())
      fail(where, path,
           fmt::format("unknown value '{}'{}", one_line(text), did_you_mean(text, *value.names)));
    value.set(static_cast<std::size_t>(found - value.names->begin()));
  }

  void assign(const SectionView& into, const YAML::Node& node, const std::string& path,
              const YAML::Node&) {
    section(into, node, path);
  }

  void assign(const ListView& list, const YAML::Node& node, const std::string& path,
              const YAML::Node& where) {
    if (!node.IsSequence() && !node.IsMap() && !node.IsNull())
      fail(where, path,
           "expected a section or a list of sections, got " + kind_of(node) +
               write_files(list.prototype, node));
    if (node.IsSequence())
      if (const std::string cure = write_both(list.prototype, node); !cure.empty())
        fail(where, path, "expected a section or a list of sections, got a list of names" + cure);
    list.clear();
    if (node.IsMap()) return section(list.add(), node, path);
    std::size_t index = 0;
    for (const auto& element : node)
      section(list.add(), element, path_of(path, std::to_string(index++)));
  }

  const SectionView& root_;
  std::string source_;
  std::size_t unfolded_ = 0;  // bytes of all values so far
  std::vector<std::string> faults_;
};

/// One `--set`: walks the dotted path, then writes the value.
class Setting {
 public:
  Setting(const SectionView& root, const std::string& key, std::string text)
      : root_(root), parts_(split(key, '.')), text_(std::move(text)), reader_(root, "--set") {}

  void apply() { walk(root_, 0, ""); }

 private:
  void walk(const SectionView& section, std::size_t part, const std::string& prefix) {
    const FieldView& field = reader_.member(section, parts_[part], prefix, {});
    const std::string path = path_of(prefix, parts_[part]);
    if (part + 1 == parts_.size()) return write(field, path);
    if (const auto* below = std::get_if<SectionView>(&field.value))
      return walk(*below, part + 1, path);
    const auto* list = std::get_if<ListView>(&field.value);
    if (list == nullptr)
      reader_.fail(
          {}, path,
          fmt::format("is a value, not a section with '{}' in it", one_line(parts_[part + 1])));
    enter(*list, part + 1, path);
  }

  /// Enters an element of a list by its number, which may be left out where there is only one. The
  /// number after the last one adds an element.
  void enter(const ListView& list, std::size_t part, const std::string& path) {
    const auto number = exact_number<std::size_t>(parts_[part]);
    if (!number && list.size() > 1)
      reader_.fail({}, path,
                   fmt::format("has {} entries; name one, as in {}.0.{}", list.size(), path,
                               one_line(parts_[part])));
    const std::size_t index = number.value_or(0);
    if (index > list.size())
      reader_.fail({}, path_of(path, one_line(parts_[part])),
                   fmt::format("there are only {} entries", list.size()));
    const SectionView element = index == list.size() ? list.add() : list.at(index);
    if (!number) return walk(element, part, path);
    const std::string prefix = path_of(path, std::to_string(index));
    if (part + 1 < parts_.size()) return walk(element, part + 1, prefix);
    reader_.section(element, parsed(prefix), prefix);
  }

  void write(const FieldView& field, const std::string& path) {
    // Text is taken as it stands: YAML would cut "a #1" and "x: y".
    const bool quoted = text_.starts_with('"') || text_.starts_with('\'');
    if (auto* const* value = std::get_if<std::string*>(&field.value); value != nullptr && !quoted) {
      **value = text_;
      reader_.done(field, path, {});
    } else {
      reader_.field(field, parsed(path), path, {});
    }
  }

  YAML::Node parsed(const std::string& path) const {
    try {
      if (const auto second = second_document(text_))
        reader_.fail({}, path,
                     fmt::format("one value is expected, and '{}' is left over",
                                 one_line(text_.substr(std::min(second->byte, text_.size())))));
      return YAML::Load(text_);
    } catch (const YAML::Exception& error) {
      reader_.fail(
          {}, path,
          fmt::format("cannot read '{}' as YAML: {}", one_line(text_), one_line(error.msg)));
    }
  }

  const SectionView& root_;
  std::vector<std::string> parts_;
  std::string text_;
  Reader reader_;
};

}  // namespace

void load_text(const SectionView& root, const std::string& yaml, const std::string& name) {
  if (yaml.size() > kLongestText) refuse_length(name, yaml.size());
  require_no_stand_in(yaml, name);
  Reader reader(root, name);
  try {
    reader.section(root, load_document(yaml, name), "");
    reader.require_sound();
  } catch (const ConfigError&) {
    if (const auto flaw = flaw_of_other_trainer(yaml, name)) throw ConfigError(*flaw);
    throw;
  }
}

void load_file(const SectionView& root, const std::string& path) {
  require_file(path, "configuration");
  std::error_code none;  // a pipe has no size
  const uintmax_t bytes = std::filesystem::file_size(path, none);
  if (!none && bytes > kLongestText) refuse_length(path, bytes);
  try {
    load_text(root, read_file(path), path);
  } catch (const ConfigError& fault) {
    const std::string ending = std::filesystem::path(path).extension();
    if (ending.empty() || ending == ".yaml" || ending == ".yml") throw;
    throw ConfigError(
        "{}; if {} is a text: `heed init SOURCE TARGET` writes a configuration for a corpus",
        fault.what(), path);
  }
}

void set(const SectionView& root, const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0)
    throw ConfigError("--set {}: expected key=value, as in training.updates=1000",
                      one_line(assignment));
  const std::string key(trim(assignment.substr(0, equals)));
  if (const auto shown = with_invisible_shown(key))
    throw ConfigError("--set {}: has an invisible character; write the key without it", *shown);
  std::string dotted = key;
  std::ranges::replace(dotted, ':', '.');
  if (dotted != key && find_field(root, dotted) != nullptr)
    throw ConfigError("--set {}: unknown key; did you mean '{}'?", one_line(key), dotted);
  Setting(root, key, assignment.substr(equals + 1)).apply();
}

}  // namespace heed::config
