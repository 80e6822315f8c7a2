#include "text/tsv.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/error.h"
#include "base/format.h"
#include "base/strings.h"
#include "text/bytes.h"
#include "text/language_tags.h"
#include "text/lines.h"
#include "text/tmx_lines.h"
#include "text/utf8.h"

namespace heed::text {
namespace {

/// The command that makes a table, with all of its columns, of a file of CSV.
std::string through_csv(const LineReader& reader, char separator) {
  return reader.command_through(
      fmt::format(
          "python3 -c 'import csv, sys; [print(*(\" \".join(cell.split()) for cell in row), "
          "sep=\"\\t\") for row in csv.reader(sys.stdin{})]'",
          separator == ',' ? "" : fmt::format(", delimiter=\"{}\"", separator)),
      /*makes_table=*/true);
}

/// How often the separator stands in a line outside of quotes.
std::size_t count_separators(std::string_view line, char separator) {
  std::size_t count = 0;
  bool in_quotes = false;
  for (const char c : line) {
    if (c == '"') in_quotes = !in_quotes;
    if (c == separator && !in_quotes) ++count;
  }
  return count;
}

constexpr int64_t kLooked = 10;  // lines

/// The first lines of the file again; none of what is no file.
std::vector<std::string> first_lines(const std::string& path) {
  std::vector<std::string> lines;
  if (!std::filesystem::is_regular_file(path)) return lines;
  LineReader reader(path);
  for (std::string line; reader.line_number() < kLooked && reader.next(line);)
    if (!is_blank(line)) lines.push_back(line);
  return lines;
}

/// The separator of a table: a semicolon where each of the first lines has as many, and not each
/// has as many commas. `line` stands for them where the file cannot be read again.
char separator_of(const std::string& path, std::string_view line) {
  std::vector<std::string> lines = first_lines(path);
  if (lines.empty()) lines.emplace_back(line);
  const auto is = [&](char separator) {
    const std::size_t count = count_separators(lines[0], separator);
    return count > 0 && std::ranges::all_of(lines, [&](const std::string& one) {
             return count_separators(one, separator) == count;
           });
  };
  return is(';') && !is(',') ? ';' : ',';
}

constexpr std::string_view kBars = " ||| ";
constexpr const char* kTabForBars =
    "awk '{gsub(/\\t/, \" \"); sub(/ [|][|][|] /, \"\\t\"); print}'";

constexpr const char* kTabForLetters = "sed 's/\\\\t/\\t/'";

/// The command that makes a table, NEW.tsv, of a file with bars.
std::string through_bars(const LineReader& reader) {
  return reader.command_through(kTabForBars, /*makes_table=*/true);
}

/// Whether the line is "source ||| target".
bool has_bars(std::string_view line) {
  const std::size_t at = line.find(kBars);
  return at != std::string_view::npos &&
         line.find(kBars, at + kBars.size()) == std::string_view::npos;
}

bool is_code_of_language(const std::string& cell) {
  const std::string text(trim(cell));
  return text.size() == 3 && ascii_lower(text) == text && !language_called(text).empty();
}

/// Whether a cell has no text of a language: nothing, a number, an address, the code of a language
/// as Tatoeba has it, or the name of such a column.
bool is_no_text(const std::string& cell) {
  static constexpr std::string_view kNames[] = {"id",    "index", "nr",         "no",
                                                "score", "laser", "similarity", "url"};
  const std::string text(trim(cell));
  const bool is_address = text.find("://") != text.npos && text.find(' ') == text.npos;
  return text.empty() || is_address || is_code_of_language(text) ||
         exact_number<double>(text).has_value() ||
         std::ranges::count(kNames, ascii_lower(text)) > 0;
}

/// Whether a column of the rows has the same cell in all of them but for the first, which may be
/// their header: the direction of translation, a name, an instruction.
bool is_constant(const std::vector<std::vector<std::string>>& rows, std::size_t column) {
  constexpr std::size_t kFewest = 4;
  if (rows.size() < kFewest) return false;
  return std::all_of(rows.begin() + 1, rows.end(), [&](const std::vector<std::string>& row) {
    return row.size() > column && row[column] == rows[1][column];
  });
}

/// The column, from 1, that has the code of a language, as in Tatoeba's list of sentences; 0: none.
std::size_t column_of_codes(const std::vector<std::string>& cells) {
  const auto found = std::ranges::find_if(cells, is_code_of_language);
  return found == cells.end() ? 0 : static_cast<std::size_t>(found - cells.begin()) + 1;
}

/// The cure for a line of three or more columns, by what is in them.
std::string cure_of_columns(std::string_view line, const LineReader& reader) {
  const auto cut = [&](const std::string& columns) {
    return reader.command_through("cut -f" + columns, /*makes_table=*/true);
  };
  std::vector<std::size_t> texts;  // columns, from 1
  const std::vector<std::string> cells = split(line, '\t');
  std::vector<std::vector<std::string>> rows;
  for (const std::string& one : first_lines(reader.path())) rows.push_back(split(one, '\t'));
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (!is_no_text(cells[i])) texts.push_back(i + 1);
  std::vector<std::size_t> others = texts;
  std::erase_if(others, [&](std::size_t column) { return is_constant(rows, column - 1); });
  if (others.size() > 1) texts = others;
  if (texts.size() == 1) {
    const std::size_t codes = column_of_codes(cells);
    return fmt::format("; column {} alone has text, and the translations are in another file{}",
                       texts[0],
                       codes == 0 ? ""
                                  : fmt::format(", or in other lines, for column {} has the "
                                                "language of each line",
                                                codes));
  }
  if (texts.empty() || (texts[0] == 1 && texts[1] == 2))
    return "; the first two columns alone: " + cut("1,2");
  return fmt::format("; columns {} and {} alone, the first two with text: {}", texts[0], texts[1],
                     cut(fmt::format("{},{}", texts[0], texts[1])));
}

}  // namespace

Columns columns_of(std::string_view line, const LineReader& reader) {
  const std::size_t tab = line.find('\t');
  if (tab != std::string_view::npos && line.find('\t', tab + 1) == std::string_view::npos)
    return {line.substr(0, tab), line.substr(tab + 1)};
  const auto tabs = std::ranges::count(line, '\t');
  const char separator = tabs == 0 ? separator_of(reader.path(), line) : ',';
  const bool csv = tabs == 0 && line.find(separator) != std::string_view::npos;
  const std::string cure =
      tabs > 1 ? cure_of_columns(line, reader)
      : tabs == 0 && has_bars(line)
          ? "; with it in place of ' ||| ', as fast_align has them: " + through_bars(reader)
      : tabs == 0 && line.find("\\t") != std::string_view::npos
          ? "; if '\\t' stands for it: " +
                reader.command_through(kTabForLetters, /*makes_table=*/true)
      : csv ? "; if it is CSV: " + through_csv(reader, separator)
            : "";
  throw UserError("{}:{}: {}{}; each line of a corpus in one file is source TAB target{}",
                  reader.name(), reader.line_number(), tabs == 0 ? "no" : std::to_string(tabs),
                  tabs == 0 ? " TAB" : " TABs", cure);
}

bool has_tsv_name(std::string_view path) {
  return has_ending(path, ".tsv");
}

std::optional<std::string> csv_flaw(const std::string& path) {
  if (!has_ending(path, ".csv") || is_stream(path)) return std::nullopt;
  if (auto flaw = tabs_flaw(path)) return flaw;
  const char separator = separator_of(path, "");
  return fmt::format(
      "{}: looks like a table with {} (CSV), of which each line is read as a text; its columns as "
      "a .tsv file: {}",
      path, separator == ';' ? "semicolons" : "commas", through_csv(LineReader(path), separator));
}

std::optional<std::string> bars_flaw(const std::string& path) {
  if (is_stream(path)) return std::nullopt;
  LineReader reader(path);
  bool any = false;
  for (std::string line; reader.line_number() < kLooked && reader.next(line);) {
    if (is_blank(line)) continue;
    if (!has_bars(line)) return std::nullopt;
    any = true;
  }
  if (!any) return std::nullopt;
  return fmt::format(
      "{}: has both sides with ' ||| ' between them, as fast_align reads them; as a .tsv file: {}",
      path, through_bars(reader));
}

std::optional<std::string> tabs_flaw(const std::string& path) {
  if (is_stream(path)) return std::nullopt;
  const std::vector<std::string> lines = first_lines(path);
  if (lines.empty()) return std::nullopt;
  const auto tabs = std::ranges::count(lines[0], '\t');
  if (tabs == 0 || std::ranges::any_of(lines, [&](const std::string& line) {
        return std::ranges::count(line, '\t') != tabs;
      }))
    return std::nullopt;
  const LineReader reader(path);
  return fmt::format(
      "{}: each of its first lines has {}, as a table of both sides, whose name ends in .tsv{}",
      path, counted(tabs, "TAB"),
      tabs > 1 ? cure_of_columns(lines[0], reader)
               : ": " + reader.command_through("cat", /*makes_table=*/true));
}

void require_both_sides(const std::string& command, const std::string& source,
                        const std::string& target) {
  if (const auto flaw = tsv_flaw(source, target))
    throw UserError("{}: {}, or give it alone (`cut -f1` and `cut -f2` make a file of each side)",
                    command, *flaw);
  if (!target.empty() || has_tsv_name(source)) return;
  if (has_tmx_name(source) || tmx_side(source)) {
    const std::string file = file_of_lines(source);
    throw UserError("{}: {} has a side for each of its languages; name both, as heed {} {} {}",
                    command, file, command, shell_path(file + "#de"), shell_path(file + "#en"));
  }
  if (!is_stream(source)) {
    require_text_file(source, "sentence pairs");
    if (const auto flaw = csv_flaw(source)) throw UserError("{}: {}", command, *flaw);
    std::string line;
    LineReader(source).next(line);  // throws where the file has a format with both sides
    if (const auto flaw = bars_flaw(source)) throw UserError("{}: {}", command, *flaw);
    if (const auto flaw = tabs_flaw(source)) throw UserError("{}: {}", command, *flaw);
  }
  throw UserError("{}: name a file of sources and one of translations, or one .tsv file of both",
                  command);
}

std::optional<std::string> tsv_flaw(const std::string& source, const std::string& target) {
  if (target.empty() || (!has_tsv_name(source) && !has_tsv_name(target))) return std::nullopt;
  const bool first = has_tsv_name(source);
  return fmt::format(
      "{} has both sides, as its name says, and {} is given with it; rename it if it has one side",
      first ? source : target, first ? target : source);
}

}  // namespace heed::text
