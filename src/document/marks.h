// Punctuation that stands directly beside an item of a document, which a model may drop.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace heed::document {

/// Bytes of the punctuation at the beginning of `text`.
std::size_t first_marks(std::string_view text);
/// Bytes of the punctuation at the end of `text`.
std::size_t last_marks(std::string_view text);

/// Bytes of the marks at the end of `text` that end a sentence or a clause.
std::size_t last_stops(std::string_view text);

bool opens_bracket(char32_t c);

/// Marks that a translation lacks: those that end sentences and clauses, and brackets of which it
/// lacks one half. Commas are not counted, for languages set them in different places, nor quote
/// marks that look the same on both sides.
class LostMarks {
 public:
  LostMarks() = default;
  LostMarks(std::string_view source, std::string_view translation);

  /// The longest beginning of `marks` in which all are lost. They are found again with this.
  std::string_view first_of(std::string_view marks);
  /// The longest such end.
  std::string_view last_of(std::string_view marks);

 private:
  enum MarkGroup { stop, opens, closes, other };
  static MarkGroup group_of(char32_t c);
  bool find(char32_t mark);

  std::array<int64_t, 4> counts_{};  // by group
};

}  // namespace heed::document
