#include "text/sentences.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "base/strings.h"
#include "text/characters.h"
#include "text/script.h"
#include "text/sentence_marks.h"
#include "text/sentence_rules.h"
#include "text/utf8.h"

namespace heed::text {
namespace {

constexpr std::u32string_view kCloses =
    U")]}\"'\u00BB\u00AB\u201C\u201D\u2018\u2019\u203A\u2039」』）】》〉*_";
/// Quotes of these open in some languages and close in others.
constexpr std::u32string_view kBothWays = U"\"'\u2018\u201C\u00AB\u2039";
/// Marks after which no sentence begins.
constexpr std::u32string_view kGoesOn = U",;:\u060C\u061B\u1363\u1364\u1365、，；：､";
/// Blanks that in French stand inside of quotation marks.
constexpr std::u32string_view kNoBreakBlanks = U"\u00A0\u2007\u202F";
constexpr std::u32string_view kOpensQuotation = U"「『（", kClosesQuotation = U"」』）";

/// A quotation up to this length (code points) stays in one sentence with the words after it.
constexpr std::size_t kShortQuotation = 64;
/// The most punctuation before a word that is looked at.
constexpr std::size_t kMostOpening = 16;

bool is_any(char32_t c, std::u32string_view of) {
  return of.find(c) != std::u32string_view::npos;
}

/// Whether the character is a decimal digit of any script.
bool is_digit(char32_t c) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(c)) == UTF8PROC_CATEGORY_ND;
}

/// Whether the letter is small in a script that begins sentences with capitals. Georgian has
/// capitals, but only for whole words.
bool is_small_letter(char32_t c) {
  return is_letter(c) && to_upper(c) != c && script_of(c) != Script::georgian;
}

bool is_capital_letter(char32_t c) {
  return is_letter(c) && to_lower(c) != c;
}

/// Whether two characters can be a Japanese particle after a quotation, and do not begin a word
/// that begins sentences.
bool is_particle(char32_t c, char32_t next) {
  constexpr std::u32string_view kBegins[] = {U"とこ", U"とて", U"とに", U"でも", U"もし", U"もう",
                                             U"もち", U"はい", U"だか", U"だが", U"なぜ", U"なに",
                                             U"なん", U"なお", U"やが", U"やっ", U"かつ"};
  return is_any(c, U"とっのがをにはもでだなやへか") &&
         std::ranges::none_of(kBegins, [&](auto pair) { return pair[0] == c && pair[1] == next; });
}

bool is_kanji(char32_t c) {
  return script_of(c) == Script::han_and_kana && c >= 0x3400;
}
bool is_cjk(char32_t c) {
  return script_of(c) == Script::han_and_kana;
}

/// Whether the character is a note of music, an emoji, or a part of one.
bool is_emoji(char32_t c) {
  return (c >= 0x2669 && c <= 0x266C) || (c >= 0x2639 && c <= 0x263A) || c == 0x2764 ||
         (c >= 0x1F300 && c <= 0x1FAFF) || (c >= 0x1F1E6 && c <= 0x1F1FF) || c == 0xFE0F ||
         c == 0x200D;
}

bool is_note(char32_t c) {
  return c >= 0x2669 && c <= 0x266C;
}

/// Whether a capital and up to three small letters have no vowel, as in Mr, Dr, Nr and St, and so
/// can only be an abbreviation.
bool has_no_vowel(std::u32string_view word) {
  constexpr std::u32string_view kConsonants = U"bcdfghjklmnpqrstvxzбвгджзклмнпрстфхцчшщ";
  return word.size() >= 2 && word.size() <= 4 && is_capital_letter(word[0]) &&
         is_any(to_lower(word[0]), kConsonants) &&
         std::ranges::all_of(word.substr(1), [&](char32_t c) { return is_any(c, kConsonants); });
}

/// Whether the character is a part of the letter before it.
bool is_vowel_sign(char32_t c) {
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  return category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_MC;
}

/// Whether the word is letters between dots, at most two each: "U.S", "e.g", "Ph.D". Names of files
/// and addresses have longer parts.
bool is_dotted(std::u32string_view word) {
  std::size_t part = 0;
  bool has_dot = false;
  for (const char32_t c : word) {
    if (c != U'.' && (!is_letter(c) || (part += !is_vowel_sign(c)) > 2)) return false;
    if (c == U'.') has_dot = true, part = 0;
  }
  return has_dot;
}

