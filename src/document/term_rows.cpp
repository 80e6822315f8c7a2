#include "document/term_rows.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "document/term_columns.h"
#include "text/invisible.h"
#include "text/utf8.h"

namespace heed::document {
namespace {

using Cells = std::vector<std::string>;

class TermRowReader {
 public:
  TermRowReader(std::string_view bytes, bool is_of_omegat, const TermLanguages& model)
      : bytes_(bytes), is_of_omegat_(is_of_omegat), model_(model) {}

  TermRows read() && {
    const std::size_t from = beginning();
    const bool names_separator = bytes_.substr(from).starts_with("sep=");
    if (!names_separator && has_tabs())
      read_rows_with_tabs(from);
    else
      read_.rows = rows_of(read_.syntax = syntax_of_csv(bytes_, from, {}));
    if (!add_header_of_anki(from)) add_header_in_comments(from);
    return std::move(read_);
  }

 private:
  /// Whether a line that is no comment has a TAB.
  bool has_tabs() const {
    for (const std::string_view line : split_lines(bytes_))
      if (!line.starts_with('#') && line.find('\t') != std::string_view::npos) return true;
    return false;
  }

  static std::vector<std::string_view> split_lines(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find_first_of("\r\n"), text.size() - 1);
      lines.push_back(text.substr(0, end + 1));
      text.remove_prefix(end + 1);
    }
    return lines;
  }

  /// The byte after comments and blank lines at the beginning.
  std::size_t beginning() const {
    std::size_t from = after_mark(bytes_);
    for (const std::string_view line : split_lines(bytes_.substr(from))) {
      if (!line.starts_with('#') && !text::is_blank(line)) break;
      from += line.size();
    }
    return from;
  }

  /// Puts a header before the rows where comments say what columns have, as "#tags column:5" in
  /// Anki's exports: of the other columns the first has the terms, and the second the translations.
  bool add_header_of_anki(std::size_t from) {
    constexpr std::string_view kColumn = " column:";
    TermRow header;
    int64_t line = 1;
    std::vector<std::pair<std::size_t, std::string>> known;  // columns, from 0
    for (const std::string_view one : split_lines(bytes_.substr(0, from))) {
      const std::size_t at = one.find(kColumn);
      if (one.starts_with('#') && at != one.npos) {
        const auto number = exact_number<std::size_t>(trim(one.substr(at + kColumn.size())));
        if (number && *number > 0 && *number < 100) {
          known.emplace_back(*number - 1, std::string(trim(one.substr(1, at - 1))));
          header.line = line;
        }
      }
      line += one.ends_with('\n');
    }
    if (known.empty() || read_.rows.empty()) return false;
    for (const TermRow& row : read_.rows) header.width = std::max(header.width, row.width);
    for (std::size_t i = 0, fields = 0; i < header.width; ++i) {
      const auto found = std::ranges::find(known, i, [](const auto& one) { return one.first; });
      if (found != known.end())
        header.cells.push_back(found->second);
      else if (++fields <= 2)
        header.cells.emplace_back(fields == 1 ? "source" : "target");
      else
        header.cells.push_back(fmt::format("field {}", fields));
    }
    read_.rows.insert(read_.rows.begin(), std::move(header));
    return true;
  }

  /// Puts the last comment before the first row at the beginning of the rows if it names the
  /// columns, as "#src<TAB>tgt<TAB>src:pos" of UTX, or "#,en,de". Throws UserError where no comment
  /// of UTX does.
  void add_header_in_comments(std::size_t from) {
    const std::size_t mark = after_mark(bytes_);
    std::string_view comment;
    int64_t line = 1, at = 0;
    for (const std::string_view one : split_lines(bytes_.substr(mark, from - mark))) {
      if (one.starts_with('#')) {
        comment = one;
        at = line;
      }
      line += one.ends_with('\n') ||
              (one.ends_with('\r') && one.data() + 1 < bytes_.data() + bytes_.size() &&
               *(one.data() + 1) != '\n');
    }
    if (read_.rows.empty() || comment.empty()) return;
    const std::string_view rest = bytes_.substr(mark);
    const bool is_utx = ascii_lower(rest.substr(0, 4)) == "#utx";
    TermRow header{.cells = cells_of_comment(comment), .width = 0, .line = at};
    header.width = header.cells.size();
    if (names_both_sides(header.cells, model_) &&
        std::ranges::all_of(read_.rows,
                            [&](const TermRow& row) { return row.width <= header.width; })) {
      if (is_utx) name_languages_of_utx(rest.substr(0, rest.find_first_of("\r\n")), header.cells);
      read_.rows.insert(read_.rows.begin(), std::move(header));
    } else if (is_utx) {
      throw UserError(
          "line 1: a glossary of UTX, whose last comment before the terms names the columns, as "
          "'#src<TAB>tgt<TAB>src:pos'; write this line, or each term, a tab and its target");
    }
  }

