#include "document/term_columns.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <utility>

#include "base/strings.h"
#include "text/language_tags.h"
#include "text/utf8.h"

namespace heed::document {
namespace {

/// Names of columns, as plain_name() makes them, with '|' between them.
struct RoleNames {
  ColumnRole role;
  std::string_view names;
};

constexpr std::array<RoleNames, 7> kRoles = {{
    {ColumnRole::source,
     "source|source term|source text|source phrase|source word|src|term|original|original term|"
     "word|phrase|from|palabra|mot|"
     "begriff|quelle|quellbegriff|quelltext|ausgangstext|terme|terme source|texte source|origen|"
     "término|término origen|原文|术语|用語"},
    {ColumnRole::target,
     "target|target term|target text|target phrase|target word|tgt|trg|translation|translated term|"
     "to|"
     "übersetzung|ziel|zielbegriff|zieltext|traduction|cible|terme cible|texte cible|"
     "traducción|destino|término destino|译文|翻译|訳語|訳文"},
    {ColumnRole::source_language, "source lang|source language|sourcelang|source locale"},
    {ColumnRole::target_language, "target lang|target language|targetlang|target locale"},
    {ColumnRole::note,
     "comment|comments|note|notes|remark|remarks|description|definition|context|pos|"
     "part of speech|wortart|kommentar|bemerkung|anmerkung|commentaire|comentario|备注|"
     "備考"},
    {ColumnRole::status,
     "status|term status|administrative status|usage status|forbidden|forbidden term|"
     "deprecated|statut|estado|verboten"},
    {ColumnRole::other,
     "#|nr|lfd nr|num|number|id|uid|term id|term uid|entry id|concept id|key|name|"
     "domain|subject|category|gender|tags|translatable|case sensitive|"
     "casesensitive"},
}};

constexpr std::string_view kPartsOfSpeech =
    "noun|verb|adjective|adj|adverb|adv|pronoun|proper noun|preposition|conjunction|interjection|"
    "substantiv|nomen|eigenname|adjektiv|nom|verbe|adjectif|adverbe|sustantivo|verbo|adjetivo|"
    "adverbio";
constexpr std::string_view kScripts = "latn|cyrl|arab|hans|hant|deva|grek|hebr|jpan";

/// The name in small letters, its words separated by blanks.
std::string plain_name(const std::string& name) {
  std::string out = text::lower_case(name);
  for (char& c : out)
    if (c == '_' || c == '-' || c == '.') c = ' ';
  return join(split_words(out), " ");
}

/// Whether what follows the main language says its region or script: "-AT", "_Hant_TW", but not
/// "_notes".
bool are_subtags(std::string_view rest) {
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::string part = ascii_lower(rest.substr(0, rest.find_first_of("-_")));
    rest.remove_prefix(part.size());
    if (part.size() != 2 && !is_among(part, kScripts) && !is_number(part)) return false;
  }
  return true;
}

/// The language of a column of terms: "de", "German", "Term [de]", "translation_de"; "": it has
/// none.
std::string language_of_column(std::string_view name, const TermLanguages& model) {
  if (is_language_code(name, model)) return std::string(name);
  if (std::string code = text::language_called(name); !code.empty()) return code;
  for (const std::string_view before : {"term", "translation"}) {
    if (!ascii_lower(name).starts_with(before)) continue;
    std::string_view rest = trim(name.substr(before.size()));
    if (rest.size() > 2 && is_among(rest.substr(0, 1), "[|(|_")) {
      rest.remove_prefix(1);
      if (rest.ends_with(']') || rest.ends_with(')')) rest.remove_suffix(1);
      if (is_language_code(rest, model)) return std::string(rest);
    }
  }
  return "";
}

}  // namespace

bool is_among(std::string_view name, std::string_view names) {
  while (!names.empty()) {
    const std::size_t end = std::min(names.find('|'), names.size());
    if (names.substr(0, end) == name) return true;
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return false;
}

bool is_number(std::string_view cell) {
  return !cell.empty() && cell.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_language_code(std::string_view cell, const TermLanguages& model) {
  const std::string main = text::main_language(cell);
  if (main.empty() || !are_subtags(cell.substr(main.size()))) return false;
  if (text::is_known_language(main) || main == "xx") return true;
  return main == text::main_language(model.source) || main == text::main_language(model.target);
}

NamedColumn named_column(const std::string& cell, const TermLanguages& model) {
  const std::string name = plain_name(cell);
  for (const RoleNames& one : kRoles)
    if (is_among(name, one.names)) return {.role = one.role};
  // UTX puts the language before what a column says of its terms: "src:pos".
  if (name.starts_with("src:") || name.starts_with("tgt:")) return {.role = ColumnRole::note};
  if (std::string language = language_of_column(cell, model); !language.empty())
    return {.role = ColumnRole::language, .language = std::move(language)};
  return {};
}

bool is_forbidden(std::string_view status) {
  const std::string small = text::lower_case(status);
  return !small.starts_with("not forbidden") &&
         std::ranges::any_of(
             std::initializer_list<std::string_view>{
                 "deprecated", "superseded", "forbidden", "obsolete", "rejected", "prohibited",
                 "banned", "do not use", "not recommended", "verboten", "veraltet", "interdit",
                 "obsol\u00E8te", "prohibido", "obsoleto"},
             [&](std::string_view word) { return small.find(word) != std::string::npos; });
}

bool is_forbidden(std::string_view cell, const std::string& column) {
  constexpr std::string_view kYes = "yes|y|true|1|x|ja|wahr|oui|vrai|s\u00ED";
  return is_forbidden(cell) ||
         (is_forbidden(std::string_view(column)) && is_among(text::lower_case(cell), kYes));
}

bool may_name_origin(const std::string& cell) {
  return is_among(plain_name(cell), "source|quelle|origen|original");
}

bool is_part_of_speech(const std::string& cell) {
  return is_among(plain_name(cell), kPartsOfSpeech);
}

bool names_both_sides(const std::vector<std::string>& names, const TermLanguages& model) {
  bool has_source = false, has_target = false;
  std::vector<std::string> there;
  for (const std::string& name : names) {
    const NamedColumn column = named_column(name, model);
    has_source = has_source || column.role == ColumnRole::source;
    has_target = has_target || column.role == ColumnRole::target;
    if (column.role == ColumnRole::language) there.push_back(text::main_language(column.language));
  }
  return (has_source && has_target) ||
         std::ranges::any_of(there, [&](const auto& one) { return one != there.front(); });
}

}  // namespace heed::document
