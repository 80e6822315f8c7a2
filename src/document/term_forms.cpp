#include "document/term_forms.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "base/format.h"
#include "base/json.h"
#include "base/new_name.h"
#include "base/strings.h"
#include "document/table_cells.h"
#include "document/term_columns.h"
#include "text/utf8.h"

namespace heed::document {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kWriteThem = "write each term, a tab and its target";

std::string command(const std::string& program, std::string_view name) {
  const std::string file = name.empty() || name == "-" ? "OLD" : shell_path(std::string(name));
  const std::string made = new_name(name, ".tsv");
  if (name.ends_with(".gz")) return fmt::format("zcat < {} | {} > {}", file, program, made);
  if (name.ends_with(".zst")) return fmt::format("zstdcat < {} | {} > {}", file, program, made);
  return fmt::format("{} < {} > {}", program, file, made);
}

bool is_list_of_texts(const Json& value) {
  return value.is_array() && !value.empty() &&
         std::ranges::all_of(value, [](const Json& one) { return one.is_string(); });
}

/// The objects on the lines of the bytes; none where a line is anything else.
std::vector<Json> objects_on_lines(std::string_view bytes) {
  std::vector<Json> out;
  for (const std::string& line : split(bytes, '\n')) {
    if (text::is_blank(line)) continue;
    out.push_back(json_or_discarded<Json>(line));
    if (!out.back().is_object()) return {};
  }
  return out;
}

/// Python that makes one line of a value, and nothing of null.
constexpr const char* kLine =
    "line = lambda one: \" \".join(str(\"\" if one is None else one).split())";

std::vector<std::string> keys_of(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& item : object.items()) keys.push_back(item.key());
  return keys;
}

/// How JSON becomes a table, or why it does not.
struct JsonForm {
  std::string program;  // "": it does not
  std::string flaw;
};

/// Python that prints the objects `rows`, which all have the keys of the first and no other, as a
/// table. The keys are its header where they name its columns.
JsonForm form_of_objects(const std::vector<Json>& objects, const char* rows,
                         const TermLanguages& model) {
  const std::vector<std::string> keys = keys_of(objects[0]);
  for (const Json& object : objects)
    for (const auto& item : object.items()) {
      if (item.value().is_structured())
        return {.flaw = fmt::format("JSON, and '{}' of an object is {} and no text", item.key(),
                                    item.value().is_array() ? "a list" : "an object")};
      if (!objects[0].contains(item.key()))
        return {.flaw = fmt::format("JSON, and an object has '{}', which the first has not",
                                    item.key())};
    }
  return {.program = fmt::format(
              "python3 -c 'import json, sys; {}; rows = {}; [print(*(line(row.get(key)) for key in "
              "rows[0]), sep=\"\\t\") for row in {}]'",
              kLine, rows,
              names_both_sides(keys, model) ? "[{key: key for key in rows[0]}, *rows]" : "rows")};
}

/// Whether the object has, for each column, a list of equally many texts, or an object with the
/// same keys, which are the rows' names; its own keys name the columns.
bool has_columns(const Json& object, const TermLanguages& model) {
  const Json& first = object.front();
  return names_both_sides(keys_of(object), model) &&
         std::ranges::all_of(object, [&](const Json& one) {
           if (one.is_object() && first.is_object())
             return keys_of(one) == keys_of(first) &&
                    std::ranges::none_of(one,
                                         [](const Json& cell) { return cell.is_structured(); });
           return is_list_of_texts(one) && one.size() == first.size();
         });
}

/// Python that prints each element of `rows` as a row.
JsonForm form_of_rows(const char* rows) {
  return {.program = fmt::format("python3 -c 'import json, sys; {}; table = json.load(sys.stdin); "
                                 "[print(*map(line, row), sep=\"\\t\") for row in {}]'",
                                 kLine, rows)};
}

bool are_objects(const Json& list) {
  return !list.empty() &&
         std::ranges::all_of(list, [](const Json& one) { return one.is_object(); });
}

/// The forms in which pandas writes a table as an object, with other parts than its cells.
JsonForm form_of_pandas(const Json& object, const TermLanguages& model) {
  const auto data = object.find("data"), columns = object.find("columns");
  if (data != object.end() && data->is_array() && !data->empty()) {
    if (are_objects(*data))
      return form_of_objects({data->begin(), data->end()}, "json.load(sys.stdin)[\"data\"]", model);
    if (columns != object.end() && is_list_of_texts(*columns) &&
        names_both_sides(*columns, model) && std::ranges::all_of(*data, is_list_of_texts))
      return form_of_rows("[table[\"columns\"], *table[\"data\"]]");
  }
  if (are_objects(object) && names_both_sides(keys_of(object.front()), model))
    return form_of_objects({object.begin(), object.end()}, "list(json.load(sys.stdin).values())",
                           model);
  return {};
}