  Cells cells_of_comment(std::string_view comment) const {
    const bool has_bare_mark = comment.substr(1).starts_with(read_.syntax.separator);  // "#,en,de"
    const std::string text(trim(comment.substr(has_bare_mark ? 0 : 1)));
    Cells out;
    for (std::size_t from = 0; from <= text.size();) {
      const std::size_t end = std::min(text.find(read_.syntax.separator, from), text.size());
      out.push_back(text::plain_text(text.substr(from, end - from)));
      from = end + 1;
    }
    return out;
  }

  /// Puts the languages of "#UTX 1.20; en/de; ..." in place of "src" and "tgt".
  void name_languages_of_utx(std::string_view line, Cells& names) const {
    const std::size_t from = std::min(line.find(';'), line.size() - 1) + 1;
    const std::string_view pair = trim(line.substr(from, line.substr(from).find(';')));
    const std::size_t slash = pair.find('/');
    if (slash == std::string_view::npos) return;
    const std::string_view source = trim(pair.substr(0, slash)),
                           target = trim(pair.substr(slash + 1));
    if (!is_language_code(source, model_) || !is_language_code(target, model_)) return;
    for (std::string& name : names) {
      if (name == "src") name = source;
      if (name == "tgt") name = target;
    }
  }

  /// Quotes are around cells if the table can be read so, or else characters as others.
  void read_rows_with_tabs(std::size_t from) {
    read_.syntax = {.separator = '\t', .has_quotes = !is_of_omegat_, .from = from};
    if (is_of_omegat_) {
      read_.rows = rows_of(read_.syntax);
      return;
    }
    try {
      read_.rows = rows_of(read_.syntax);
      if (std::ranges::all_of(read_.rows, [](const TermRow& row) { return row.width > 1; })) return;
    } catch (const UserError&) {  // then they are not
    }
    read_.syntax.has_quotes = false;
    read_.rows = rows_of(read_.syntax);
    read_.quotes_fail = true;
  }

  /// The rows that are neither blank nor comments.
  std::vector<TermRow> rows_of(const TableSyntax& syntax) const {
    std::vector<TermRow> out;
    std::vector<TableCell> row;
    std::size_t counted = 0;
    int64_t line = 1;
    for (RowReader reader(bytes_, syntax); reader.next(row);) {
      const TableCell& begin = row.front();
      for (; counted < begin.bytes.from; ++counted)
        line += bytes_[counted] == '\n' ||
                (bytes_[counted] == '\r' && !bytes_.substr(counted + 1).starts_with('\n'));
      if (!begin.is_quoted && bytes_.substr(begin.bytes.from).starts_with('#')) continue;
      TermRow one{.cells = {}, .width = row.size(), .line = line};
      for (const TableCell& cell : row)
        one.cells.push_back(text::plain_text(text_of_cell(bytes_, cell)));
      while (!one.cells.empty() && text::is_blank(one.cells.back())) one.cells.pop_back();
      if (!one.cells.empty()) out.push_back(std::move(one));
    }
    return out;
  }

  std::string_view bytes_;
  bool is_of_omegat_;
  const TermLanguages& model_;
  TermRows read_;
};

}  // namespace

TermRows read_term_rows(std::string_view bytes, bool is_of_omegat, const TermLanguages& model) {
  return TermRowReader(bytes, is_of_omegat, model).read();
}

}  // namespace heed::document
