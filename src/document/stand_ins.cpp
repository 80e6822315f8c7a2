#include "document/stand_ins.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "base/strings.h"
#include "document/templates.h"
#include "text/characters.h"
#include "text/kept.h"
#include "text/script.h"
#include "text/utf8.h"
#include "text/words.h"

namespace heed::document {
namespace {

/// Whether a reader sees no word in its place: a comment, a tag without its element, a script or a
/// picture of SVG, an instruction of a template, the beginning of a container, `:smile:`.
bool is_unseen(std::string_view bytes) {
  if (bytes.starts_with("{%")) return is_statement(bytes);
  if (bytes.starts_with("{#") || bytes.starts_with("{/*") || bytes.starts_with(":::")) return true;
  if (bytes.starts_with(':') && bytes.ends_with(':')) return true;
  if (!bytes.starts_with('<') || bytes.starts_with("<%") || bytes.starts_with("<?")) return false;
  const std::string name = ascii_lower(bytes.substr(1, bytes.find_first_of(" \t\r\n\f/>", 1) - 1));
  if (name == "script" || name == "style" || name == "svg") return true;
  const bool is_address = name.find(':') != name.npos || name.find('@') != name.npos;
  return !is_address && !ascii_lower(bytes).ends_with("</" + name + ">");
}

}  // namespace

bool is_stood_for(const Token& token, std::string_view bytes) {
  // A reference stands for a character, which is no word.
  return token.syntax == Token::Syntax::whole && token.mask == Token::kWord &&
         (token.is_placeholder ||
          (!bytes.starts_with('&') && !is_unseen(bytes) && text::has_words(bytes)));
}

namespace {

constexpr std::string_view kOfJoints =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/:";

/// Whether the text between two items makes one word of them.
bool is_joint(std::string_view text) {
  constexpr std::size_t kLongest = 20;
  return text.size() <= kLongest && after_run(text, kOfJoints) == text.size() &&
         text::has_words(text);
}

/// Bytes of a unit with which the text begins: a few letters; 0 where there is none.
std::size_t bytes_of_unit(std::string_view text) {
  constexpr std::size_t kMost = 3;
  const std::size_t bytes = after_run(text, kOfJoints.substr(0, 52));
  const bool ends_there =
      bytes == text.size() || !text::is_in_word(text::code_point_at(text, bytes).value);
  return bytes <= kMost && ends_there ? bytes : 0;
}

}  // namespace

namespace {

constexpr std::size_t kLongestScheme = 10;

/// Makes one token of the items of one word.
class WholeWords {
 public:
  WholeWords(std::string_view bytes, const std::vector<Token>& tokens)
      : bytes_(bytes), tokens_(tokens) {}

  std::vector<Token> joined() && {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const Token& token = tokens_[i];
      const bool follows_item = !out_.empty() && is_item(out_.back());
      const bool is_before_item = i + 1 < tokens_.size() && is_item(tokens_[i + 1]);
      const bool in_address =
          follows_item && (is_address_ || bytes_of(out_.back()).find("://") < kLongestScheme);
      if (in_address && is_item(token)) {
        join(token);
        is_address_ = true;
      } else if (follows_item && is_text(token) && is_before_item &&
                 (in_address ? bytes_of_address(token) == token.bytes()
                             : is_joint(bytes_of(token)))) {
        join(tokens_[++i]);
        is_address_ = in_address;
      } else if (follows_item && is_text(token) && (is_address_ || is_joined_)) {
        end_word(token, is_address_ ? text::without_marks(
                                          bytes_of(token).substr(0, bytes_of_address(token)))
                                    : bytes_of_unit(bytes_of(token)));
      } else {
        add(token);
      }
    }
    return std::move(out_);
  }

 private:
  std::string_view bytes_of(const Token& token) const {
    return bytes_.substr(token.from, token.bytes());
  }
  bool is_item(const Token& token) const {
    return token.written.empty() && is_stood_for(token, bytes_of(token));
  }
  static bool is_text(const Token& token) { return token.is_plain() && !token.stays; }

  /// Bytes of the text that go on with an address before it.
  std::size_t bytes_of_address(const Token& token) const {
    const std::string_view text = bytes_of(token);
    return std::min(text.find_first_of(" \t\r\n<>()[]{}\"'`"), text.size());
  }

  void join(const Token& next) {
    Token& item = out_.back();
    item.to = next.to;
    item.is_placeholder = true;
    item.in_order |= next.in_order;
    is_joined_ = true;
  }

