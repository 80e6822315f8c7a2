// Glossaries that are tables: of OmegaT, DeepL, spreadsheets and programs that write such tables.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "document/table_cells.h"
#include "document/term_cells.h"
#include "document/term_columns.h"
#include "document/term_list.h"
#include "document/term_rows.h"
#include "text/language_tags.h"
#include "text/utf8.h"

namespace heed::document {
namespace {

using Cells = std::vector<std::string>;

/// Which columns have what.
struct ColumnPlan {
  std::vector<std::size_t> sources, targets;
  std::optional<std::pair<std::size_t, std::size_t>> languages;  // of source and target, by row
  std::vector<std::size_t> statuses;  // that may say that a row is not to be used
  bool has_header = false;
  bool has_gaps = false;     // rows without a term or a translation are no mistake
  bool has_targets = false;  // all columns from the second on are translations
};

class TermTable {
 public:
  TermTable(std::string_view bytes, std::string_view name, const TermLanguages& model)
      : bytes_(bytes), model_(model) {
    constexpr std::string_view kFirstLine = "# Glossary in tab-separated format";
    is_of_omegat_ = bytes.substr(after_mark(bytes)).starts_with(kFirstLine) ||
                    ascii_lower(name).ends_with(".utf8") || ascii_lower(name).ends_with(".tab");
    may_be_of_omegat_ = ascii_lower(name).ends_with(".txt");
  }

  TermList read() {
    TermRows read = read_term_rows(bytes_, is_of_omegat_, model_);
    rows_ = std::move(read.rows);
    syntax_ = read.syntax;
    quotes_fail_ = read.quotes_fail;
    if (rows_.empty()) return std::move(list_);
    const ColumnPlan plan = plan_of_columns();
    warn_of_quotes(plan);
    require_widths(plan);
    keep_own_languages(plan);
    LeftOut gaps, forbidden;
    for (std::size_t i = plan.has_header ? 1 : 0; i < rows_.size(); ++i) {
      const TermRow& row = rows_[i];
      Term term{.sources = {}, .targets = {}, .line = row.line};
      add_cells(row, plan.sources, term.sources);
      if (plan.has_targets)
        term.targets.assign(row.cells.begin() + 1, row.cells.end());
      else
        add_cells(row, plan.targets, term.targets);
      if (!plan.has_gaps) require_whole(row, term);
      if (!term.targets.empty() && is_forbidden_row(row, plan))
        forbidden.add(row.line);
      else if (term.sources.empty() || term.targets.empty())
        gaps.add(row.line);
      else
        list_.terms.push_back(std::move(term));
    }
    warn_of_parts_of_speech(plan);
    warn_of_cells(plan);
    gaps.warn("row", "no term, or no translation", list_.warnings);
    forbidden.warn("row", "its status says that it is not to be used", list_.warnings);
    return std::move(list_);
  }

 private:
  const TermRow& first() const { return rows_.front(); }

  bool is_forbidden_row(const TermRow& row, const ColumnPlan& plan) const {
    return std::ranges::any_of(plan.statuses, [&](std::size_t i) {
      return i < row.cells.size() && is_forbidden(row.cells[i], first().cells[i]);
    });
  }

  /// Warns about quotes that look as if they were around a cell that is read.
  void warn_of_quotes(const ColumnPlan& plan) {
    const auto is_read = [&](std::size_t i) {
      return plan.has_targets || std::ranges::find(plan.sources, i) != plan.sources.end() ||
             std::ranges::find(plan.targets, i) != plan.targets.end();
    };
    for (const TermRow& row : rows_)
      for (std::size_t i = 0; quotes_fail_ && i < row.cells.size(); ++i)
        if (row.cells[i].starts_with('"') && is_read(i))
          return list_.warnings.push_back(fmt::format(
              "line {}, column {}: a quote begins the cell, but not all such cells end with one; "
              "quotes are read as characters",
              row.line, i + 1));
  }