JsonForm form_of_object(const Json& object, const TermLanguages& model) {
  if (names_both_sides(keys_of(object), model)) {
    if (has_columns(object, model))
      return form_of_rows(object.front().is_object()
                              ? "[table, *zip(*(one.values() for one in table.values()))]"
                              : "[table, *zip(*table.values())]");
    if (std::ranges::none_of(object, [](const Json& one) { return one.is_structured(); }))
      return form_of_objects({object}, "[json.load(sys.stdin)]", model);
    return {
        .flaw =
            "JSON, and its names are those of columns, which are no lists of equally many texts"};
  }
  if (!object.empty() && std::ranges::all_of(object, [](const Json& one) {
        return one.is_string() || is_list_of_texts(one);
      }))
    return {.program = fmt::format(
                "python3 -c 'import json, sys; {}; [print(line(term), *map(line, [other] if "
                "isinstance(other, str) else other), sep=\"\\t\") for term, other in "
                "json.load(sys.stdin).items()]'",
                kLine)};
  return form_of_pandas(object, model);
}

/// The form of a list or an object.
JsonForm form_of_json(const Json& json, const TermLanguages& model) {
  if (json.is_object()) return form_of_object(json, model);
  if (!json.is_array() || json.empty()) return {};
  if (std::ranges::all_of(json, is_list_of_texts)) return form_of_rows("table");
  if (are_objects(json))
    return form_of_objects({json.begin(), json.end()}, "json.load(sys.stdin)", model);
  return {};
}

/// Whether text that is no JSON begins and ends as JSON does: with a bracket and a quote.
bool looks_like_json(std::string_view text) {
  const char end = text.front() == '{' ? '}' : ']';
  const std::string_view inside = trim(text.substr(1));
  return text.back() == end &&
         (inside.starts_with('"') || (text.front() == '[' && inside.starts_with('{')) ||
          (inside.starts_with('[') && trim(inside.substr(1)).starts_with('"')));
}

std::optional<std::string> flaw_of_json(std::string_view bytes, std::string_view name,
                                        const TermLanguages& model) {
  const std::string text(trim(bytes));
  if (!text.starts_with('{') && !text.starts_with('[')) return std::nullopt;
  JsonForm form;
  if (const Json json = json_or_discarded<Json>(text); !json.is_discarded()) {
    form = form_of_json(json, model);
  } else {
    const std::vector<Json> rows = objects_on_lines(text);
    if (rows.empty() && !looks_like_json(text)) return std::nullopt;
    if (rows.empty())
      form.flaw = "JSON with a mistake, as a comma before its last bracket";
    else
      form =
          form_of_objects(rows, "[json.loads(line) for line in sys.stdin if line.strip()]", model);
  }
  if (form.program.empty())
    return fmt::format("{}; {}",
                       form.flaw.empty()
                           ? "JSON, and neither an object of terms and targets nor a list of them"
                           : form.flaw,
                       kWriteThem);
  return "JSON, not a table; one of its terms: " + command(form.program, name);
}

/// The lines that are neither blank nor comments nor names of sections.
std::vector<std::string> lines_of_terms(std::string_view bytes) {
  std::vector<std::string> lines;
  for (const std::string& line : split(bytes, '\n'))
    if (const std::string one(trim(line)); !one.empty() && one[0] != '#' && one != "---" &&
                                           !(one.starts_with('[') && one.ends_with(']')))
      lines.push_back(one);
  return lines;
}

/// Whether the mark stands once in the line, between two texts. In a line with a comma, which may
/// stand between cells, it comes before the comma, and a blank after the mark, or after the comma
/// where the mark has one itself.
bool divides(const std::string& line, std::string_view mark) {
  const std::size_t at = line.find(mark), end = at + mark.size();
  if (at == std::string::npos || line.find(mark, end) != std::string::npos) return false;
  if (text::is_blank(line.substr(0, at)) || text::is_blank(line.substr(end))) return false;
  const std::size_t comma = line.find(',');
  if (comma == std::string::npos) return true;
  return at < comma &&
         (mark.ends_with(' ') ? line.substr(comma + 1).starts_with(' ') : line[end] == ' ');
}

/// Whether a line is more than a term, a mark and a target as they are: it has escapes, quotes with
/// signs of their own, a comment, or of YAML a list or a block.
bool is_more_than_a_pair(const std::string& line, std::string_view mark) {
  const std::size_t at = line.find(mark);
  const std::string target(trim(std::string_view(line).substr(at + mark.size())));
  const auto is_quoted = [](std::string_view text) {
    return text.size() > 1 && text.front() == '\'' && text.back() == '\'';
  };
  return line.find('\\') != std::string::npos || is_quoted(target) ||
         is_quoted(trim(std::string_view(line).substr(0, at))) ||
         line.find(" #") != std::string::npos ||
         (mark == ":" &&
          std::string_view("[{|>&*!").find(target.front()) != std::string_view::npos);
}

