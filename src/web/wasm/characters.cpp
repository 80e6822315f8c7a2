// Takes the place of text/characters.cpp: a page has no utf8proc, but a table of its answers, which
// the build makes (cmake/wasm32/characters.cpp).
#include "text/characters.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace heed::text {
namespace {

enum class Kind : uint8_t { neither, letter, punctuation };

/// A run of characters of one kind: from its first to the one before the next run.
struct Run {
  char32_t first;
  Kind kind;
};

struct Cases {
  char32_t character, lower, upper;
};

#include "web/wasm/characters.inc"

Kind kind_of(char32_t c) {
  return std::prev(std::ranges::upper_bound(kRuns, c, {}, &Run::first))->kind;
}

Cases cases_of(char32_t c) {
  const auto* found = std::ranges::lower_bound(kCases, c, {}, &Cases::character);
  return found != std::end(kCases) && found->character == c ? *found : Cases{c, c, c};
}

}  // namespace

bool is_letter(char32_t c) {
  return kind_of(c) == Kind::letter;
}

bool is_punctuation(char32_t c) {
  return kind_of(c) == Kind::punctuation;
}

char32_t to_lower(char32_t c) {
  return cases_of(c).lower;
}

char32_t to_upper(char32_t c) {
  return cases_of(c).upper;
}

}  // namespace heed::text
