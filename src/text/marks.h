// Punctuation that stands directly beside markup, which a model may drop.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace heed::text {

/// The marks at both ends of a text beside markup, with the blank between the marks and the words.
struct EdgeMarks {
  std::string front, back;
};

/// The marks with which `fragment` begins, where it `follows` markup, and ends, where it `precedes`
/// other markup. A mark beside a blank does not count. An apostrophe between a word and the markup
/// is the word's ("`x`'s", "l'`x`"); there EdgeMarks asks for a blank, unless the translation has a
/// mark.
EdgeMarks edge_marks(std::string_view fragment, bool follows, bool precedes);

/// The translation of a fragment. At an end where it lacks marks of the fragment, it gets those of
/// the fragment in place of its own.
std::string with_marks(const EdgeMarks& marks, const std::string& translation);

/// How many marks of three groups there are that a translation may not lose: brackets and quote
/// marks, emphasis, and marks that end sentences and clauses. Commas are not counted, for languages
/// set them in other places.
using MarkCounts = std::array<int64_t, 3>;
MarkCounts count_marks(std::string_view text);

}  // namespace heed::text
