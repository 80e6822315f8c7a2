// Files of both sides of a corpus: each line is source TAB target.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace heed::text {

class LineReader;  // text/lines.h

/// What of each line of a file is text.
enum class TsvColumn {
  whole,
  source,  // of "source TAB target"
  target,
  both,  // one after the other
};

struct Columns {
  std::string_view source, target;
};

/// The two sides of `line`, which is the last that `reader` gave. Throws UserError naming file and
/// line unless it has exactly one TAB.
Columns columns_of(std::string_view line, const LineReader& reader);

/// NAME.tsv, NAME.tsv.gz or NAME.tsv.zst.
bool has_tsv_name(std::string_view path);

/// What is wrong where one of two files has the name of a file of both sides. An empty `target`:
/// there is one file alone, and nothing is wrong.
std::optional<std::string> tsv_flaw(const std::string& source, const std::string& target);

}  // namespace heed::text