  /// Warns about a column of translations whose cells are all parts of speech.
  void warn_of_parts_of_speech(const ColumnPlan& plan) {
    for (std::size_t i = 2; plan.has_targets && i < 8; ++i) {
      const TermRow* seen = nullptr;
      bool is_all = true;
      for (const TermRow& row : rows_) {
        if (i >= row.cells.size() || row.cells[i].empty()) continue;
        if (seen == nullptr) seen = &row;
        is_all = is_all && is_part_of_speech(row.cells[i]);
      }
      if (seen != nullptr && is_all)
        list_.warnings.push_back(fmt::format(
            "line {}, column {}: '{}' looks like a part of speech, and is read as another "
            "translation; begin with a row of names, as source<TAB>target<TAB>pos, or cut the "
            "column: `cut -f1-{} OLD > NEW`",
            seen->line, i + 1, one_line(seen->cells[i]), i));
    }
  }

  /// Warns about the first cell that is read of each kind of remarks on cells. Throws UserError
  /// where a spreadsheet could not compute a translation.
  void warn_of_cells(const ColumnPlan& plan) {
    const auto is_in = [](const std::vector<std::size_t>& columns, std::size_t i) {
      return std::ranges::find(columns, i) != columns.end();
    };
    std::array<bool, kCellRemarks> told{};
    for (std::size_t r = plan.has_header ? 1 : 0; r < rows_.size(); ++r) {
      const TermRow& row = rows_[r];
      const auto cell_of = [&](std::size_t i) { return i < row.cells.size() ? row.cells[i] : ""; };
      const std::string term = cell_of(plan.sources[0]),
                        translation = cell_of(plan.has_targets ? 1 : plan.targets[0]);
      for (std::size_t i = 0; i < row.cells.size(); ++i) {
        const bool is_target = plan.has_targets ? i > 0 : is_in(plan.targets, i);
        const std::string& cell = row.cells[i];
        if ((!is_target && !is_in(plan.sources, i)) || cell.empty()) continue;
        if (is_error_of_spreadsheet(cell) && is_target && !is_error_of_spreadsheet(term))
          throw UserError(
              "line {}, column {}: '{}' is an error of a spreadsheet and no translation; mend its "
              "formula, or leave out the row",
              row.line, i + 1, cell);
        const auto remarks = remarks_on_cell(cell, is_target ? term : translation, is_target);
        for (std::size_t kind = 0; kind < kCellRemarks; ++kind) {
          if (told[kind] || remarks[kind].empty()) continue;
          told[kind] = true;
          list_.warnings.push_back(
              fmt::format("line {}, column {}: {}", row.line, i + 1, remarks[kind]));
        }
      }
    }
  }

  ColumnPlan plan_of_columns() {
    if (has_columns_of_deepl())
      return {.sources = {0}, .targets = {1}, .languages = std::pair(2, 3), .has_gaps = true};
    if (auto plan = plan_of_header()) return *plan;
    refuse_running_numbers();
    const bool has_three =
        std::ranges::all_of(rows_, [](const TermRow& row) { return row.cells.size() <= 3; });
    if (is_of_omegat_ || (may_be_of_omegat_ && has_three && syntax_.separator == '\t'))
      return {.sources = {0}, .targets = {1}, .has_gaps = true};
    if (syntax_.separator == '\t') return {.sources = {0}, .targets = {}, .has_targets = true};
    return {.sources = {0}, .targets = {1}};
  }