/// Whether text is in a quotation after `c`, if it was so before.
bool is_quoted_after(bool was_quoted, char32_t c) {
  if (is_any(c, U"\"\u201C")) return !was_quoted;
  return c == U'\u201E' || (was_quoted && c != U'\u201D');
}

/// Whether a full stop of its own is usual in the script, and a dot then an abbreviation's.
bool usually_ends_with_danda(Script script) {
  return script == Script::devanagari || script == Script::bengali;
}

/// The code points of a paragraph, and the questions of the rules about them.
class Paragraph {
 public:
  Paragraph(std::string_view text, const SentenceRules& rules) : rules_(rules) {
    each_code_point(text, [&](const CodePoint& point, std::string_view bytes) {
      points_ += point.value;
      begins_.push_back(static_cast<std::size_t>(bytes.data() - text.data()));
    });
    begins_.push_back(text.size());
    has_danda_ = points_.find(U'\u0964') != std::u32string::npos;
    find_quotations();
  }

  /// Returns, for each sentence, the byte of the paragraph at which it ends.
  std::vector<std::size_t> ends() {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < points_.size();) {
      const Stop stop = stop_at(i);
      if (stop.end == i) {
        is_quoted_ = is_quoted_after(is_quoted_, points_[i++]);
        continue;
      }
      const std::size_t end = end_after(stop);
      if (end > 0) {
        out.push_back(begins_[end]);
        sentence_ = end;
      }
      const std::size_t next = std::max(end, stop.end);
      for (const char32_t c : slice(stop.end, next)) is_quoted_ = is_quoted_after(is_quoted_, c);
      i = next;
    }
    out.push_back(begins_.back());
    return out;
  }

 private:
  /// Marks in a row.
  struct Stop {
    std::size_t begin = 0, end = 0;
    bool is_dot = false;      // is one dot alone
    bool is_certain = false;  // no blank need follow
  };

  char32_t at(std::size_t i) const { return i < points_.size() ? points_[i] : 0; }
  char32_t before(std::size_t i) const { return i > 0 ? points_[i - 1] : 0; }

  std::u32string_view slice(std::size_t from, std::size_t to) const {
    return std::u32string_view(points_).substr(from, to - from);
  }

  template <class Is>
  std::size_t after(std::size_t i, const Is& is) const {
    while (i < points_.size() && is(points_[i])) ++i;
    return i;
  }

  std::string small(std::size_t from, std::size_t to) const {
    return lower_case(encode_utf8(slice(from, to)));
  }

  /// Finds the outermost pairs of brackets.
  void find_quotations() {
    if (std::ranges::none_of(points_, [](char32_t c) { return is_any(c, kOpensQuotation); }))
      return;
    std::vector<std::size_t> open, close_of(points_.size(), 0);
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (is_any(points_[i], kOpensQuotation)) open.push_back(i);
      if (open.empty() || !is_any(points_[i], kClosesQuotation)) continue;
      if (kOpensQuotation.find(points_[open.back()]) != kClosesQuotation.find(points_[i])) continue;
      close_of[open.back()] = i;
      open.pop_back();
    }
    quotation_of_.resize(points_.size());
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (close_of[i] == 0) continue;
      const std::size_t from = i, to = close_of[i];
      for (; i < to; ++i) quotation_of_[i] = {from, to};
    }
  }

  /// The marks that begin at `i`. Of `. . .` the blanks belong to the marks.
  Stop stop_at(std::size_t i) const {
    Stop stop{i, i};
    std::size_t marks = 0;
    for (;;) {
      const MarkAt found = sentence_mark_at(points_, stop.end);
      if (found.mark != SentenceMark::none) {
        stop.is_certain |= found.mark == SentenceMark::certain;
        stop.is_dot = found.mark == SentenceMark::dot && marks++ == 0;
        stop.end += found.size;
        continue;
      }
      if (stop.end == i || !is_space(at(stop.end))) return stop;
      const bool is_tibetan = at(stop.end - 1) >= 0xF0D && at(stop.end - 1) <= 0xF11;
      if (at(stop.end + 1) != at(stop.end - 1) || (at(stop.end - 1) != U'.' && !is_tibetan))
        return stop;
      ++stop.end;
    }
  }

  /// The end of the sentence whose last marks these are, with what closes after them; 0 where the
  /// sentence goes on.
  std::size_t end_after(const Stop& stop) const {
    std::size_t end = closing(stop);
    std::size_t next = after(end, is_space);
    const bool is_joined = next == end && end < points_.size();
    const bool is_certain = stop.is_certain || is_between_cjk(stop, end);
    if (is_joined && (!is_certain || is_any(at(next), kGoesOn))) return 0;
    if (is_certain && goes_on_after_certain(stop, end)) return 0;
    // A blank stands before a quote that closes in French, and by mistake elsewhere.
    const bool closes =
        is_any(at(next), U"\u00BB\u201D\u2019)」』）") ||
        (at(next) == U'"' && before(end) != U'"' && is_quoted_after_marks(stop, end));
    if (closes && next > end && closes_at(next + 1)) next = after(end = next + 1, is_space);
    // A comma before a letter stands for a quote that opens.
    if (is_any(at(next), kGoesOn) && !is_letter(at(next + 1))) return 0;
    if (!is_certain) {
      const std::size_t word = word_after(next);
      if (is_small_letter(at(word)) && !has_capital(word) && before(word) != U'<') return 0;
      if (stop.is_dot && goes_on(stop.begin, word)) return 0;
    }
    return with_emoji(end);
  }

  bool is_quoted_after_marks(const Stop& stop, std::size_t end) const {
    bool is_quoted = is_quoted_;
    for (const char32_t c : slice(stop.end, end)) is_quoted = is_quoted_after(is_quoted, c);
    return is_quoted;
  }

  /// Whether what stands at `i` can follow a quote that closes.
  bool closes_at(std::size_t i) const {
    return i >= points_.size() || is_space(at(i)) || is_any(at(i), kGoesOn) ||
           is_any(at(i), kCloses) || sentence_mark_at(points_, i).mark != SentenceMark::none;
  }

  /// The end of the quotes, brackets and notes (`[3]`) that close directly after the marks.
  std::size_t closing(const Stop& stop) const {
    std::size_t end = stop.end;
    for (bool is_quoted = is_quoted_;; ++end) {
      const char32_t c = at(end);
      if (c == U'[') {
        const std::size_t bracket = after(end + 1, is_digit);
        if (bracket == end + 1 || at(bracket) != U']') return end;
        end = bracket;
      } else if (is_any(c, kCloses)) {
        const bool may_open = stop.is_certain && is_any(c, kBothWays);
        const bool closes = is_any(c, U"\"\u201C") && is_quoted;
        if (may_open && !closes && !closes_at(end + 1)) return end;
        is_quoted = is_quoted_after(is_quoted, c);
      } else if (!is_invisible(c) && !is_superscript(c)) {
        return end;
      }
    }
  }

  static bool is_superscript(char32_t c) {
    return c == 0xB9 || c == 0xB2 || c == 0xB3 || (c >= 0x2070 && c <= 0x2079);
  }

  /// Whether ! or ? stands in Chinese or Japanese text, where no blank follows.
  bool is_between_cjk(const Stop& stop, std::size_t end) const {
    return !stop.is_dot && is_any(at(stop.begin), U"!?") && is_cjk(before(stop.begin)) &&
           is_cjk(at(end));
  }

  /// Whether a sentence goes on although it has a mark that ends sentences without a blank.
  bool goes_on_after_certain(const Stop& stop, std::size_t end) const {
    // Particles after a quotation: 「行く！」と言った, and 行く！と言った.
    const bool has_closed = end > stop.end && is_any(before(end), kClosesQuotation);
    if (has_closed && is_particle(at(end), at(end + 1))) return true;
    if (at(end) == U'と' && is_kanji(at(end + 1)) && !is_any(at(stop.end - 1), U"。｡")) return true;
    if (!quotation_of_.empty() && quotation_of_[stop.begin].to > 0) {
      const Quotation& quotation = quotation_of_[stop.begin];
      if (quotation.to - quotation.from <= kShortQuotation &&
          is_particle(at(quotation.to + 1), at(quotation.to + 2)))
        return true;
    }
    if (at(stop.begin) == U'\uFF0E')
      return is_item(stop.begin) || (is_single_letter(stop.begin) && !is_cjk(before(stop.begin)));
    // Khmer writes "and so on" as a letter between two marks.
    if (at(stop.begin) == U'\u17D4' && at(end) == U'\u179B' && at(end + 1) == U'\u17D4')
      return true;
    // Tibetan's words for "so" follow what was said.
    if (has_closed_tibetan(stop, end)) return true;
    // The number of a verse stands between two dandas.
    if (at(stop.begin) == U'\u0965') {
      const std::size_t number = after(after(end, is_space), is_digit);
      if (number > end && at(after(number, is_space)) == U'\u0965') return true;
    }
    return at(stop.begin) == U'\u0F0D' && stop.end == stop.begin + 1 && joins_clauses(stop.begin);
  }

  bool has_closed_tibetan(const Stop& stop, std::size_t end) const {
    const std::size_t next = after(end, is_space);
    return at(stop.begin) == U'\u0F0D' && end > stop.end &&
           is_any(at(next), U"\u0F5E\u0F45\u0F64") && at(next + 1) == U'\u0F7A' &&
           at(next + 2) == U'\u0F66';
  }

  /// Whether the Tibetan syllable before a shad says that another clause follows: "and", "having",
  /// "from", "though", "being".
  bool joins_clauses(std::size_t shad) const {
    constexpr std::u32string_view kSyllables =
        U" \u0F51\u0F44 \u0F53\u0F66 \u0F4F\u0F7A \u0F66\u0F9F\u0F7A \u0F50\u0F7A "
        U"\u0F40\u0FB1\u0F44 \u0F61\u0F44 "
        U"\u0F60\u0F44 \u0F5E\u0F72\u0F44 \u0F45\u0F72\u0F44 \u0F64\u0F72\u0F44 \u0F53 "
        U"\u0F58\u0F7C\u0F51 "
        U"\u0F62\u0F92\u0FB1\u0F74\u0F62 ";
    std::size_t to = shad;
    if (before(to) == U'\u0F0B') --to;
    std::size_t from = to;
    while (from > 0 && is_letter(at(from - 1))) --from;
    return from < to && kSyllables.find(U' ' + std::u32string(slice(from, to)) + U' ') !=
                            std::u32string_view::npos;
  }

  bool is_single_letter(std::size_t dot) const {
    return is_letter(before(dot)) && (dot < 2 || !is_letter(at(dot - 2)));
  }

  /// Whether the letter alone before a dot may stand for a name or a word. Small letters and those
  /// of most other scripts are words, the ends of inflected names ("NATO-u"), and units.
  bool is_initial(std::size_t dot) const {
    const char32_t letter = before(dot), mark = before(dot - 1);
    if (!is_single_letter(dot)) return false;
    if (is_capital_letter(letter)) return !is_small_letter(letter);
    if (is_any(mark, U"-\u2011'\u2019\u2018\"\u201C\u201D\u05F4")) return false;
    const Script script = script_of(letter);
    if (script == Script::arabic || script == Script::hebrew) return true;
    return is_any(letter, U"bcdfghjklmnpqrstvwxz") && !follows_number(dot - 1);
  }

  /// Whether a number and a blank stand before `i`, as before a unit.
  bool follows_number(std::size_t i) const {
    return i >= 2 && is_space(at(i - 1)) && is_digit(at(i - 2));
  }

  /// Whether only a number stands between the beginning of the sentence and the dot, as before an
  /// item of a list.
  bool is_item(std::size_t dot) const {
    const std::size_t from = after(sentence_, is_space);
    return dot > from && dot - from <= 3 && std::ranges::all_of(slice(from, dot), is_digit);
  }

  /// The first letter or digit from `i`, past the punctuation that opens a sentence.
  std::size_t word_after(std::size_t i) const {
    for (const std::size_t limit = std::min(i + kMostOpening, points_.size()); i < limit; ++i) {
      const bool is_after_dash = is_space(at(i)) && is_any(before(i), U"-\u2013\u2014");
      if (!is_punctuation(at(i)) && !is_any(at(i), kNoBreakBlanks) && !is_after_dash) break;
    }
    return i;
  }

  /// Whether one of the next letters of a word is a capital, as in iPhone.
  bool has_capital(std::size_t word) const {
    for (std::size_t i = word + 1; i < word + 5 && is_letter(at(i)); ++i)
      if (is_capital_letter(at(i))) return true;
    return false;
  }

  /// Adds the emoji after a sentence, and the ♪ that closes one.
  std::size_t with_emoji(std::size_t end) const {
    const char32_t first = at(after(sentence_, is_space));
    const std::size_t from = after(end, is_space);
    const std::size_t to = after(from, is_emoji);
    if (to == from || (to < points_.size() && !is_space(at(to)))) return end;
    const bool closes =
        is_note(at(from)) ? is_note(first) || to == points_.size() : !is_emoji(first);
    return closes ? to : end;
  }

  /// Whether the word at `from` usually begins a sentence; l' is a word, too.
  bool begins(std::size_t from) const {
    const std::size_t to = after(from, is_letter);
    return rules_.begin.contains(small(from, to) + (is_any(at(to), U"'\u2019") ? "'" : "")) ||
           rules_.begin.contains(small(from, to));
  }

  /// Whether the sentence goes on after a dot with the word at `next`.
  bool goes_on(std::size_t dot, std::size_t next) const {
    const auto is_of_word = [](char32_t c) { return is_letter(c) || is_digit(c) || c == U'.'; };
    std::size_t from = dot;
    while (from > sentence_ && is_of_word(points_[from - 1])) --from;
    const std::u32string_view word = slice(from, dot);
    if (word.empty() || is_any(before(from), U"/@\\_=&~#")) return false;
    const auto all = [&](const auto& is) { return std::ranges::all_of(word, is); };
    const bool is_first = after(sentence_, is_space) == from;
    if (is_first && all(is_digit) && (sentence_ == 0 || word.size() <= 3)) return true;
    const bool is_letter_alone = word.size() == 1 && is_initial(dot);
    if (is_first && is_letter_alone) return true;  // "a. Introduction"
    if (has_danda_ && usually_ends_with_danda(script_of(word.back()))) return true;
    const bool is_number = word.size() <= 3 && all(is_digit) && !is_any(before(from), U"-:,\u2013");
    const bool is_ordinal =
        rules_.ordinals && (is_number || all([](char32_t c) { return is_any(c, U"IVX"); }));
    const std::string name = small(from, dot);
    if (word.size() == 1 && !is_capital_letter(word[0]) && follows_number(from)) return false;
    if (rules_.never.contains(name) || (rules_.numbered.contains(name) && is_digit(at(next))))
      return true;
    if (is_ordinal || is_letter_alone || is_dotted(word) || rules_.may.contains(name))
      return !begins(next);
    return has_no_vowel(word);
  }

  struct Quotation {
    std::size_t from = 0, to = 0;
  };

  const SentenceRules& rules_;
  std::u32string points_;
  std::vector<std::size_t> begins_;      // the first byte of each code point, and the end
  std::vector<Quotation> quotation_of_;  // of each code point; none: there are no quotations
  bool has_danda_ = false;
  std::size_t sentence_ = 0;  // where the sentence begins that is read
  bool is_quoted_ = false;    // the text so far has a quotation without its end
};