  /// The first bytes of the text belong to the item before it.
  void end_word(const Token& text, std::size_t bytes) {
    out_.back().to += bytes;
    out_.back().is_placeholder |= bytes > 0;
    if (bytes < text.bytes()) {
      out_.push_back(text);
      out_.back().from += bytes;
    }
    is_joined_ = is_address_ = false;
  }

  void add(const Token& token) {
    is_joined_ = is_address_ = false;
    if (is_item(token) && !out_.empty() && is_text(out_.back())) {
      const std::size_t bytes = bytes_of_scheme(bytes_of(out_.back()));
      is_address_ = bytes > 0;
      if (is_address_) {
        Token item = token;
        item.from -= bytes;
        item.is_placeholder = true;
        out_.back().to -= bytes;
        if (out_.back().from == out_.back().to) out_.pop_back();
        out_.push_back(std::move(item));
        return;
      }
    }
    out_.push_back(token);
  }

  /// Bytes of the beginning of an address with which a text ends, `https://www.`.
  static std::size_t bytes_of_scheme(std::string_view text) {
    const std::size_t last = text.find_last_of(" \t\r\n<>()[]{}\"'`");
    const std::string_view word = last == text.npos ? text : text.substr(last + 1);
    const std::size_t end = word.find("://");
    const bool is_scheme =
        end != word.npos && end > 1 && after_run(word, kOfJoints.substr(0, 52)) == end;
    return is_scheme ? word.size() : 0;
  }

  std::string_view bytes_;
  const std::vector<Token>& tokens_;
  std::vector<Token> out_;
  bool is_joined_ = false;   // the last token is of several items
  bool is_address_ = false;  // it begins with `https://` or the like
};

}  // namespace

std::vector<Token> with_whole_words(std::string_view bytes, const std::vector<Token>& tokens) {
  return WholeWords(bytes, tokens).joined();
}

namespace {

/// Whether a text is the name of an option: `-v`, `--input`, `--input=`.
bool is_option(std::string_view text) {
  if (text.ends_with('=')) text.remove_suffix(1);
  const std::size_t name = after_run(text, "-");
  if (name == 0 || name > 2 || name == text.size() ||
      !is_one_of(text[name], kOfJoints.substr(0, 52)))
    return false;
  return name == 1 ? text.size() == 2 : after_run(text, kOfJoints, name) == text.size();
}

}  // namespace

std::vector<Token> with_whole_options(std::string_view bytes, const std::vector<Token>& tokens) {
  // The text of an element that begins here and has one word; empty where none does.
  const auto word_at = [&](std::size_t i) -> std::string_view {
    if (i + 2 >= tokens.size()) return {};
    const Token &first = tokens[i], &text = tokens[i + 1], &last = tokens[i + 2];
    const bool is_element = first.syntax == Token::Syntax::opening && !first.is_link &&
                            first.written.empty() && text.is_plain() &&
                            last.syntax == Token::Syntax::closing && last.name == first.name &&
                            last.written.empty();
    const std::string_view word = is_element ? bytes.substr(text.from, text.bytes()) : "";
    return word.find_first_of(" \t\r\n") == word.npos ? word : std::string_view();
  };
  std::vector<Token> out;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view option = word_at(i);
    if (!is_option(option)) {
      out.push_back(tokens[i]);
      continue;
    }
    const std::size_t from = tokens[i].from;
    i += 2;
    const bool is_divided = i + 1 < tokens.size() && tokens[i + 1].is_plain() &&
                            bytes.substr(tokens[i + 1].from, tokens[i + 1].bytes()) == "=";
    const std::size_t value = i + 1 + (is_divided ? 1 : 0);
    if ((is_divided || option.ends_with('=')) && !word_at(value).empty()) i = value + 2;
    out.push_back(
        {.from = from, .to = tokens[i].to, .syntax = Token::Syntax::whole, .is_placeholder = true});
  }
  return out;
}

char free_letter(std::string_view raw) {
  std::string taken;
  for (std::size_t i = 1; i < raw.size(); ++i)
    if (raw[i] >= '0' && raw[i] <= '9') taken += ascii_lower(raw.substr(i - 1, 1));
  constexpr std::string_view kLetters = "XQZYWVUTK";
  const auto found = std::ranges::find_if(kLetters, [&](char letter) {
    return taken.find(ascii_lower(std::string(1, letter))) == std::string::npos;
  });
  return found == kLetters.end() ? char(0) : *found;
}

