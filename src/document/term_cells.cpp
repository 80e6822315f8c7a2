#include "document/term_cells.h"

#include <algorithm>
#include <cctype>

#include "base/format.h"
#include "base/strings.h"
#include "document/term_columns.h"
#include "text/characters.h"
#include "text/utf8.h"

namespace heed::document {
namespace {

/// Excel's and LibreOffice's, in English, German, French, Spanish and Italian.
constexpr std::string_view kErrors =
    "#N/A|#NAME?|#REF!|#VALUE!|#DIV/0!|#NULL!|#NUM!|#SPILL!|#CALC!|#FIELD!|#BLOCKED!|#NV|#BEZUG!|"
    "#WERT!|#ZAHL!|#\u00DCBERLAUF!|#N/D|#NOM?|#VALEUR!|#NOMBRE!|#\u00A1REF!|#\u00A1VALOR!|"
    "#\u00A1NUM!|#\u00BFNOMBRE?|#NOME?|#RIF!|#VALORE!";

/// In brackets after a noun, as dictionaries have them; the program of the cure reads the list,
/// too.
constexpr std::string_view kGenders =
    "m|f|n|mf|nt|pl|sg|masc|fem|neut|der|die|das|le|la|les|el|los|las|il|lo";

constexpr std::string_view kArticles = "der|die|das|le|la|les|el|los|las|il|lo";

constexpr std::string_view kPlaceholders = "TODO|TBD|FIXME|XXX|N/A|n/a|NaN|NULL";

/// A mark of gender or number in brackets after a blank, with its brackets; "": there is none.
std::string_view gender_in_brackets(std::string_view cell) {
  constexpr std::string_view kOpen = "[({", kClose = "])}";
  for (std::size_t at = cell.find(' '); at != cell.npos; at = cell.find(' ', at + 1)) {
    const std::string_view rest = cell.substr(at + 1);
    const std::size_t kind = rest.empty() ? kOpen.npos : kOpen.find(rest.front());
    if (kind == kOpen.npos) continue;
    const std::size_t end = rest.find(kClose[kind]);
    if (end == rest.npos) continue;
    std::string_view inside = rest.substr(1, end - 1);
    if (inside.ends_with('.')) inside.remove_suffix(1);
    if (is_among(inside, kGenders)) return rest.substr(0, end + 1);
  }
  return "";
}

/// The article after a comma at the end, as in "Kerl, der"; "": there is none.
std::string_view article_at_end(std::string_view cell) {
  const std::size_t comma = cell.rfind(", ");
  if (comma == cell.npos || comma == 0) return "";
  const std::string_view last = cell.substr(comma + 2);
  return is_among(last, kArticles) ? last : "";
}

/// The first tag or character reference of HTML; "": there is none.
std::string_view markup_in(std::string_view cell) {
  const auto is_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  for (std::size_t at = cell.find_first_of("<&"); at != cell.npos;
       at = cell.find_first_of("<&", at + 1)) {
    const std::string_view rest = cell.substr(at);
    const bool is_tag = rest[0] == '<';
    std::size_t from = 1;
    if (from < rest.size() && rest[from] == (is_tag ? '/' : '#')) ++from;
    std::size_t end = from;
    while (end < rest.size() && is_name(rest[end])) ++end;
    if (end == from || (is_tag && !std::isalpha(static_cast<unsigned char>(rest[from])))) continue;
    if (is_tag) end = std::min(rest.find('>', end), rest.size());
    if (end < rest.size() && rest[end] == (is_tag ? '>' : ';')) return rest.substr(0, end + 1);
  }
  return "";
}

/// What stands between two translations of a cell; empty: nothing does. A semicolon after '&' may
/// end an entity.
std::string_view mark_between_synonyms(std::string_view cell) {
  for (const std::string_view mark : {";", "|", " / "}) {
    const std::size_t at = cell.find(mark);
    if (at != std::string_view::npos && at > 0 && at + mark.size() < cell.size() &&
        cell.find('&') == std::string_view::npos)
      return trim(mark);
  }
  return "";
}

/// Whether the cell is a call of a function, as "=CONCAT(A1)", or another cell, as "=B2".
bool is_function_call(std::string_view cell) {
  if (!cell.starts_with('=')) return false;
  cell.remove_prefix(1);
  std::size_t name = 0;
  while (name < cell.size() && (std::isupper(static_cast<unsigned char>(cell[name])) != 0 ||
                                cell[name] == '.' || cell[name] == '$'))
    ++name;
  const std::string_view rest = cell.substr(name);
  return name > 0 && ((rest.starts_with('(') && rest.ends_with(')')) ||
                      (!rest.empty() && rest.find_first_not_of("0123456789$") == rest.npos));
}

/// Whether a cell stands for a translation that is not there yet.
bool is_placeholder(std::string_view cell) {
  constexpr std::u32string_view kMarks = U"-?._*/\u2013\u2014\u2026 ";
  const std::u32string text = text::decode_utf8(cell);
  return is_among(cell, kPlaceholders) ||
         std::ranges::all_of(text, [&](char32_t c) { return kMarks.find(c) != kMarks.npos; });
}

/// What follows a blank, '#' and a blank; "": nothing does.
std::string_view comment_in(std::string_view cell) {
  const std::size_t at = cell.find(" # ");
  return at == 0 || at == cell.npos ? "" : cell.substr(at + 1);
}

/// Quotation marks other than those of ASCII, which are around cells, as sed reads them.
constexpr std::string_view kQuotes =
    "[\u201C\u201D\u201E\u00AB\u00BB\u2018\u201A\u2039\u203A\u300C\u300D\u300E\u300F]";

/// Whether such a mark begins the cell, another one ends it, and none is between them.
bool is_in_quotes(std::string_view cell) {
  constexpr std::u32string_view
      kOpen = U"\u201C\u201D\u201E\u00AB\u00BB\u2018\u201A\u2039\u203A\u300C\u300E",
      kClose = U"\u201C\u201D\u00AB\u00BB\u2018\u2019\u2039\u203A\u300D\u300F";
  const std::u32string text = text::decode_utf8(cell);
  return text.size() > 2 && text.find_first_of(kOpen) == 0 &&
         text.find_first_of(kOpen, 1) >= text.size() - 1 && kClose.find(text.back()) != kClose.npos;
}

bool has_letter(std::string_view cell) {
  return std::ranges::any_of(text::decode_utf8(cell), text::is_letter);
}

}  // namespace

bool is_error_of_spreadsheet(std::string_view cell) {
  const bool is_of_libreoffice = cell.size() == 7 && cell.starts_with("Err:") &&
                                 cell.substr(4).find_first_not_of("0123456789") == cell.npos;
  return is_of_libreoffice || (cell.starts_with('#') && is_among(cell, kErrors));
}

std::array<std::string, kCellRemarks> remarks_on_cell(std::string_view cell, std::string_view other,
                                                      bool is_translation) {
  std::array<std::string, kCellRemarks> out;
  if (const std::string_view mark = mark_between_synonyms(cell); is_translation && !mark.empty())
    out[0] = fmt::format(
        "'{}' is one translation with '{}' in it; write translations of a term in cells or rows of "
        "their own",
        one_line(cell), mark);
  if (const std::string_view gender = gender_in_brackets(cell);
      !gender.empty() && other.find(gender) == other.npos)
    out[1] = fmt::format(
        "'{}' looks like a mark of gender or number, and is read as part of the text; without such "
        "marks: sed -E 's/ +[[({{]({})[.]?[])}}]//g' OLD > NEW",
        gender, kGenders);
  else if (const std::string_view article = article_at_end(cell); !article.empty())
    out[1] = fmt::format("'{}' ends with an article, '{}', which is read as part of the text",
                         one_line(cell), article);
  if (const std::string_view markup = markup_in(cell);
      !markup.empty() && other.find(markup) == other.npos)
    out[2] = fmt::format(
        "'{}' looks like markup of HTML, and is read as part of the text; export the terms without "
        "it",
        one_line(markup));
  if (is_function_call(cell) && !is_function_call(other))
    out[3] = fmt::format(
        "'{}' looks like a formula of a spreadsheet, and is read as text; save its values",
        one_line(cell));
  if (is_translation && is_placeholder(cell) && other != cell && has_letter(other))
    out[4] =
        fmt::format("'{}' is read as the translation of '{}'; leave out rows that have none yet",
                    one_line(cell), one_line(other));
  if (const std::string_view comment = comment_in(cell);
      !comment.empty() && other.find('#') == other.npos)
    out[5] = fmt::format(
        "'{}' looks like a comment, and is read as part of the text; write comments on lines of "
        "their own, which begin with #",
        one_line(comment));
  if (is_in_quotes(cell))
    out[6] = fmt::format(
        "the quotation marks around '{}' are read as part of the text, and a term is found only "
        "with them; without them: sed 's/{}//g' OLD > NEW",
        one_line(cell), kQuotes);
  return out;
}

}  // namespace heed::document
