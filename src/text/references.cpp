#include "text/references.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <system_error>

#include "base/strings.h"

namespace heed::text {
namespace {

bool is_letter_of_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// The references of HTML 2 to 4 that are common in texts.
const std::map<std::string, char32_t, std::less<>>& named_characters() {
  static const auto all = [] {
    std::map<std::string, char32_t, std::less<>> names = {
        {"amp", U'&'},      {"lt", U'<'},       {"gt", U'>'},       {"quot", U'"'},
        {"apos", U'\''},    {"OElig", 0x152},   {"oelig", 0x153},   {"Scaron", 0x160},
        {"scaron", 0x161},  {"Yuml", 0x178},    {"ndash", 0x2013},  {"mdash", 0x2014},
        {"lsquo", 0x2018},  {"rsquo", 0x2019},  {"sbquo", 0x201A},  {"ldquo", 0x201C},
        {"rdquo", 0x201D},  {"bdquo", 0x201E},  {"bull", 0x2022},   {"hellip", 0x2026},
        {"permil", 0x2030}, {"lsaquo", 0x2039}, {"rsaquo", 0x203A}, {"euro", 0x20AC},
        {"trade", 0x2122},  {"minus", 0x2212}};
    char32_t character = 0xA0;  // Latin-1
    for (const std::string& name : split_words(
             "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr "
             "deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 "
             "frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute "
             "Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml "
             "times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde "
             "auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth "
             "ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml "
             "yacute thorn yuml"))
      names[name] = character++;
    return names;
  }();
  return all;
}

}  // namespace

std::optional<Reference> reference_at(std::string_view page, std::size_t at) {
  constexpr std::size_t kLongest = 40;
  const std::size_t end = page.substr(0, at + kLongest).find(';', at);
  if (end == std::string_view::npos || end < at + 2) return std::nullopt;
  std::string_view name = page.substr(at + 1, end - at - 1);
  const std::size_t bytes = end + 1 - at;
  if (name[0] == '#') {
    const bool hexadecimal = name.size() > 1 && (name[1] == 'x' || name[1] == 'X');
    name.remove_prefix(hexadecimal ? 2 : 1);
    uint32_t value = 0;
    const auto [rest, error] =
        std::from_chars(name.data(), name.data() + name.size(), value, hexadecimal ? 16 : 10);
    if (name.empty() || rest != name.data() + name.size()) return std::nullopt;
    const bool is_character = error == std::errc() && value > 0 && value <= 0x10FFFF &&
                              (value < 0xD800 || value > 0xDFFF);
    return Reference{bytes, is_character ? std::optional<char32_t>(value) : std::nullopt};
  }
  if (!is_letter_of_name(name[0]) || !std::ranges::all_of(name, [](char c) {
        return is_letter_of_name(c) || (c >= '0' && c <= '9');
      }))
    return std::nullopt;
  const auto found = named_characters().find(name);
  if (found == named_characters().end()) return Reference{bytes, std::nullopt};
  return Reference{bytes, found->second};
}

std::string with_references(std::string_view text) {
  std::string out;
  for (const char c : text)
    out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  return out;
}

}  // namespace heed::text
