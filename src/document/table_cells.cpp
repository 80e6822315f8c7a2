#include "document/table_cells.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/format.h"
#include "base/strings.h"
#include "document/lines_of_text.h"
#include "text/utf8.h"

namespace heed::document {
namespace {

constexpr std::string_view kRowEnds = "\r\n";

/// The byte after the line end at `at`.
std::size_t after_line_end(std::string_view bytes, std::size_t at) {
  return at + (bytes.substr(at).starts_with("\r\n") ? 2 : 1);
}

}  // namespace

bool RowReader::is_end_of_cell(std::size_t at) const {
  return at >= bytes_.size() || bytes_[at] == syntax_.separator ||
         kRowEnds.find(bytes_[at]) != std::string_view::npos;
}

/// The cell that begins at at_, which moves to its end.
TableCell RowReader::cell() {
  const std::size_t begin = at_;
  if (!syntax_.has_quotes || begin == bytes_.size() || bytes_[begin] != '"') {
    while (!is_end_of_cell(at_)) ++at_;
    return {.bytes = {begin, at_}};
  }
  std::size_t end = begin + 1;
  for (;; end += 2) {
    end = bytes_.find('"', end);
    if (end == std::string_view::npos)
      throw UserError("{}: the quote at the beginning of a cell has no end",
                      line_at(bytes_, begin));
    if (!bytes_.substr(end + 1).starts_with('"')) break;
  }
  at_ = end + 1;
  if (!is_end_of_cell(at_))
    throw UserError(
        "{}: characters follow the quote that ends a cell ('{}'); a quote in a cell is written "
        "twice",
        line_at(bytes_, end), one_line(bytes_.substr(end, 10)));
  return {.bytes = {begin + 1, end}, .is_quoted = true};
}

bool RowReader::next(std::vector<TableCell>& row) {
  row.clear();
  while (at_ < bytes_.size()) {
    for (;;) {
      row.push_back(cell());
      if (at_ == bytes_.size() || bytes_[at_] != syntax_.separator) break;
      ++at_;
    }
    if (at_ < bytes_.size()) at_ = after_line_end(bytes_, at_);
    if (row.size() > 1 || !row[0].bytes.is_empty() || row[0].is_quoted) return true;
    row.clear();
  }
  return false;
}

std::size_t after_mark(std::string_view bytes) {
  return bytes.starts_with("\uFEFF") ? 3 : 0;
}

std::string line_at(std::string_view bytes, std::size_t byte) {
  return fmt::format("line {}", 1 + std::ranges::count(bytes.substr(0, byte), '\n'));
}

std::optional<std::vector<std::size_t>> widths_of(std::string_view bytes, const TableSyntax& syntax,
                                                  std::size_t most) try {
  std::vector<std::size_t> widths;
  std::vector<TableCell> row;
  for (RowReader reader(bytes, syntax); widths.size() < most && reader.next(row);)
    widths.push_back(row.size());
  return widths;
} catch (const UserError&) {
  return std::nullopt;
}

std::string text_of_cell(std::string_view bytes, const TableCell& cell) {
  std::string text;
  for (std::size_t at = cell.bytes.from; at < cell.bytes.to; ++at) {
    text += bytes[at];
    at += cell.is_quoted && bytes[at] == '"';
  }
  return text;
}

namespace {

std::string with_doubled_quotes(std::string_view text) {
  std::string out;
  for (const char c : text) out.append(c == '"' ? 2 : 1, c);
  return out;
}

std::string in_cell_quotes(std::string_view text) {
  return '"' + with_doubled_quotes(text) + '"';
}

/// A cell that stood without quotes.
template <char separator>
std::string quoted_where_needed(std::string_view text) {
  constexpr char kSpecial[] = {separator, '"', '\r', '\n', '\0'};
  return text.find_first_of(kSpecial) == std::string_view::npos ? std::string(text)
                                                                : in_cell_quotes(text);
}

/// A cell of a table without quotes, which has no room for what ends it.
std::string without_separators(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c == '\t' || c == '\r' || c == '\n') c = ' ';
  return out;
}

/// The function that makes a cell out of its translation.
std::string (*enclosed_by(char separator))(std::string_view) {
  switch (separator) {
    case '\t':
      return quoted_where_needed<'\t'>;
    case '|':
      return quoted_where_needed<'|'>;
    case ';':
      return quoted_where_needed<';'>;
    default:
      return quoted_where_needed<','>;
  }
}

/// The names of columns, without blanks around them.
std::vector<std::string> names_of_cells(std::string_view bytes,
                                        const std::vector<TableCell>& header) {
  std::vector<std::string> names;
  for (const TableCell& cell : header) names.emplace_back(trim(text_of_cell(bytes, cell)));
  return names;
}

/// The names as an error lists them.
std::string listed_names(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 20;
  std::vector<std::string> shown;
  for (const std::string& name : names)
    if (shown.size() < kMost) shown.push_back(one_line(name, 40));
  return join(shown, ", ") + (names.size() > kMost ? ", ..." : "");
}

bool is_column_number(std::string_view column) {
  return column.find_first_not_of("0123456789") == std::string_view::npos;
}

/// The column that is called so, or has this number.
std::size_t column_of(const std::string& column, const std::vector<std::string>& names,
                      const char* option) {
  if (is_column_number(column)) {
    const auto number = exact_number<std::size_t>(column);
    if (number && *number >= 1 && *number <= names.size()) return *number - 1;
    throw UserError("{} {}: columns are counted from 1 to {}", option, column, names.size());
  }
  const auto found = std::ranges::find(names, trim(column));
  if (found == names.end())
    throw UserError("{} {}: no column has this name; there are: {}", option, one_line(column),
                    listed_names(names));
  if (std::ranges::count(names, *found) > 1)
    throw UserError("{} {}: several columns have this name; rename one of them", option,
                    one_line(column));
  return static_cast<std::size_t>(found - names.begin());
}

/// The number of an item, which stays.
Token token_of_number(std::size_t from, std::size_t bytes) {
  return {.from = from, .to = from + bytes, .syntax = Token::Syntax::block};
}

/// Adds the lines of a cell.
void add_lines_of_cell(std::string_view bytes, const TableCell& cell, Passages& passages) {
  Passage passage;
  const auto add = [&](std::size_t from, std::size_t to, const char* text) {
    if (from < to) passage.tokens.push_back({.from = from, .to = to, .text = text});
  };
  const auto end = [&] {
    passage.writing.escaped = with_doubled_quotes;
    if (!passage.tokens.empty()) passages.push_back(std::move(passage));
    passage = {};
  };
  const std::string_view all = bytes.substr(cell.bytes.from, cell.bytes.to - cell.bytes.from);
  ListNumbers numbers(trim(all).find_first_of(kRowEnds) != all.npos);
  const auto add_number = [&](std::size_t at) {
    const std::size_t size = numbers.bytes_of(bytes.substr(at, cell.bytes.to - at));
    if (size > 0) passage.tokens.push_back(token_of_number(at, size));
    return at + size;
  };
  std::size_t from = add_number(cell.bytes.from);
  for (std::size_t at = from; at < cell.bytes.to; ++at) {
    if (bytes[at] != '"' && kRowEnds.find(bytes[at]) == std::string_view::npos) continue;
    add(from, at, "");
    if (bytes[at] == '"') {
      add(at, at + 2, "\"");
      ++at;
    } else {
      end();
    }
    from = bytes[at] == '"' ? at + 1 : add_number(at + 1);
    at = from - 1;
  }
  add(from, cell.bytes.to, "");
  end();
}

/// Whether a cell is a formula of a spreadsheet: =SUM(A1), =A1+B2.
bool is_formula(std::string_view cell) {
  return cell.size() > 2 && cell[0] == '=' && text::is_ascii(cell.substr(0, 2)) &&
         (is_one_of('(', cell) || cell.find_first_of("0123456789") != cell.npos) &&
         cell.find_first_of(" \t") > 2;
}

void add_cell(std::string_view bytes, const TableSyntax& syntax, const TableCell& cell,
              Passages& passages) {
  if (cell.bytes.is_empty() ||
      is_formula(bytes.substr(cell.bytes.from, cell.bytes.to - cell.bytes.from)))
    return;
  if (cell.is_quoted) return add_lines_of_cell(bytes, cell, passages);
  Passage passage;
  const std::size_t number =
      ListNumbers(/*has_lines=*/false)
          .bytes_of(bytes.substr(cell.bytes.from, cell.bytes.to - cell.bytes.from));
  if (number > 0) passage.tokens.push_back(token_of_number(cell.bytes.from, number));
  passage.tokens.push_back({.from = cell.bytes.from + number, .to = cell.bytes.to});
  if (syntax.has_quotes)
    passage.enclosed = enclosed_by(syntax.separator);
  else
    passage.writing.escaped = without_separators;
  passages.push_back(std::move(passage));
}

/// Throws UserError where a row has more cells than the first one, unless they are empty.
void require_width(std::string_view bytes, const std::vector<TableCell>& row, std::size_t width) {
  for (std::size_t i = width; i < row.size(); ++i)
    if (!row[i].bytes.is_empty())
      throw UserError(
          "{}: {} cells, and the first row has {}; a cell with a separator in it stands in quotes",
          line_at(bytes, row[0].bytes.from), row.size(), width);
}

}  // namespace

