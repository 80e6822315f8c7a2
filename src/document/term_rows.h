// The rows of a table of terms, with tabs, semicolons, commas or bars.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "document/table_cells.h"
#include "document/term_list.h"

namespace heed::document {

struct TermRow {
  std::vector<std::string> cells;  // tidy
  std::size_t width = 0;           // with empty cells at the end
  int64_t line = 0;
};

struct TermRows {
  std::vector<TermRow> rows;  // neither blank nor comments
  TableSyntax syntax;
  bool quotes_fail = false;  // it has tabs, and cannot be read with quotes around cells
};

/// Reads the rows of a table; in one of OmegaT, quotes are characters as others. The last comment
/// before the first row is the first of the rows if it names the columns, as
/// "#src<TAB>tgt<TAB>src:pos" of UTX, or "#,en,de", or one that comments of Anki make. Throws
/// UserError where no comment of UTX does, and where a quote has no end.
TermRows read_term_rows(std::string_view bytes, bool is_of_omegat, const TermLanguages& model);

}  // namespace heed::document
