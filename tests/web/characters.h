// The properties of text/characters.h of all characters, in one number: a page reads it from a
// table.
#pragma once

#include <cstdint>

#include "text/characters.h"
#include "text/utf8.h"

namespace heed::text {

/// The 32 bits of Fowler, Noll and Vo's hash.
inline uint32_t hash_of_all_characters() {
  uint32_t hash = 2166136261U;
  for (char32_t c = 0; c < 0x110000; ++c)
    for (const uint32_t value : {uint32_t{is_letter(c)}, uint32_t{is_punctuation(c)},
                                 uint32_t{to_lower(c)}, uint32_t{to_upper(c)}})
      hash = (hash ^ value) * 16777619U;
  return hash;
}

}  // namespace heed::text
