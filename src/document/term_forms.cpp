#include "document/term_forms.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "base/format.h"
#include "base/json.h"
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
  if (name.ends_with(".gz")) return fmt::format("zcat < {} | {} > NEW.tsv", file, program);
  if (name.ends_with(".zst")) return fmt::format("zstdcat < {} | {} > NEW.tsv", file, program);
  return fmt::format("{} < {} > NEW.tsv", program, file);
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

/// Python that prints the objects `rows`, which all have the keys of the first, as a table. The
/// keys are its header where they name its columns.
std::string program_for_objects(const Json& first, const char* rows, const TermLanguages& model) {
  std::vector<std::string> keys;
  for (const auto& item : first.items()) keys.push_back(item.key());
  const bool is_header = names_both_sides(keys, model);
  return fmt::format(
      "python3 -c 'import json, sys; rows = {}; [print(*(row.get(key, \"\") for key in rows[0]), "
      "sep=\"\\t\") for row in {}]'",
      rows, is_header ? "[{key: key for key in rows[0]}, *rows]" : "rows");
}

/// The program that makes a table of JSON; "" where its values are no terms.
std::string program_for_json(const Json& json, const TermLanguages& model) {
  if (json.is_object() && !json.empty() && std::ranges::all_of(json, [](const Json& one) {
        return one.is_string() || is_list_of_texts(one);
      }))
    return "python3 -c 'import json, sys; [print(term, *([other] if isinstance(other, str) else "
           "other), sep=\"\\t\") for term, other in json.load(sys.stdin).items()]'";
  if (!json.is_array() || json.empty()) return "";
  if (std::ranges::all_of(json, is_list_of_texts))
    return "python3 -c 'import json, sys; [print(*row, sep=\"\\t\") for row in "
           "json.load(sys.stdin)]'";
  if (std::ranges::all_of(json, [](const Json& one) { return one.is_object(); }))
    return program_for_objects(json[0], "json.load(sys.stdin)", model);
  return "";
}

std::optional<std::string> flaw_of_json(std::string_view bytes, std::string_view name,
                                        const TermLanguages& model) {
  const std::string_view text = trim(bytes);
  if (!text.starts_with('{') && !text.starts_with('[')) return std::nullopt;
  std::string program;
  if (const Json json = json_or_discarded<Json>(text); !json.is_discarded()) {
    program = program_for_json(json, model);
  } else {
    const std::vector<Json> rows = objects_on_lines(text);
    if (rows.empty()) return std::nullopt;
    program = program_for_objects(
        rows[0], "[json.loads(line) for line in sys.stdin if line.strip()]", model);
  }
  if (program.empty())
    return fmt::format("JSON, and neither an object of terms and targets nor a list of them; {}",
                       kWriteThem);
  return "JSON, not a table; one of its terms: " + command(program, name);
}

/// The lines that are neither blank nor comments.
std::vector<std::string> lines_of_terms(std::string_view bytes) {
  std::vector<std::string> lines;
  for (const std::string& line : split(bytes, '\n'))
    if (const std::string one(trim(line)); !one.empty() && one[0] != '#' && one != "---")
      lines.push_back(one);
  return lines;
}

/// Whether the mark stands once in the line, between two texts. In a line with a comma, which may
/// stand between cells, it comes before the comma, and has a blank after it.
bool divides(const std::string& line, std::string_view mark) {
  const std::size_t at = line.find(mark), end = at + mark.size();
  if (at == std::string::npos || line.find(mark, end) != std::string::npos) return false;
  if (text::is_blank(line.substr(0, at)) || text::is_blank(line.substr(end))) return false;
  const std::size_t comma = line.find(',');
  return comma == std::string::npos || (at < comma && line[end] == ' ');
}

std::optional<std::string> flaw_of_lines(std::string_view bytes, std::string_view name) {
  constexpr std::array<std::string_view, 5> kMarks = {"\u2192", "=>", "->", "=", ":"};
  if (bytes.find_first_of("\t;|") != std::string_view::npos) return std::nullopt;
  const std::vector<std::string> lines = lines_of_terms(bytes);
  for (const std::string_view mark : kMarks)
    if (!lines.empty() &&
        std::ranges::all_of(lines, [&](const auto& line) { return divides(line, mark); }))
      return fmt::format(
          "'{}' stands between terms and targets; with tabs: {}", mark,
          command(fmt::format("awk -F ' *{} *' 'NF > 1 {{print $1 \"\\t\" $2}}'", mark), name));
  return std::nullopt;
}

}  // namespace

std::optional<std::string> flaw_of_form(std::string_view bytes, std::string_view name,
                                        const TermLanguages& model) {
  bytes.remove_prefix(after_mark(bytes));
  if (auto flaw = flaw_of_json(bytes, name, model)) return flaw;
  return flaw_of_lines(bytes, name);
}

}  // namespace heed::document
