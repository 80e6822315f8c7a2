// CSV (RFC 4180), with the separators that spreadsheets write.
#include <algorithm>
#include <cstddef>
#include <string_view>
#include <tuple>

#include "document/format.h"
#include "document/passage.h"
#include "document/table_cells.h"

namespace heed::document {
namespace {

constexpr std::size_t kRowsSeen = 50;  // of which the separator is found

/// The separator with which the columns are there and the rows have the same number of cells, and
/// the most of them.
TableSyntax syntax_of_csv(std::string_view bytes, const ReadOptions& options) {
  TableSyntax found{.from = after_mark(bytes)};
  const std::string_view text = bytes.substr(found.from);
  // Excel reads and writes this line to name the separator.
  constexpr std::string_view kNamed = "sep=";
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
    const std::tuple here{has_columns(bytes, syntax, options.columns), is_even, width};
    if (here > best) {
      best = here;
      found = syntax;
    }
  }
  return found;
}

}  // namespace

Passages read_csv(std::string_view bytes, const ReadOptions& options) {
  return passages_of_columns(bytes, syntax_of_csv(bytes, options), options.columns);
}

}  // namespace heed::document
