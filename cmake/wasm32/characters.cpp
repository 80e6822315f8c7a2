// Writes what src/text/characters.cpp says of every character as the tables that
// src/web/wasm/characters.cpp reads. It runs while heed is built, on the machine that builds it.
#include "text/characters.h"

#include <cstdint>
#include <fstream>
#include <iostream>

namespace heed::text {
namespace {

constexpr char32_t kEnd = 0x110000;

const char* kind_of(char32_t c) {
  return is_letter(c) ? "letter" : is_punctuation(c) ? "punctuation" : "neither";
}

void write(std::ostream& out) {
  out << "constexpr Run kRuns[] = {\n" << std::hex << std::uppercase;
  const std::string_view none;
  std::string_view before = none;
  for (char32_t c = 0; c < kEnd; ++c) {
    if (before == kind_of(c)) continue;
    before = kind_of(c);
    out << "{0x" << static_cast<uint32_t>(c) << ", Kind::" << before << "},\n";
  }
  out << "};\nconstexpr Cases kCases[] = {\n";
  for (char32_t c = 0; c < kEnd; ++c) {
    const char32_t lower = to_lower(c), upper = to_upper(c);
    if (lower != c || upper != c)
      out << "{0x" << static_cast<uint32_t>(c) << ", 0x" << static_cast<uint32_t>(lower) << ", 0x"
          << static_cast<uint32_t>(upper) << "},\n";
  }
  out << "};\n";
}

}  // namespace
}  // namespace heed::text

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: " << arguments[0] << " FILE\n";
    return 1;
  }
  std::ofstream out(arguments[1]);
  heed::text::write(out);
  out.close();
  return out ? 0 : 1;
}