/// The byte at which a part that is too long is best cut; 0 where it has one character.
std::size_t clause_end(std::string_view part) {
  std::size_t best = 0, best_distance = 0;
  int best_rank = -1;
  char32_t before = 0;
  each_code_point(part, [&](const CodePoint& point, std::string_view bytes) {
    const auto at = static_cast<std::size_t>(bytes.data() - part.data());
    const bool blank = is_space(point.value);
    const std::size_t distance = std::max(2 * at, part.size()) - std::min(2 * at, part.size());
    int rank = blank;
    if (is_any(before, U"，、") || (blank && is_any(before, U",–—،"))) rank = 2;
    if (is_any(before, U"；：") || (blank && is_any(before, U";:"))) rank = 3;
    if (2 * distance > part.size()) rank = 0;  // so that no half is nearly all of it
    if (at > 0 && (rank > best_rank || (rank == best_rank && distance < best_distance)))
      best = at, best_rank = rank, best_distance = distance;
    before = point.value;
  });
  return best;
}

}  // namespace

std::vector<std::string_view> sentences_of(std::string_view paragraph, std::string_view language) {
  std::vector<std::string_view> out;
  std::size_t from = 0;
  for (const std::size_t end : Paragraph(paragraph, sentence_rules(language)).ends()) {
    const std::string_view sentence = trim(paragraph.substr(from, end - from));
    if (!sentence.empty()) out.push_back(sentence);
    from = end;
  }
  return out;
}

std::vector<std::string_view> clauses_of(std::string_view sentence,
                                         const std::function<bool(std::string_view)>& fits) {
  const std::size_t end = fits(sentence) ? 0 : clause_end(sentence);
  if (end == 0) return {sentence};
  std::vector<std::string_view> out = clauses_of(trim(sentence.substr(0, end)), fits);
  for (const std::string_view clause : clauses_of(trim(sentence.substr(end)), fits))
    out.push_back(clause);
  return out;
}

}  // namespace heed::text
