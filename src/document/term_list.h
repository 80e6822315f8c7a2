// Glossaries as other programs write them: tables of terms, and TBX.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heed::document {

/// The languages of a model as it names them; empty where it does not.
struct TermLanguages {
  std::string source, target;
};

struct Term {
  std::vector<std::string> sources, targets;  // synonyms and translations; both have some
  int64_t line = 0;                           // where it begins, from 1
};

/// The terms of a glossary in the order of the file, as text::plain_text() makes them
/// (text/invisible.h).
struct TermList {
  std::vector<Term> terms;
  std::vector<std::string> warnings;  // what was not read, with the lines and columns
};

/// Reads the bytes of a glossary: TBX, if it is XML, or else a table with tabs, semicolons or
/// commas. The ending of `name`, the name of its file, may say whose it is. Throws UserError where
/// the file has another form, and where a line of it is not understood, with which the message
/// begins.
TermList read_terms(std::string_view bytes, std::string_view name, const TermLanguages& languages);

/// The readers of both kinds.
TermList read_term_table(std::string_view bytes, std::string_view name,
                         const TermLanguages& languages);
TermList read_tbx(std::string_view bytes, const TermLanguages& languages);

/// The number of rows or entries that are left out for one reason, and the first line of them.
struct LeftOut {
  int64_t count = 0, first_line = 0;

  void add(int64_t line);
  /// Adds the warning, if there is anything to warn about: `what` says what they are, as "row", and
  /// `why` what is wrong with them.
  void warn(const std::string& what, const std::string& why,
            std::vector<std::string>& warnings) const;
};

/// The languages of a glossary that are the model's: its tags for the source, and for the target.
struct TermSides {
  std::vector<std::string> source, target;
};

/// Returns the tags of a language among `there`; none for an unknown language.
std::vector<std::string> tags_of(const std::vector<std::string>& there, std::string_view language);

/// Chooses among the languages of a glossary, `there`, in the order in which they come. If it has
/// two, and the model does not say which are its own, the first one is that of the source, and a
/// warning says so. Throws UserError where the model's are not there, or cannot be told; its
/// message ends with `cure`, such as ": `cut -f1,2 OLD > NEW`".
TermSides sides_of(const std::vector<std::string>& there, const TermLanguages& model,
                   std::vector<std::string>& warnings, const std::string& cure = "");

}  // namespace heed::document