bool has_columns(std::string_view bytes, const TableSyntax& syntax,
                 const std::vector<std::string>& names) try {
  std::vector<TableCell> row;
  RowReader(bytes, syntax).next(row);
  const std::vector<std::string> there = names_of_cells(bytes, row);
  return std::ranges::all_of(names, [&](const std::string& name) {
    return is_column_number(name) || std::ranges::find(there, trim(name)) != there.end();
  });
} catch (const UserError&) {
  return false;
}

Passages passages_of_columns(std::string_view bytes, const TableSyntax& syntax,
                             const ReadOptions& options) {
  Passages passages;
  RowReader reader(bytes, syntax);
  std::vector<TableCell> row;
  if (!reader.next(row)) return passages;
  const std::vector<std::string> names = names_of_cells(bytes, row);
  if (options.columns.empty())
    throw UserError("{} says which column is translated, by name or number; there are: {}",
                    options.column_option, listed_names(names));
  std::set<std::size_t> chosen;
  for (const std::string& column : options.columns)
    chosen.insert(column_of(column, names, options.column_option));
  const bool has_header = !std::ranges::all_of(options.columns, is_column_number);
  for (bool more = !has_header || reader.next(row); more; more = reader.next(row)) {
    require_width(bytes, row, names.size());
    for (const std::size_t column : chosen)
      if (column < row.size()) add_cell(bytes, syntax, row[column], passages);
  }
  return passages;
}

