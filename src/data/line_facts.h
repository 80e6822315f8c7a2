// Facts about a line from one reading: for comparing lines, and for finding flaws.
#pragma once

#include <cstdint>
#include <string_view>

#include "text/script.h"

namespace heed::data {

struct LineFacts {
  /// A hash of the line; runs of blanks count as one, and those at its ends and invisible
  /// characters not at all.
  uint64_t hash = 0;
  int64_t characters = 0;                    // code points other than blanks and invisible ones
  text::Script script = text::Script::none;  // of more than half of the letters, or none
  bool damaged = false;  // U+FFFD, or UTF-8 that was read in another encoding and written again

  bool blank() const { return characters == 0; }
};

/// The facts of a line that is cleaned (text::clean_line). Its hash takes characters as they are:
/// upper and lower case, composed and decomposed letters differ.
LineFacts facts_of(std::string_view line);

struct PairFacts {
  LineFacts source, target;

  bool blank() const { return source.blank() || target.blank(); }
  uint64_t hash() const;  // a hash of both sides, in this order
};

}  // namespace heed::data
