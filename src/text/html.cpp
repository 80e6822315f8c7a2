#include "text/html.h"

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/strings.h"
#include "text/utf8.h"
#include "text/words.h"

namespace heed::text {
namespace {

constexpr std::string_view kBlanks = " \t\n\r\f";

bool is_ascii_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Behind `end`, if it is there, or else the end of the page.
std::size_t behind(std::string_view page, std::string_view end, std::size_t from) {
  const std::size_t found = page.find(end, from);
  return found == std::string_view::npos ? page.size() : found + end.size();
}

/// Behind a tag. A value in quotes may contain `>`.
std::size_t behind_tag(std::string_view page, std::size_t at) {
  for (std::size_t i = at; i < page.size(); ++i) {
    if (page[i] == '>') return i + 1;
    if (page[i] != '=') continue;
    i = page.find_first_not_of(kBlanks, i + 1);
    if (i == std::string_view::npos) break;
    if (page[i] == '"' || page[i] == '\'')
      i = page.find(page[i], i + 1);
    else
      i = page.find_first_of(" \t\n\r\f>", i) - 1;  // npos - 1 ends the loop, too
    if (i >= page.size()) break;
  }
  return page.size();
}

/// "br" of "<br/>", "p" of "</p>".
std::string name_of_tag(std::string_view tag) {
  const std::size_t from = tag.find_first_not_of("</");
  if (from == std::string_view::npos) return "";
  return ascii_lower(tag.substr(from, tag.find_first_of(" \t\n\r\f/>", from) - from));
}

/// Behind the markup that begins with the `<` at this place; the place itself where none does.
std::size_t behind_markup(std::string_view page, std::size_t at) {
  const std::string_view rest = page.substr(at);
  if (rest.starts_with("<!--")) return behind(page, "-->", at + 2);  // "<!-->" is a comment, too
  if (rest.starts_with("<![CDATA[")) return behind(page, "]]>", at);
  if (rest.size() < 2) return at;
  if (rest[1] == '!' || rest[1] == '?') return behind(page, ">", at);
  const bool ends = rest[1] == '/';
  if (rest.size() < (ends ? 3 : 2) || !is_ascii_letter(rest[ends ? 2 : 1])) return at;
  return behind_tag(page, at);
}

/// Where the content of script or style ends, which is no text.
std::size_t end_of_code(std::string_view page, std::size_t at, const std::string& name) {
  for (std::size_t i = at; (i = page.find("</", i)) != std::string_view::npos; i += 2)
    if (name_of_tag(page.substr(i, name.size() + 3)) == name) return i;
  return page.size();
}

/// Those of HTML 2 to 4 that texts have.
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

struct Reference {
  std::size_t bytes;                  // from `&` to `;`
  std::optional<char32_t> character;  // none: it has no meaning here
};

/// The reference to a character that begins with the `&` at this place.
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
  if (!is_ascii_letter(name[0]) || !std::ranges::all_of(name, [](char c) {
        return is_ascii_letter(c) || (c >= '0' && c <= '9');
      }))
    return std::nullopt;
  const auto found = named_characters().find(name);
  if (found == named_characters().end()) return Reference{bytes, std::nullopt};
  return Reference{bytes, found->second};
}

std::string decoded(std::string_view raw) {
  std::string out;
  for (std::size_t i = 0; i < raw.size();) {
    const auto reference = raw[i] == '&' ? reference_at(raw, i) : std::nullopt;
    if (reference && reference->character)
      out += encode_utf8(std::u32string(1, *reference->character));
    else
      out += raw[i];
    i += reference ? reference->bytes : 1;
  }
  return out;
}

std::string encoded(std::string_view text) {
  std::string out;
  for (const char c : text)
    out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  return out;
}

/// Bytes of the blank at this end, or 0.
std::size_t blank_at(std::string_view text, bool front) {
  for (const std::string_view blank : {" ", "\t", "\n", "\r", "\f", "&nbsp;", "\u00A0"})
    if (front ? text.starts_with(blank) : text.ends_with(blank)) return blank.size();
  return 0;
}

}  // namespace

Html::Html(std::string_view page) {
  std::size_t from = 0;  // of the text that is read
  const auto end_text = [&](std::size_t at) { add_text(page.substr(from, at - from)); };
  for (std::size_t at = 0; (at = page.find_first_of("<&", at)) != std::string_view::npos;) {
    if (page[at] == '&') {
      const auto reference = reference_at(page, at);
      if (reference && !reference->character) {
        end_text(at);
        from = at + reference->bytes;
        add_markup(page.substr(at, reference->bytes));
      }
      at += reference ? reference->bytes : 1;
      continue;
    }
    std::size_t end = behind_markup(page, at);
    if (end == at) {
      ++at;
      continue;
    }
    end_text(at);
    const std::string name = name_of_tag(page.substr(at, end - at));
    const bool begins = page[at + 1] != '/';
    if (name == "pre" || name == "textarea") keeps_lines_ = begins;
    if (begins && (name == "script" || name == "style")) end = end_of_code(page, end, name);
    add_markup(page.substr(at, end - at));
    at = from = end;
  }
  end_text(page.size());
}

void Html::add_text(std::string_view raw) {
  for (std::size_t end; keeps_lines_ && (end = raw.find('\n')) != std::string_view::npos;) {
    add_segment(raw.substr(0, end));
    add_markup("\n");
    raw.remove_prefix(end + 1);
  }
  add_segment(raw);
}

void Html::add_segment(std::string_view raw) {
  std::size_t begin = 0, end = raw.size();
  while (const std::size_t blank = blank_at(raw.substr(begin), true)) begin += blank;
  if (begin < end)
    while (const std::size_t blank = blank_at(raw.substr(begin, end - begin), false)) end -= blank;
  const std::string text = join(split_words(repair(decoded(raw.substr(begin, end - begin)))), " ");
  if (!has_words(text)) return add_markup(raw);
  add_markup(raw.substr(0, begin));
  segments_.push_back(text);
  markup_.emplace_back(raw.substr(end));
}

std::string Html::with(const std::vector<std::string>& texts) const {
  expect(texts.size() == segments_.size(), "a text for each segment of HTML");
  std::string page = markup_.front();
  for (std::size_t i = 0; i < texts.size(); ++i) page += encoded(texts[i]) + markup_[i + 1];
  return page;
}

}  // namespace heed::text
