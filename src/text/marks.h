// Punctuation that stands directly beside markup, which a model may drop. Torch-free.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace heed::text {

/// Marks of what is read behind or before markup, with the blank between them and the words.
struct EdgeMarks {
  std::string front, back;
};

/// The marks that `part` begins with, `follows` markup, and ends with, `precedes` other markup.
/// Beside a blank there are none. An apostrophe between a word and the markup is the word's
/// ("`x`'s", "l'`x`"); there a blank is wanted where the translation has no mark.
EdgeMarks edge_marks(std::string_view part, bool follows, bool precedes);

/// The translation of that part, which gets the marks that it lacks at an end in place of its own.
std::string with_marks(const EdgeMarks& marks, const std::string& translation);

/// How many there are that a translation may not lose: brackets and quote marks, emphasis, and what
/// ends sentences and clauses. Commas are not counted, for languages set them in other places.
using MarkCounts = std::array<int64_t, 3>;
MarkCounts count_marks(std::string_view text);

}  // namespace heed::text