FoundStandIns find_stand_ins(const Segment& segment, const std::string& translation) {
  FoundStandIns out;
  if (segment.stand_ins == 0) return out;
  std::map<std::string, std::size_t, std::less<>> inlays;  // by number; those not found yet
  std::set<std::string, std::less<>> found;
  for (std::size_t i = 0; i < segment.inlays.size(); ++i)
    if (const Inlay& inlay = segment.inlays[i]; inlay.stands_in)
      inlays.emplace(segment.text.substr(inlay.begin + 1, inlay.end - inlay.begin - 1), i);
  const std::string upper(1, segment.stand_ins), letters = upper + ascii_lower(upper);
  for (std::size_t at = 0; (at = translation.find_first_of(letters, at)) != std::string::npos;) {
    const std::size_t from = at++;
    const std::size_t to =
        std::min(translation.find_first_not_of("0123456789", at), translation.size());
    const char32_t before = text::value_before(translation, from);
    if (text::is_in_word(before) && !text::has_no_blanks(text::script_of(before))) continue;
    const std::string number = translation.substr(at, to - at);
    at = to;
    if (const auto inlay = inlays.find(number); inlay != inlays.end()) {
      out.found.push_back({{from, to}, inlay->second});
      inlays.erase(inlay);
      found.insert(number);
    } else if (found.contains(number)) {
      out.are_once = false;
    }
  }
  out.are_once &= inlays.empty();
  return out;
}

namespace {

/// The number at `at`: a run of digits, without the marks or blanks between thousands, which
/// languages write in different ways.
struct FoundNumber {
  std::string digits;
  std::size_t end = 0;
};

FoundNumber number_at(std::string_view text, std::size_t at) {
  constexpr std::string_view kDigits = "0123456789";
  constexpr std::size_t kGroup = 3;
  FoundNumber out{.end = at};
  for (std::size_t from = at;;) {
    const std::size_t to = std::min(text.find_first_not_of(kDigits, from), text.size());
    if (from > at && to - from != kGroup) return out;
    out.digits += text.substr(from, to - from);
    out.end = to;
    from = to;
    for (const std::string_view mark : {".", ",", "'", "’", " ", "\u00A0", "\u202F"})
      if (text.substr(to).starts_with(mark)) from = to + mark.size();
    if (from == to) return out;
  }
}

/// Whether a name may not begin after this character, or end before it.
bool is_part_of_name(char32_t beside) {
  return text::is_in_word(beside) && !text::has_no_blanks(text::script_of(beside));
}

/// How often a text has each thing that may be what a model has left of a stand-in: numbers, words
/// that are a letter with digits, and the letter of the stand-ins as a word. The stand-ins that are
/// found are not counted. A small letter alone may be a word of the language.
std::map<std::string, int64_t> remains_in(const std::string& text, char letter,
                                          const std::vector<FoundStandIn>& found) {
  std::map<std::string, int64_t> out;
  auto next = found.begin();
  for (std::size_t at = 0; at < text.size();) {
    if (next != found.end() && next->bytes.from == at) {
      at = (next++)->bytes.to;
      continue;
    }
    if (text[at] >= '0' && text[at] <= '9') {
      const FoundNumber number = number_at(text, at);
      ++out[number.digits];
      at = number.end;
      continue;
    }
    const text::CodePoint point = text::code_point_at(text, at);
    const std::size_t end = at + point.bytes;
    if (point.bytes == 1 && text::is_letter(point.value) &&
        !is_part_of_name(text::value_before(text, at))) {
      const std::size_t digits_end =
          std::min(text.find_first_not_of("0123456789", end), text.size());
      const bool is_alone =
          end == text.size() || !is_part_of_name(text::code_point_at(text, end).value);
      if (digits_end > end) {
        ++out[ascii_lower(text.substr(at, digits_end - at))];
        at = digits_end;
        continue;
      }
      if (text[at] == letter && is_alone) ++out[std::string(1, letter)];
    }
    at = end;
  }
  return out;
}

}  // namespace

bool has_stand_ins(const Segment& segment, const std::string& translation) {
  if (segment.stand_ins == 0) return true;
  const FoundStandIns names = find_stand_ins(segment, translation);
  if (!names.are_once ||
      (segment.is_in_order && !std::ranges::is_sorted(names.found, {}, &FoundStandIn::inlay)))
    return false;
  const auto of_source =
      remains_in(segment.text, segment.stand_ins, find_stand_ins(segment, segment.text).found);
  const auto of_translation = remains_in(translation, segment.stand_ins, names.found);
  return std::ranges::all_of(of_translation, [&](const auto& one) {
    const auto& [remain, count] = one;
    const auto same = of_source.find(remain);
    return same != of_source.end() && count <= same->second;
  });
}

}  // namespace heed::document
