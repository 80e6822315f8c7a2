// Tables with tabs.
#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "document/format.h"
#include "document/passage.h"
#include "document/table_cells.h"

namespace heed::document {
namespace {

/// Whether all rows have as many cells as the first one.
bool has_even_rows(std::string_view bytes, const TableSyntax& syntax) {
  const auto widths = widths_of(bytes, syntax, bytes.size());
  return widths &&
         std::ranges::all_of(*widths, [&](std::size_t width) { return width == widths->front(); });
}

/// Whether a cell in quotes has a quote, and none has a tab or a line end.
bool has_doubled_quotes_alone(std::string_view bytes, const TableSyntax& syntax) {
  bool found = false;
  std::vector<TableCell> row;
  for (RowReader reader(bytes, syntax); reader.next(row);)
    for (const TableCell& cell : row) {
      if (!cell.is_quoted) continue;
      const std::string_view text = bytes.substr(cell.bytes.from, cell.bytes.to - cell.bytes.from);
      if (text.find_first_of("\t\r\n") != std::string_view::npos) return false;
      found = found || text.find('"') != std::string_view::npos;
    }
  return found;
}

/// Quotes are characters as others (IANA's text/tab-separated-values), unless the table shows that
/// they are around cells, as spreadsheets write them: without that its rows are not even, or a cell
/// has doubled quotes.
TableSyntax syntax_of_tsv(std::string_view bytes) {
  const std::size_t from = after_mark(bytes);
  const TableSyntax plain{.separator = '\t', .has_quotes = false, .from = from},
      quoted{.separator = '\t', .from = from};
  if (bytes.find('"') == std::string_view::npos || !has_even_rows(bytes, quoted)) return plain;
  return !has_even_rows(bytes, plain) || has_doubled_quotes_alone(bytes, quoted) ? quoted : plain;
}

}  // namespace

Passages read_tsv(std::string_view bytes, const ReadOptions& options) {
  return passages_of_columns(bytes, syntax_of_tsv(bytes), options);
}

}  // namespace heed::document