TableSyntax syntax_of_csv(std::string_view bytes, std::size_t from,
                          const std::vector<std::string>& columns) {
  TableSyntax found{.from = from};
  const std::string_view text = bytes.substr(found.from);
  // This line names the separator in tables for spreadsheets.
  constexpr std::string_view kNamed = "sep=";
  constexpr std::size_t kRowsSeen = 50;
  if (text.starts_with(kNamed) && text.size() > kNamed.size() + 1) {
    const char separator = text[kNamed.size()], end = text[kNamed.size() + 1];
    if (kSeparators.find(separator) != std::string_view::npos && (end == '\r' || end == '\n'))
      return {.separator = separator,
              .from = found.from + std::min(text.find('\n'), text.size() - 1) + 1};
  }
  std::tuple<bool, bool, std::size_t> best{};
  for (const char separator : kSeparators) {
    const TableSyntax syntax{.separator = separator, .from = found.from};
    const auto widths = widths_of(bytes, syntax, kRowsSeen);
    const std::size_t width = widths && !widths->empty() ? widths->front() : 0;
    if (width < 2) continue;  // a table of one column has commas, if any
    const bool is_even =
        std::ranges::count(*widths, width) == static_cast<std::ptrdiff_t>(widths->size());
    const std::tuple here{has_columns(bytes, syntax, columns), is_even, width};
    if (here > best) {
      best = here;
      found = syntax;
    }
  }
  return found;
}

}  // namespace heed::document
