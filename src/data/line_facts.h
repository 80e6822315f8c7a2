// What a line tells about itself at one reading: for comparing lines, and for finding faults.
#pragma once

#include <cstdint>
#include <string_view>

#include "text/script.h"

namespace heed::data {

struct LineFacts {
  /// Of the line; runs of blanks count as one, those at its ends and what is invisible not at all.
  uint64_t hash = 0;
  int64_t characters = 0;                    // code points other than blanks and what is invisible
  text::Script script = text::Script::none;  // of more than half of the letters, if there is one
  bool damaged = false;  // U+FFFD, or UTF-8 that was read in another encoding and written again

  bool blank() const { return characters == 0; }
};

/// `line` is cleaned (text::clean_line). Characters are compared as they are: upper and lower case,
/// composed and decomposed letters differ.
LineFacts facts_of(std::string_view line);

struct PairFacts {
  LineFacts source, target;

  bool blank() const { return source.blank() || target.blank(); }
  uint64_t hash() const;  // of both sides in this order
};

}  // namespace heed::data