/// Lines of a term, a mark and a target.
std::optional<std::string> flaw_of_marks(const std::vector<std::string>& lines,
                                         std::string_view name) {
  constexpr std::array<std::string_view, 9> kMarks = {"\u2192", "=>",       "->",       "=",  ":",
                                                      " - ",    " \u2013 ", " \u2014 ", " / "};
  for (const std::string_view mark : kMarks) {
    if (!std::ranges::all_of(lines, [&](const auto& line) { return divides(line, mark); }))
      continue;
    const auto is_item = [](const std::string& line) { return line.starts_with("- "); };
    if (std::ranges::all_of(lines, is_item) || std::ranges::any_of(lines, [&](const auto& line) {
          return is_more_than_a_pair(line, mark);
        }))
      return fmt::format(
          "lines with '{}' that are in a list or have quotes, escapes or signs of YAML; {}", mark,
          kWriteThem);
    const std::string separator =
        mark.starts_with(' ') ? fmt::format(" +{} +", trim(mark)) : fmt::format(" *{} *", mark);
    return fmt::format(
        "'{}' stands between terms and targets; with tabs: {}", trim(mark),
        command(fmt::format("awk -F '{}' 'NF > 1 {{print $1 \"\\t\" $2}}'", separator), name));
  }
  return std::nullopt;
}

/// Lines of a term, blanks and a target: two or more blanks, or one between two words.
std::optional<std::string> flaw_of_blanks(const std::vector<std::string>& lines,
                                          std::string_view bytes, std::string_view name) {
  const auto is_two = [](const std::string& line, std::string_view blanks) {
    const std::size_t at = line.find(blanks);
    const std::size_t end = std::min(line.find_first_not_of(' ', at), line.size());
    return at != std::string::npos && line.find(blanks, end) == std::string::npos;
  };
  const bool has_commas = bytes.find(',') != std::string_view::npos;
  const bool is_indented = bytes.starts_with(' ') || bytes.find("\n ") != std::string_view::npos;
  const auto message = [&](const char* what, const char* separator) {
    return fmt::format(
        "{} between a term and its target; with tabs: {}", what,
        command(fmt::format("awk -F '{}' 'NF > 1 {{print $1 \"\\t\" $2}}'", separator), name));
  };
  if (!is_indented && !has_commas &&
      std::ranges::all_of(lines, [&](const auto& line) { return is_two(line, "  "); }))
    return message("two or more blanks stand", "  +");
  if (!has_commas && lines.size() > 1 &&
      std::ranges::all_of(lines, [&](const auto& line) { return split_words(line).size() == 2; }))
    return message("in lines of two words a blank stands", " ");
  return std::nullopt;
}

/// Lines with marks that may separate cells, too: `term ||| target`, `"term" = "target";` of
/// Apple's .strings, and `;term` above its target of Mozilla's .lang.
std::optional<std::string> flaw_of_rare_lines(const std::vector<std::string>& lines,
                                              std::string_view name) {
  const auto are_all = [&](const auto& is) { return std::ranges::all_of(lines, is); };
  if (are_all([](const std::string& line) { return line.find(" ||| ") != std::string::npos; }))
    return "' ||| ' stands between terms and targets; with tabs: " +
           command(R"(awk -F ' +[|][|][|] +' '{print $1 "\t" $2}')", name);
  const auto is_string = [](const std::string& line) {
    return line.starts_with('"') && line.ends_with("\";") && std::ranges::count(line, '"') == 4 &&
           line.find('\\') == std::string::npos && line.find('=') != std::string::npos;
  };
  if (std::ranges::any_of(lines, is_string) && are_all([&](const std::string& line) {
        return is_string(line) || line.starts_with("//") ||
               (line.starts_with("/*") && line.ends_with("*/"));
      }))
    return "terms and targets as in Apple's .strings; with tabs: " +
           command(R"x(sed -nE 's/^ *"([^"]*)" *= *"([^"]*)";.*$/\1\t\2/p')x", name);
  bool alternates = lines.size() % 2 == 0;
  for (std::size_t i = 0; i < lines.size(); ++i)
    alternates = alternates && lines[i].starts_with(';') == (i % 2 == 0);
  if (alternates)
    return "each term stands above its target, after a semicolon; with tabs: " +
           command(R"(awk '/^;/ {term = substr($0, 2); next} NF && !/^#/ {print term "\t" $0}')",
                   name);
  return std::nullopt;
}

std::optional<std::string> flaw_of_lines(std::string_view bytes, std::string_view name) {
  if (bytes.find('\t') != std::string_view::npos) return std::nullopt;
  const std::vector<std::string> lines = lines_of_terms(bytes);
  if (lines.empty()) return std::nullopt;
  if (bytes.find_first_of(";|") != std::string_view::npos) return flaw_of_rare_lines(lines, name);
  if (auto flaw = flaw_of_marks(lines, name)) return flaw;
  return flaw_of_blanks(lines, bytes, name);
}

}  // namespace

std::optional<std::string> flaw_of_form(std::string_view bytes, std::string_view name,
                                        const TermLanguages& model) {
  bytes.remove_prefix(after_mark(bytes));
  if (auto flaw = flaw_of_json(bytes, name, model)) return flaw;
  return flaw_of_lines(bytes, name);
}

}  // namespace heed::document
