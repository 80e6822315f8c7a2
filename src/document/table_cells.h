// Tables as text with separators, CSV and TSV: their rows, and the columns that are translated.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/format.h"
#include "document/passage.h"
#include "document/token.h"

namespace heed::document {

/// What stands between cells, and around them.
struct TableSyntax {
  char separator = ',';    // one of kSeparators
  bool has_quotes = true;  // quotes around a cell are no part of its text (RFC 4180)
  std::size_t from = 0;    // the byte where the first row begins
};

/// What may separate cells. What comes earlier is rarer in texts.
inline constexpr std::string_view kSeparators = "\t|;,";

/// A cell of a row.
struct TableCell {
  ByteRange bytes;         // without the quotes around it
  bool is_quoted = false;  // quotes are around it, and a quote in it stands twice
};

/// Reads a table row by row. A row ends at a line end that is not in quotes: LF, CR LF or CR. Blank
/// lines are no rows.
class RowReader {
 public:
  RowReader(std::string_view bytes, const TableSyntax& syntax)
      : bytes_(bytes), syntax_(syntax), at_(syntax.from) {}

  /// Puts the cells of the next row into `row`; false at the end. Throws UserError, which begins
  /// with the line, where a quote has no end, or characters follow the end of a cell in quotes.
  bool next(std::vector<TableCell>& row);

 private:
  bool is_end_of_cell(std::size_t at) const;
  TableCell cell();

  std::string_view bytes_;
  TableSyntax syntax_;
  std::size_t at_;
};

/// The text of a cell, each doubled quote once.
std::string text_of_cell(std::string_view bytes, const TableCell& cell);

/// The byte after a byte order mark at the beginning.
std::size_t after_mark(std::string_view bytes);

/// How many cells each of the first `most` rows has; nothing where they cannot be read.
std::optional<std::vector<std::size_t>> widths_of(std::string_view bytes, const TableSyntax& syntax,
                                                  std::size_t most);

/// Whether the first row has cells with all these names.
bool has_columns(std::string_view bytes, const TableSyntax& syntax,
                 const std::vector<std::string>& names);

/// The separator, one of kSeparators, with which `columns` are there and the rows from the byte
/// `from` have the same number of cells, and the most of them; or the one that a line `sep=;` at
/// the beginning names.
TableSyntax syntax_of_csv(std::string_view bytes, std::size_t from,
                          const std::vector<std::string>& columns);

/// The passages of options.columns: the lines of their cells. A name is that of a cell of the first
/// row, which then stays; a number counts columns from 1. Without any name the first row is a row
/// as the others. Throws UserError as RowReader, where there is no such column, and where a row has
/// more cells than the first one.
Passages passages_of_columns(std::string_view bytes, const TableSyntax& syntax,
                             const ReadOptions& options);

/// The line of a byte, as messages begin with it: "line 3".
std::string line_at(std::string_view bytes, std::size_t byte);

}  // namespace heed::document
