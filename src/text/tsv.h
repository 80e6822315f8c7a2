// Files that have both sides of a corpus: each line is source TAB target.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace heed::text {

class LineReader;  // text/lines.h

/// Which column of each line of a file is read as text.
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

/// Whether the path ends in .tsv, .tsv.gz or .tsv.zst.
bool has_tsv_name(std::string_view path);

/// The message for two files of which one has the name of a file of both sides; nothing where the
/// names are right, or where `target` is empty, because `source` is then a file of both sides.
std::optional<std::string> tsv_flaw(const std::string& source, const std::string& target);

}  // namespace heed::text
