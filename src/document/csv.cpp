// CSV (RFC 4180), with the separators that spreadsheets write.
#include <string_view>

#include "document/format.h"
#include "document/passage.h"
#include "document/table_cells.h"

namespace heed::document {

Passages read_csv(std::string_view bytes, const ReadOptions& options) {
  return passages_of_columns(bytes, syntax_of_csv(bytes, after_mark(bytes), options.columns),
                             options);
}

}  // namespace heed::document
