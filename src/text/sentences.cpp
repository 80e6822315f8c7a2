#include "text/sentences.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "base/strings.h"
#include "text/characters.h"
#include "text/utf8.h"
#include "text/words.h"

namespace heed::text {
namespace {

/// The words that the rules of a language know, in small letters, and abbreviations without their
/// last dot.
struct Rules {
  WordSet never;     // abbreviations that never end a sentence
  WordSet numbered;  // abbreviations that end none where a number follows
  WordSet may;       // abbreviations that end one only before a word of `begin`
  WordSet begin;     // words that usually begin a sentence
  bool ordinals;     // "3." may mean "third"
};

const Rules& rules_of(std::string_view language) {
  static const Rules german{
      word_set("abzgl allg bspw bzw ca d.h dipl dr evtl exkl fr geb ggf h hr hrn ing inkl insb med "
               "nat phil prof rer sog st u.a v vgl z z.b z.t zzgl"),
      word_set("abb abs art bd kap max nr nrn s ziff"),
      word_set(
          "apr aug chr co corp dez etc feb inc jan jh jr jul jun ltd mio mrd mär nov okt sept str "
          "tel usw"),
      word_set(
          "aber als am an auch auf bei bis da damit dann das dem den denn der des die dies diese "
          "dieser dieses doch durch ein eine einem einen einer er es für gegen hier ich ihr ihre "
          "im in ist jedoch man mit nach nicht noch nun nur ob obwohl sein seine seit sie so "
          "trotz um und unter viele vom von vor während was weil wenn wer wie wir wo zu zum zur "
          "zwar zwischen über"),
      true};
  static const Rules english{
      word_set(
          "adm approx capt cf col dept dr e.g ft gen gov hon i.e lt maj messrs mr mrs ms mt pres "
          "prof rep rev sen sgt st univ v vs"),
      word_set("art ch fig no nos p pp sec vol"),
      word_set(
          "al apr aug bros co corp dec etc feb inc jan jr jul jun llc ltd mar nov oct sep sept "
          "sr"),
      word_set(
          "a after all also although an and as at both but by during even for from he her his "
          "how however i if in it its many most my no not now of on one only our she since so "
          "some still such that the their then there these they this those to under we what when "
          "where while who why with yet you"),
      false};
  static const Rules spanish{
      word_set("av d dr dra dña ee gral ing lic p.ej prof sr sra sres srta sta sto ud uds"),
      word_set("art cap fig n núm p pág págs vol"), word_set("a.c cía co d.c etc inc jr uu"),
      word_set(
          "a al aunque como con cuando de desde después el ella ellos en entre es esta este esto "
          "la las lo los más muchos no para pero por que se según si sin sobre su sus también "
          "tras un una y ya"),
      false};
  static const Rules french{
      word_set("av bd c cf dr m me mgr mlle mlles mm mme mmes p.ex pr st ste v"),
      word_set("art chap fig n no p pp vol"),
      word_set("avr co déc etc févr inc janv jr juil nov oct sept"),
      word_set(
          "après au aux avec c' ce ces cette cela comme d' dans de depuis des du elle elles en et "
          "il ils j' je l' la le les leur mais même nous on or par pas pour puis quand que qui "
          "sa selon ses si son sur tous tout un une vous à"),
      false};
  static const Rules any{{}, {}, {}, {}, true};
  const std::string code = ascii_lower(language.substr(0, language.find_first_of("-_")));
  for (const auto& [codes, rules] : {std::pair("de deu ger", &german),
                                     {"en eng", &english},
                                     {"es spa", &spanish},
                                     {"fr fra fre", &french}})
    if (word_set(codes).contains(code)) return *rules;
  return any;
}

constexpr std::u32string_view kEnds = U".!?…。！？．؟۔।‽", kWideEnds = U"。！？．";
constexpr std::u32string_view kCloses = U")]}\"'»«”“’›‹」』）】*_";
/// Blanks that in French stand inside of quotation marks.
constexpr std::u32string_view kNoBreakBlanks = U"\u00A0\u2007\u202F";

bool is_any(char32_t c, std::u32string_view of) {
  return of.find(c) != std::u32string_view::npos;
}

/// Whether the character is a decimal digit of any script.
bool is_digit(char32_t c) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(c)) == UTF8PROC_CATEGORY_ND;
}

