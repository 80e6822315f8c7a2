#include "text/tsv.h"

#include <algorithm>
#include <cstddef>

#include "base/error.h"
#include "text/lines.h"

namespace heed::text {

Columns columns_of(std::string_view line, const LineReader& reader) {
  const std::size_t tab = line.find('\t');
  if (tab != std::string_view::npos && line.find('\t', tab + 1) == std::string_view::npos)
    return {line.substr(0, tab), line.substr(tab + 1)};
  const auto tabs = std::ranges::count(line, '\t');
  const bool csv = tabs == 0 && line.find(',') != std::string_view::npos;
  const std::string cure =
      tabs > 1 ? "; the first two columns alone: " + reader.command_through("cut -f1,2")
      : csv    ? "; if it is CSV: " +
                  reader.command_through(
                      "python3 -c 'import csv, sys; [print(*(\" \".join(cell.split()) for cell in "
                      "row[:2]), sep=\"\\t\") for row in csv.reader(sys.stdin)]'")
            : "";
  throw UserError("{}:{}: {}{}; each line of a corpus in one file is source TAB target{}",
                  reader.name(), reader.line_number(), tabs == 0 ? "no" : std::to_string(tabs),
                  tabs == 0 ? " TAB" : " TABs", cure);
}

bool has_tsv_name(std::string_view path) {
  for (const std::string_view end : {".tsv", ".tsv.gz", ".tsv.zst"})
    if (path.ends_with(end)) return true;
  return false;
}

std::optional<std::string> tsv_flaw(const std::string& source, const std::string& target) {
  if (target.empty() || (!has_tsv_name(source) && !has_tsv_name(target))) return std::nullopt;
  const bool first = has_tsv_name(source);
  return fmt::format(
      "{} has both sides, as its name says, and {} is given with it; rename it if it has one side",
      first ? source : target, first ? target : source);
}

}  // namespace heed::text
