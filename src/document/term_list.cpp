#include "document/term_list.h"

#include <algorithm>
#include <cstddef>

#include "base/error.h"
#include "base/strings.h"
#include "document/table_cells.h"
#include "document/term_forms.h"
#include "text/language_tags.h"
#include "text/utf8.h"

namespace heed::document {
namespace {

using Tags = std::vector<std::string>;

/// A tag that names no language: "und" is undetermined, and translate-toolkit writes "xx".
bool is_unnamed(std::string_view tag) {
  const std::string main = text::main_language(tag);
  return main.empty() || main == "xx" || main == "und";
}

/// Whether a tag that is not spelled as the model's language may be that language.
bool may_be(std::string_view tag, std::string_view language) {
  return is_unnamed(tag) || is_unnamed(language) || !text::are_other_languages(tag, language);
}

/// The first two main languages, and how many there are.
Tags mains_of(const Tags& there) {
  Tags mains;
  for (const std::string& tag : there)
    if (const std::string main = text::main_language(tag);
        std::ranges::find(mains, main) == mains.end())
      mains.push_back(main);
  return mains;
}

std::string shown(const std::string& language) {
  return is_unnamed(language) ? "a language that it does not name" : one_line(language);
}

bool is_xml(std::string_view bytes) {
  bytes.remove_prefix(after_mark(bytes));
  bytes = trim(bytes);
  constexpr std::string_view kBeginnings[] = {"<?xml", "<!--", "<!DOCTYPE", "<martif", "<tbx"};
  return std::ranges::any_of(kBeginnings,
                             [&](std::string_view one) { return bytes.starts_with(one); });
}

}  // namespace

void LeftOut::add(int64_t line) {
  if (count++ == 0) first_line = line;
}

void LeftOut::warn(const std::string& what, const std::string& why,
                   std::vector<std::string>& warnings) const {
  if (count > 0)
    warnings.push_back(
        fmt::format("line {}: {}; {} left out", first_line, why,
                    count == 1 ? "one " + what + " is" : counted(count, what) + " are"));
}

Tags tags_of(const Tags& there, std::string_view language) {
  Tags out;
  const std::string main = text::main_language(language);
  for (const std::string& tag : there)
    if (!main.empty() && text::main_language(tag) == main) out.push_back(tag);
  return out;
}

TermSides sides_of(const Tags& there, const TermLanguages& model,
                   std::vector<std::string>& warnings, const std::string& cure) {
  TermSides sides{tags_of(there, model.source), tags_of(there, model.target)};
  if (!sides.source.empty() && !sides.target.empty()) return sides;
  const Tags mains = mains_of(there);
  if (mains.size() == 2) {
    const std::size_t source =
        !sides.source.empty()   ? text::main_language(sides.source[0]) == mains[1]
        : !sides.target.empty() ? text::main_language(sides.target[0]) == mains[0]
                                : 0;
    TermSides guessed;
    for (const std::string& tag : there)
      (text::main_language(tag) == mains[source] ? guessed.source : guessed.target).push_back(tag);
    if (may_be(guessed.source[0], model.source) && may_be(guessed.target[0], model.target)) {
      if (sides.source.empty() && sides.target.empty())
        warnings.push_back(fmt::format(
            "{} is read as the language of the source, and {} as that of the translations, for the "
            "model names its languages otherwise, or not",
            guessed.source[0], guessed.target[0]));
      return guessed;
    }
  }
  if (is_unnamed(model.source) && is_unnamed(model.target))
    throw UserError(
        "its terms are in {}, and no model says which two of these languages are the source's and "
        "the translations'; leave only these two in it, the source's first{}",
        join(there, ", "), cure);
  throw UserError(
      "its terms are in {}, and the model translates from {} to {}; leave the columns or entries "
      "of these two languages in it, or write each term, a tab and its target{}",
      join(there, ", "), shown(model.source), shown(model.target), cure);
}

TermList read_terms(std::string_view bytes, std::string_view name, const TermLanguages& languages) {
  if (!is_xml(bytes))
    if (const auto flaw = flaw_of_form(bytes, name, languages)) throw UserError("{}", *flaw);
  TermList list =
      is_xml(bytes) ? read_tbx(bytes, languages) : read_term_table(bytes, name, languages);
  if (!text::is_utf8(bytes))
    list.warnings.emplace_back("not all of it is UTF-8; U+FFFD stands in place of other bytes");
  return list;
}

}  // namespace heed::document