/// The code points of a paragraph, and the questions of the rules about them.
class Paragraph {
 public:
  Paragraph(std::string_view text, const Rules& rules) : rules_(rules) {
    each_code_point(text, [&](const CodePoint& point, std::string_view bytes) {
      points_ += point.value;
      begins_.push_back(static_cast<std::size_t>(bytes.data() - text.data()));
    });
    begins_.push_back(text.size());
  }

  /// Returns, for each sentence, the byte of the paragraph at which it ends.
  std::vector<std::size_t> ends() const {
    std::vector<std::size_t> out;
    for (std::size_t mark = 0, end = 0; mark < points_.size(); mark = std::max(end, mark + 1)) {
      end = after(mark, [](char32_t c) { return is_any(c, kEnds); });
      if (end == mark) continue;
      const bool is_dot = end == mark + 1 && points_[mark] == U'.';
      const bool is_wide = is_any(points_[end - 1], kWideEnds);
      // In German “ closes, in Chinese it opens.
      end = after(end, [&](char32_t c) { return is_any(c, kCloses) && !(is_wide && c == U'“'); });
      std::size_t next = after(end, is_space);
      // In French a blank stands before the quote that closes.
      if (at(next) == U'»' && next > end && !is_letter(at(next + 1)))
        next = after(end = next + 1, is_space);
      if (next == end && !is_wide) continue;
      const std::size_t word =
          after(  // before a mark that ends a sentence, which is looked at next
              next, [](char32_t c) {
                return (is_punctuation(c) || is_any(c, kNoBreakBlanks)) && !is_any(c, kWideEnds);
              });
      const bool is_small = is_letter(at(word)) && to_upper(at(word)) != at(word);
      if (!is_small && !(is_dot && goes_on(mark, word))) out.push_back(begins_[end]);
    }
    out.push_back(begins_.back());
    return out;
  }

 private:
  char32_t at(std::size_t i) const { return i < points_.size() ? points_[i] : 0; }

  template <class Is>
  std::size_t after(std::size_t i, const Is& is) const {
    while (i < points_.size() && is(points_[i])) ++i;
    return i;
  }

  std::string small(std::size_t from, std::size_t to) const {
    return lower_case(encode_utf8(std::u32string_view(points_).substr(from, to - from)));
  }

  /// Whether the word at `from` usually begins a sentence; l' is a word, too.
  bool begins(std::size_t from) const {
    const std::size_t to = after(from, is_letter);
    return rules_.begin.contains(small(from, to) + (is_any(at(to), U"'’") ? "'" : "")) ||
           rules_.begin.contains(small(from, to));
  }

  /// Whether the sentence goes on after a dot with the word at `next`.
  bool goes_on(std::size_t dot, std::size_t next) const {
    const auto is_of_word = [](char32_t c) { return is_letter(c) || is_digit(c) || c == U'.'; };
    std::size_t from = dot;
    while (from > 0 && is_of_word(points_[from - 1])) --from;
    const std::u32string_view word = std::u32string_view(points_).substr(from, dot - from);
    if (word.empty()) return false;
    const auto all = [&](const auto& is) { return std::ranges::all_of(word, is); };
    if (all(is_digit) && after(0, is_space) == from) return true;  // "1. Introduction"
    const bool is_ordinal = rules_.ordinals && ((word.size() <= 3 && all(is_digit)) ||
                                                all([](char32_t c) { return is_any(c, U"IVX"); }));
    const bool is_initial = (word.size() == 1 && to_lower(word[0]) != word[0]) ||
                            (is_any(U'.', word) && std::ranges::none_of(word, is_digit));
    const std::string name = small(from, dot);
    return rules_.never.contains(name) || (rules_.numbered.contains(name) && is_digit(at(next))) ||
           ((is_ordinal || is_initial || rules_.may.contains(name)) && !begins(next));
  }

  const Rules& rules_;
  std::u32string points_;
  std::vector<std::size_t> begins_;  // the first byte of each code point, and the end
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
  for (const std::size_t end : Paragraph(paragraph, rules_of(language)).ends()) {
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
