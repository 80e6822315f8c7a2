// Reads the file of a glossary. It is apart from glossary.cpp because a page that translates by
// itself has no files.
#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "decode/search/config.h"
#include "decode/search/glossary.h"
#include "text/lines.h"
#include "text/utf8.h"

namespace heed::decode {

Glossary::Glossary(const DecodeConfig& config)
    : exact_case_(config.glossary_exact_case),
      whole_words_(config.glossary_whole_words),
      inline_(config.glossary_inline) {
  text::LineReader reader(config.glossary);
  for (std::string line; reader.next(line);) {
    if (text::is_blank(line) || line.starts_with('#')) continue;
    const std::string where = fmt::format("{}:{}", reader.name(), reader.line_number());
    std::vector<std::string> columns = split(line, '\t');
    std::ranges::transform(columns, columns.begin(), trim);
    if (columns.size() < 2 || std::ranges::any_of(columns, text::is_blank))
      throw UserError("{}: '{}' is not a term, a tab and its target", where, one_line(line));
    if (!add(columns))
      throw UserError("{}: '{}' is in an earlier line, too; put all its targets there", where,
                      one_line(columns[0]));
  }
  text::require_utf8(reader);
  end_terms();
}

}  // namespace heed::decode