  /// The columns by their names in the first row; nothing if it is no header.
  std::optional<ColumnPlan> plan_of_header() {
    std::vector<NamedColumn> columns;
    for (const std::string& cell : first().cells) columns.push_back(named_column(cell, model_));
    for (std::size_t i = 0; i < columns.size(); ++i)  // "id" is Indonesian, too
      if (is_of_other_role(columns[i], i)) columns[i] = {.role = ColumnRole::other};
    note_origins(columns);
    const auto with = [&](ColumnRole role) {
      std::vector<std::size_t> found;
      for (std::size_t i = 0; i < columns.size(); ++i)
        if (columns[i].role == role) found.push_back(i);
      return found;
    };
    ColumnPlan plan{.sources = with(ColumnRole::source),
                    .targets = with(ColumnRole::target),
                    .statuses = with(ColumnRole::status),
                    .has_header = true,
                    .has_gaps = true};
    const std::vector<std::size_t> in_languages = with(ColumnRole::language);
    Cells there;
    for (const std::size_t i : in_languages)
      if (std::ranges::find(there, columns[i].language) == there.end())
        there.push_back(columns[i].language);
    const auto of = [&](const Cells& tags) {
      std::vector<std::size_t> found;
      for (const std::size_t i : in_languages)
        if (std::ranges::find(tags, columns[i].language) != tags.end()) found.push_back(i);
      return found;
    };
    const bool several = std::ranges::any_of(there, [&](const std::string& tag) {
      return text::main_language(tag) != text::main_language(there.front());
    });
    if (plan.sources.empty() || plan.targets.empty()) {
      if (several) {
        // Where the source's language has no column, the one called "term" is in it.
        const Cells sources = tags_of(there, model_.source),
                    targets = tags_of(there, model_.target);
        if (!plan.sources.empty() && sources.empty() && !targets.empty()) {
          plan.targets = of(targets);
        } else {
          const TermSides sides =
              sides_of(there, model_, list_.warnings, cure_by_cutting(in_languages));
          plan.sources = of(sides.source);
          plan.targets = of(sides.target);
        }
      } else if (!plan.sources.empty() && !there.empty()) {
        plan.targets = in_languages;
      } else {
        refuse_rows_of_languages();
        refuse_header(columns);
        return std::nullopt;
      }
    }
    const auto from = with(ColumnRole::source_language), to = with(ColumnRole::target_language);
    if (from.size() == 1 && to.size() == 1) plan.languages = std::pair(from[0], to[0]);
    warn_of_unread(columns);
    return plan;
  }

  /// Beside a column of terms, as in "Term;Translation;Source", a source is where the term is from.
  void note_origins(std::vector<NamedColumn>& columns) const {
    const auto has_terms = [&](std::size_t i, bool of_other_name) {
      return columns[i].role == ColumnRole::source &&
             may_name_origin(first().cells[i]) != of_other_name;
    };
    bool has_term = false;
    for (std::size_t i = 0; i < columns.size(); ++i) has_term = has_term || has_terms(i, true);
    for (std::size_t i = 0; i < columns.size() && has_term; ++i)
      if (has_terms(i, false)) columns[i] = {.role = ColumnRole::note};
  }

  /// How two of the columns of languages are left, the first two as an example.
  std::string cure_by_cutting(const std::vector<std::size_t>& columns) const {
    if (columns.size() < 3) return "";
    const char separator = syntax_.separator;
    return fmt::format("; `cut{} -f{},{} OLD > NEW` leaves {} and {}",
                       separator == '\t' ? "" : fmt::format(" -d'{}'", separator), columns[0] + 1,
                       columns[1] + 1, first().cells[columns[0]], first().cells[columns[1]]);
  }

  static bool is_any_other(ColumnRole role) {
    return role == ColumnRole::unknown || role == ColumnRole::other;
  }

  /// Whether the column of this name has numbers in place of terms.
  bool is_of_other_role(const NamedColumn& column, std::size_t i) const {
    return column.role == ColumnRole::language && rows_.size() > 1 &&
           std::ranges::all_of(rows_.begin() + 1, rows_.end(), [&](const TermRow& row) {
             return i < row.cells.size() && is_number(row.cells[i]);
           });
  }

