// The marks at which sentences end, in all scripts.
#pragma once

#include <cstddef>
#include <string_view>

namespace heed::text {

enum class SentenceMark {
  none,
  dot,      // "." and its like, which stand after abbreviations and numbers, too
  open,     // ends a sentence before a blank: ! ? and others that occur in names and addresses
  certain,  // ends one without a blank, too: the marks of scripts that have their own
};

/// A mark, and how many code points it has.
struct MarkAt {
  SentenceMark mark = SentenceMark::none;
  std::size_t size = 1;
};

/// The mark at `i` of `text`. Characters with Unicode's property Sentence_Terminal are marks,
/// besides the Burmese comma (U+104A), and so are ellipses and Tibetan shads. A letter before
/// decides about others: `;` is a mark after Greek, `:` after Armenian (where `.` is none), `|`
/// after scripts of India, and two `:` or U+1361 are one after Ethiopic.
MarkAt sentence_mark_at(std::u32string_view text, std::size_t i);

}  // namespace heed::text
