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
/// line unless it has exactly one TAB; its cure takes the first two columns of text, not of numbers
/// or of one cell again and again.
Columns columns_of(std::string_view line, const LineReader& reader);

/// Whether the path ends in .tsv, .tsv.gz or .tsv.zst.
bool has_tsv_name(std::string_view path);

/// The message, with the cure, for a file that is read line by line and has the name of a table
/// with commas, semicolons or TABs, whose lines have several texts or half a cell; nothing for
/// other names.
std::optional<std::string> csv_flaw(const std::string& path);

/// The message, with the cure, for a file with both sides in the form of fast_align, "source |||
/// target", as its first lines have it; nothing for others.
std::optional<std::string> bars_flaw(const std::string& path);

/// The message, with the cure, for a file that has another name than tables, but as many TABs in
/// each of its first lines; nothing for others.
std::optional<std::string> tabs_flaw(const std::string& path);

/// Throws UserError, which begins with the name of the command, unless `source` and `target` name
/// both sides of a corpus: two files, or one .tsv file and nothing. A single file of another kind
/// is read, so that the message has the cure for what it holds.
void require_both_sides(const std::string& command, const std::string& source,
                        const std::string& target);

/// The message for two files of which one has the name of a file of both sides; nothing where the
/// names are right, or where `target` is empty, because `source` is then a file of both sides.
std::optional<std::string> tsv_flaw(const std::string& source, const std::string& target);

}  // namespace heed::text