  /// Throws UserError where a column has the language of each row, and the rows are those of
  /// several languages, as in exports of IATE: each has a term, and none a translation.
  void refuse_rows_of_languages() const {
    const auto is_code = [](const std::string& cell) {
      return (cell.size() == 2 || cell.size() == 3) && ascii_lower(cell) == cell &&
             (text::is_known_language(cell) || !text::language_called(cell).empty());
    };
    for (std::size_t i = 0; i < first().cells.size() && first().cells.size() > 2; ++i) {
      bool are_codes = rows_.size() > 2 && !is_code(first().cells[i]), differ = false;
      for (std::size_t r = 1; r < rows_.size() && are_codes; ++r) {
        are_codes = i < rows_[r].cells.size() && is_code(rows_[r].cells[i]);
        differ = differ || (are_codes && rows_[r].cells[i] != rows_[1].cells[i]);
      }
      if (are_codes && differ)
        throw UserError(
            "line {}: column {} ({}) has the language of each row, whose translation is in another "
            "row; export the terms as TBX, or write a term and its target in each row",
            first().line, i + 1, one_line(first().cells[i], 30));
    }
  }

  /// Throws UserError where the first row is a header, but has no two columns of terms: all of its
  /// names are those of headers, and not all say the same. (A glossary may begin with "term" and
  /// "Begriff".)
  void refuse_header(const std::vector<NamedColumn>& columns) const {
    const Cells& names = first().cells;
    bool differ = false;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].role == ColumnRole::unknown && !names[i].empty()) return;
      differ = differ || columns[i].role != columns.front().role;
    }
    if (!differ) return;
    throw UserError(
        "line {}: its first row names the columns {}, and not which ones have the terms and their "
        "translations; name these source and target, or by their languages, as en and de",
        first().line, one_line(join(names, ", "), 200));
  }

  /// Throws UserError where the first column of a table without a header counts its rows, from 1 or
  /// 0, with a point or without.
  void refuse_running_numbers() const {
    const bool are_many = rows_.size() > 1 && std::ranges::all_of(rows_, [](const TermRow& row) {
                            return row.cells.size() >= 3;
                          });
    const auto number = [&](std::size_t i) {
      const std::string& cell = rows_[i].cells[0];
      return cell.substr(0, cell.size() - (cell.ends_with('.') ? 1 : 0));
    };
    const std::size_t begin = are_many && number(0) == "0" ? 0 : 1;
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (!are_many || number(i) != std::to_string(begin + i)) return;
    throw UserError(
        "line {}: column 1 has running numbers, not terms; `cut{} -f2- OLD > NEW` leaves it out",
        first().line, syntax_.separator == '\t' ? "" : fmt::format(" -d'{}'", syntax_.separator));
  }

  /// Warns about columns with other names than those that are understood.
  void warn_of_unread(const std::vector<NamedColumn>& columns) {
    constexpr std::size_t kMost = 8;
    Cells unread;
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (is_any_other(columns[i].role) && !first().cells[i].empty())
        unread.push_back(fmt::format("{} ({})", i + 1, one_line(first().cells[i], 30)));
    if (unread.empty()) return;
    const bool more = unread.size() > kMost;
    if (more) unread.resize(kMost);
    list_.warnings.push_back(fmt::format("line {}: not read: column {}{}", first().line,
                                         join(unread, ", "), more ? ", ..." : ""));
  }

  /// Whether each row is a term, its translation and the codes of their languages, as the tables of
  /// DeepL, which have no header.
  bool has_columns_of_deepl() const {
    const auto is_code = [&](const std::string& cell) {
      return text::main_language(cell).size() == 2 &&
             (is_language_code(cell, model_) || text::upper_case(cell) == cell);
    };
    return std::ranges::all_of(rows_, [&](const TermRow& row) {
      return row.cells.size() >= 4 && is_code(row.cells[2]) && is_code(row.cells[3]) &&
             row.cells[2] != row.cells[3];
    });
  }

  /// Throws UserError where a row has other columns than the first one. Only where each column
  /// after the first is a translation, rows may be of any length.
  void require_widths(const ColumnPlan& plan) {
    if (plan.has_targets) return;
    const bool is_even = !plan.has_header && !plan.has_gaps;
    for (const TermRow& row : rows_)
      if (plan.has_header ? row.cells.size() > first().width
                          : is_even && row.width != first().width)
        throw UserError(
            "line {}: {}, and the first row has {}; a cell that has '{}' stands in quotes",
            row.line, counted(static_cast<int64_t>(row.width), "column"), first().width,
            syntax_.separator == '\t' ? "TAB" : std::string(1, syntax_.separator));
    if (plan.has_header || is_of_omegat_) return;
    const std::size_t read = plan.languages ? 4 : 2;
    for (const TermRow& row : rows_)
      if (row.cells.size() > read)
        return list_.warnings.push_back(
            fmt::format("line {}: column {} is read as a comment, and so is what follows it; in a "
                        "file .tsv with tabs more translations of a term stand there",
                        row.line, read + 1));
  }

  /// Leaves out rows whose languages are not those of the model. If it does not name them, they are
  /// those of the first row.
  void keep_own_languages(const ColumnPlan& plan) {
    if (!plan.languages) return;
    const auto [from, to] = *plan.languages;
    const auto cell = [](const TermRow& row, std::size_t i) {
      return i < row.cells.size() ? row.cells[i] : "";
    };
    const auto wished = [&](const std::string& own, std::size_t column) {
      const std::size_t row = plan.has_header ? 1 : 0;
      return text::main_language(own).empty() && row < rows_.size() ? cell(rows_[row], column)
                                                                    : own;
    };
    const std::string source = wished(model_.source, from), target = wished(model_.target, to);
    LeftOut others;
    std::vector<TermRow> kept;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      TermRow& row = rows_[i];
      if ((i > 0 || !plan.has_header) && (text::are_other_languages(cell(row, from), source) ||
                                          text::are_other_languages(cell(row, to), target)))
        others.add(row.line);
      else
        kept.push_back(std::move(row));
    }
    if (kept.size() == (plan.has_header ? 1U : 0U) && others.count > 0)
      throw UserError("line {}: no row is of the languages of the model, {} and {}",
                      others.first_line, source, target);
    rows_ = std::move(kept);
    others.warn("row", fmt::format("its languages are not {} and {}", source, target),
                list_.warnings);
  }

  static void add_cells(const TermRow& row, const std::vector<std::size_t>& columns, Cells& out) {
    for (const std::size_t i : columns)
      if (i < row.cells.size() && !text::is_blank(row.cells[i])) out.push_back(row.cells[i]);
  }

  /// Throws UserError where a row of a table without a header has no term, no translation, or an
  /// empty cell between translations.
  void require_whole(const TermRow& row, const Term& term) const {
    if (row.cells.size() < 2)
      throw UserError("line {}: '{}' is not a term, a {} and its target", row.line,
                      one_line(row.cells.front()),
                      syntax_.separator == ';'                    ? "semicolon"
                      : syntax_.separator == '|'                  ? "bar"
                      : syntax_.separator == ',' && row.width > 1 ? "comma"
                                                                  : "tab");
    for (std::size_t i = 0; i < std::max<std::size_t>(term.targets.size() + 1, 2); ++i)
      if (text::is_blank(row.cells[i]))
        throw UserError("line {}: column {} is empty; write each term, a tab and its target",
                        row.line, i + 1);
  }

  std::string_view bytes_;
  const TermLanguages& model_;
  bool is_of_omegat_ = false;      // its third column has comments
  bool may_be_of_omegat_ = false;  // if there are three columns
  TableSyntax syntax_;
  bool quotes_fail_ = false;  // as TermRows::quotes_fail
  std::vector<TermRow> rows_;
  TermList list_;
};

}  // namespace

TermList read_term_table(std::string_view bytes, std::string_view name,
                         const TermLanguages& languages) {
  return TermTable(bytes, name, languages).read();
}

}  // namespace heed::document
