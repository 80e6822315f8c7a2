#include "document/cues.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "base/strings.h"
#include "document/lines_of_text.h"
#include "text/characters.h"
#include "text/references.h"
#include "text/sentences.h"
#include "text/utf8.h"
#include "text/words.h"

namespace heed::document {
namespace {

// Measured on subtitles of lectures, whose sentences are known: of the cues that end no sentence
// and are followed by a small letter, 99.8 % go on; by another character directly, 92 %. Where
// fewer cues end sentences, their marks are missing.
constexpr int64_t kLongestPause = 3000, kShortPause = 500;  // milliseconds
constexpr std::size_t kFewestEnds = 10, kFewEnds = 5;       // one cue in so many
constexpr std::size_t kMostJoined = 20;                     // cues of a passage

/// What one speaker says in a cue.
struct Turn {
  std::vector<Token> tokens;
  bool begins_anew = false;  // it goes on with nothing before it
  bool is_over = false;      // nothing after it goes on with it
};

bool is_blank_text(std::string_view bytes, const Token& token) {
  return token.syntax == Token::Syntax::text &&
         text::is_blank(token.is_plain() ? bytes.substr(token.from, token.bytes())
                                         : std::string_view(token.text));
}

bool is_note(std::string_view bytes, const Token& token) {
  return token.syntax == Token::Syntax::whole &&
         notes_at(bytes.substr(token.from, token.bytes())) == token.bytes();
}

/// Whether the token is the first, or the last, that can be seen in its line.
bool is_seen(std::string_view bytes, const Token& token) {
  return is_note(bytes, token) ||
         (token.syntax == Token::Syntax::text && !is_blank_text(bytes, token));
}

/// The characters of tokens, on one line.
std::string shown_text(std::string_view bytes, const std::vector<Token>& tokens) {
  std::string out;
  for (const Token& token : tokens)
    if (token.syntax == Token::Syntax::line_break)
      out += ' ';
    else if (token.syntax == Token::Syntax::text)
      out +=
          token.is_plain() ? bytes.substr(token.from, token.bytes()) : std::string_view(token.text);
  return std::string(trim(out));
}

/// Bytes of the dash before another speaker that the text begins with, or 0.
std::size_t bytes_of_dash(std::string_view text) {
  for (const std::string_view dash : {"–", "—", "‐"})
    if (text.starts_with(dash)) return dash.size();
  const bool is_dash =
      text.starts_with('-') && (text.size() == 1 || !is_one_of(text[1], "-0123456789"));
  return is_dash ? 1 : 0;
}

/// Bytes of the >> before another speaker that the text begins with, or 0.
std::size_t bytes_of_arrows(std::string_view text) {
  const std::size_t bytes = after_run(text, ">");
  return bytes >= 2 && !text.substr(bytes).starts_with('=') ? bytes : 0;
}

bool has_small_letter(std::string_view text) {
  return text::any_code_point(text, [](const text::CodePoint& point) {
    return text::to_upper(point.value) != point.value;
  });
}

/// Whether the text is a name in capitals with a colon: "MAN 2:".
bool is_name_of_speaker(std::string_view text) {
  constexpr std::size_t kLongest = 60;  // bytes
  return text.size() <= kLongest && (text.ends_with(':') || text.ends_with("：")) &&
         !has_small_letter(text) && text::any_code_point(text, [](const text::CodePoint& point) {
           return text::to_lower(point.value) != point.value;
         });
}

/// A line of a cue, in which the dash, the >>, or the # of a song, at its ends is a token of its
/// own.
class CueLine {
 public:
  CueLine(std::string_view bytes, std::vector<Token> tokens)
      : bytes_(bytes), tokens_(std::move(tokens)) {
    read_begin();
    read_end();
    const std::string text = shown_text(bytes, tokens_);
    for (const auto& [opens, closes] :
         {std::pair<std::string_view, std::string_view>{"[", "]"}, {"(", ")"}, {"（", "）"}})
      if (text.starts_with(opens) && text.ends_with(closes)) begins_anew_ = is_over_ = true;
    if (!text.empty() && !text::has_words(text)) begins_anew_ = is_over_ = true;
    names_speaker_ = is_name_of_speaker(text);
    has_small_letter_ = document::has_small_letter(text);
  }

  const std::vector<Token>& tokens() const { return tokens_; }
  bool begins_anew() const { return begins_anew_; }
  bool is_over() const { return is_over_; }
  /// Whether it is nothing but the name of who speaks in the next line.
  bool names_speaker() const { return names_speaker_; }
  bool has_small_letter() const { return has_small_letter_; }

 private:
  void read_begin() {
    const auto first =
        std::ranges::find_if(tokens_, [&](const Token& token) { return is_seen(bytes_, token); });
    if (first == tokens_.end()) return;
    begins_anew_ = is_note(bytes_, *first);
    if (begins_anew_ || take_references_to_arrows(first)) return;
    if (!first->is_plain()) return;
    const std::size_t from = bytes_.find_first_not_of(" \t", first->from);
    const std::string_view text = bytes_.substr(from, first->to - from);
    const std::size_t mark =
        text.starts_with("# ") ? 1 : std::max(bytes_of_dash(text), bytes_of_arrows(text));
    if (mark == 0) return;
    begins_anew_ = true;
    cut(first, from, from + mark);
  }

  /// Makes `&gt;&gt;`, which is >>, no text; false: nothing such begins there.
  bool take_references_to_arrows(std::vector<Token>::iterator first) {
    const auto end = std::find_if_not(first, tokens_.end(), [](const Token& token) {
      return token.syntax == Token::Syntax::text && token.text == ">";
    });
    if (end - first < 2) return false;
    for (auto at = first; at != end; ++at) {
      at->syntax = Token::Syntax::whole;
      at->text.clear();
    }
    begins_anew_ = true;
    return true;
  }

  void read_end() {
    const auto last = std::find_if(tokens_.rbegin(), tokens_.rend(),
                                   [&](const Token& token) { return is_seen(bytes_, token); });
    if (last == tokens_.rend()) return;
    is_over_ = is_note(bytes_, *last);
    if (!last->is_plain()) return;
    const std::string_view text = trim(bytes_.substr(last->from, last->bytes()));
    if (!text.ends_with(" #")) return;
    is_over_ = true;
    const auto to = static_cast<std::size_t>(text.data() - bytes_.data()) + text.size();
    cut(std::prev(last.base()), to - 1, to);
  }

  /// Makes bytes of a text a token of their own.
  void cut(std::vector<Token>::iterator at, std::size_t from, std::size_t to) {
    const Token text = *at;
    std::vector<Token> parts;
    if (text.from < from) parts.push_back({.from = text.from, .to = from});
    parts.push_back({.from = from, .to = to, .syntax = Token::Syntax::whole});
    if (to < text.to) parts.push_back({.from = to, .to = text.to});
    tokens_.insert(tokens_.erase(at), parts.begin(), parts.end());
  }

  std::string_view bytes_;
  std::vector<Token> tokens_;
  bool begins_anew_ = false, is_over_ = false;
  bool names_speaker_ = false, has_small_letter_ = false;
};

/// The tokens that open an element and are not closed, in order; by closing token what it closes.
struct CueElements {
  std::vector<std::size_t> open;
  std::vector<std::size_t> opening_of;  // by token; its own index where it closes nothing

  explicit CueElements(const std::vector<Token>& tokens) {
    std::map<std::string, int64_t, std::less<>> names;  // of those that are open
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const Token& token = tokens[i];
      opening_of.push_back(i);
      if (token.syntax == Token::Syntax::opening) {
        open.push_back(i);
        ++names[token.name];
      }
      if (token.syntax != Token::Syntax::closing || names[token.name] == 0) continue;
      for (bool is_found = false; !is_found; open.pop_back()) {
        is_found = tokens[open.back()].name == token.name;
        --names[tokens[open.back()].name];
        if (is_found) opening_of[i] = open.back();
      }
    }
  }
};

/// How many elements end with the tokens before `end` and begin again with those of `next` from
/// `begin` on. At least one token is left on both sides.
std::size_t elements_that_go_on(std::string_view bytes, const std::vector<Token>& tokens,
                                const CueElements& elements, std::size_t end,
                                std::span<const Token> next) {
  std::size_t count = 0;
  for (; count + 1 < end && count + 1 < next.size(); ++count) {
    const std::size_t closing = end - 1 - count;
    const Token& opening = tokens[elements.opening_of[closing]];
    if (tokens[closing].syntax != Token::Syntax::closing || &opening == &tokens[closing] ||
        next[count].syntax != Token::Syntax::opening ||
        bytes.substr(opening.from, opening.bytes()) !=
            bytes.substr(next[count].from, next[count].bytes()))
      break;
  }
  return count;
}

/// Makes one element of those that end before a line break and begin again after it: a text whose
/// lines are each in italics is one text in italics.
void join_elements(std::string_view bytes, std::vector<Token>& tokens) {
  const CueElements elements(tokens);
  std::vector<Token> out;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    const std::size_t count =
        token.syntax == Token::Syntax::line_break
            ? elements_that_go_on(bytes, tokens, elements, i, std::span(tokens).subspan(i + 1))
            : 0;
    if (count == 0) {
      out.push_back(token);
      continue;
    }
    out.resize(out.size() - count);
    out.push_back({.from = tokens[i - count].from,
                   .to = tokens[i + count].to,
                   .syntax = Token::Syntax::line_break,
                   .text = std::string(bytes.substr(token.from, token.bytes())),
                   .ended_elements = count});
    i += count;
  }
  tokens = std::move(out);
}

std::vector<Turn> turns_of(std::string_view bytes, const std::vector<Token>& tokens) {
  std::vector<Turn> turns;
  bool was_small = false;  // the line before has a small letter
  const auto is_break = [](const Token& token) {
    return token.syntax == Token::Syntax::line_break;
  };
  for (auto from = tokens.begin(); from != tokens.end();) {
    const auto to = std::find_if(from, tokens.end(), is_break);
    const CueLine line(bytes, {from, to});
    // Among lines that are all in capitals, it may be any line.
    const bool is_speaker = line.names_speaker() && (from == tokens.begin() || was_small);
    was_small = line.has_small_letter();
    const bool begins_anew = line.begins_anew() || is_speaker;
    if (turns.empty() || turns.back().is_over || begins_anew)
      turns.push_back({.begins_anew = begins_anew});
    else
      turns.back().tokens.push_back(*std::prev(from));
    Turn& turn = turns.back();
    turn.tokens.insert(turn.tokens.end(), line.tokens().begin(), line.tokens().end());
    turn.is_over = line.is_over() || is_speaker;
    from = to == tokens.end() ? to : std::next(to);
  }
  std::erase_if(turns, [](const Turn& turn) { return turn.tokens.empty(); });
  for (Turn& turn : turns) join_elements(bytes, turn.tokens);
  return turns;
}

/// Whether a sentence ends between the two texts. Only what stands near is looked at.
bool ends_between(std::string_view before, std::string_view after, std::string_view language) {
  constexpr std::size_t kNear = 200;  // bytes
  const auto is_inside = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
  std::size_t from = before.size() - std::min(before.size(), kNear);
  while (from < before.size() && is_inside(before[from])) ++from;
  std::size_t to = std::min(after.size(), kNear);
  while (to > 0 && to < after.size() && is_inside(after[to])) --to;
  if (before.empty()) return false;
  const std::string both =
      std::string(before.substr(from)) + ' ' + std::string(after.substr(0, to));
  const std::size_t middle = before.size() - from + 1;
  return std::ranges::any_of(text::sentences_of(both, language), [&](std::string_view sentence) {
    return static_cast<std::size_t>(sentence.data() - both.data()) == middle;
  });
}

/// Whether speech is broken off at the end of the text, by a dash: "isn't it -", "too--".
bool breaks_off(std::string_view text) {
  return text.ends_with("—") || text.ends_with("–") || text.ends_with("--") || text.ends_with(" -");
}

/// Whether the first letter or digit of the text is a small letter.
bool begins_small(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const text::CodePoint point = text::code_point_at(text, at);
    if (!text::is_space(point.value) && !text::is_punctuation(point.value))
      return text::is_letter(point.value) && text::to_upper(point.value) != point.value;
    at += point.bytes;
  }
  return false;
}

/// Reads the cues of a document.
class CueJoiner {
 public:
  CueJoiner(std::string_view bytes, const std::vector<Cue>& cues, const CueSyntax& syntax,
            std::string_view language)
      : bytes_(bytes), cues_(cues), syntax_(syntax), language_(language) {
    for (const Cue& cue : cues) {
      turns_.push_back(turns_of(bytes, tokens_of_cue(bytes, cue.text, syntax)));
      texts_.push_back(turns_.back().empty() ? "" : shown_text(bytes, turns_.back().back().tokens));
      is_ended_.push_back(ends_between(texts_.back(), "Q", language));
      ends_ += is_ended_.back();
    }
  }

  Passages passages() && {
    Passages out;
    for (std::size_t i = 0; i < cues_.size(); ++i)
      for (std::size_t k = 0; k < turns_[i].size(); ++k) {
        Turn& turn = turns_[i][k];
        if (k == 0 && i > 0 && joined_ < kMostJoined && goes_on(i) &&
            join(out.back().tokens, turn.tokens)) {
          ++joined_;
        } else {
          is_small_ =
              k == 0 && i > 0 && is_ended_[i - 1] && begins_small(shown_text(bytes_, turn.tokens));
          out.push_back({.tokens = std::move(turn.tokens)});
          joined_ = 1;
        }
      }
    for (Passage& passage : out) {
      const bool has_references = std::ranges::any_of(passage.tokens, [&](const Token& token) {
        const bool is_text = token.syntax == Token::Syntax::text && !token.text.empty();
        return bytes_[token.from] == '&' && (is_text || token.syntax == Token::Syntax::whole);
      });
      passage.writing.escaped = has_references ? text::with_references : syntax_.escaped;
    }
    return out;
  }

 private:
  /// Whether a sentence goes on from the cue before this one.
  bool goes_on(std::size_t i) const {
    const Cue &before = cues_[i - 1], &now = cues_[i];
    if (turns_[i - 1].empty() || turns_[i - 1].back().is_over || turns_[i].front().begins_anew)
      return false;
    const int64_t pause = now.start - before.end;
    if (now.voice != before.voice || now.place != before.place || now.start < before.start ||
        pause > kLongestPause || (syntax_.has_places && pause < 0) || texts_[i - 1].empty() ||
        kFewestEnds * ends_ < cues_.size() || repeats(i))
      return false;
    const std::string text = shown_text(bytes_, turns_[i].front().tokens);
    if (text.empty()) return false;  // a drawing
    const bool is_small = begins_small(text);
    // Inside a paragraph no sentence begins with a small letter, but cues do.
    if (ends_between(texts_[i - 1], text, language_) || (is_small && is_ended_[i - 1]) ||
        (!is_small && breaks_off(texts_[i - 1])))
      return false;
    // What begins with a small letter after an end, such as a title, goes on with no capital.
    return is_small || (!is_small_ && pause <= kShortPause && kFewEnds * ends_ >= cues_.size());
  }

  /// Whether the cue begins with the line with which the one before it ends: captions that roll up.
  bool repeats(std::size_t i) const {
    const auto line = [&](std::size_t cue, bool first) {
      const std::string_view text =
          bytes_.substr(cues_[cue].text.from, cues_[cue].text.to - cues_[cue].text.from);
      std::vector<Token> tokens = tokens_of_cue(bytes_, cues_[cue].text, syntax_);
      const auto is_break = [](const Token& token) {
        return token.syntax == Token::Syntax::line_break;
      };
      if (first)
        tokens.erase(std::ranges::find_if(tokens, is_break), tokens.end());
      else
        tokens.erase(tokens.begin(), std::find_if(tokens.rbegin(), tokens.rend(), is_break).base());
      return text.empty() ? "" : shown_text(bytes_, tokens);
    };
    return line(i - 1, false) == line(i, true);
  }

  /// Adds the tokens of the next cue to those of a passage, and what stands between them as a line
  /// break. False: another voice speaks in it, and nothing is changed.
  bool join(std::vector<Token>& tokens, std::vector<Token>& next) const {
    std::size_t end = tokens.size(), begin = 0;
    const auto is_blank = [&](const Token& token) {
      return token.syntax == Token::Syntax::line_break || is_blank_text(bytes_, token);
    };
    while (end > 1 && is_blank(tokens[end - 1])) --end;
    // Settings at the beginning of a cue, such as {\an8} and {\i1} without an end, are its own.
    const CueElements of_next(next);
    const auto is_setting = [&](std::size_t i) {
      return bytes_[next[i].from] == '{' &&
             (next[i].syntax == Token::Syntax::whole ||
              std::ranges::find(of_next.open, i) != of_next.open.end());
    };
    while (begin + 1 < next.size() && (is_blank(next[begin]) || is_setting(begin))) ++begin;
    const auto same = [&](const Token& a, const Token& b) {
      return bytes_.substr(a.from, a.bytes()) == bytes_.substr(b.from, b.bytes());
    };
    const CueElements elements(tokens);
    ByteRange written = {tokens[end - 1].to, next[begin].from};
    const std::size_t count =
        elements_that_go_on(bytes_, tokens, elements, end, std::span(next).subspan(begin));
    const auto is_voice = [](const Token& token) {
      return token.syntax == Token::Syntax::opening && token.name == "v";
    };
    const auto voice = std::find_if(elements.open.rbegin(), elements.open.rend(),
                                    [&](std::size_t i) { return is_voice(tokens[i]); });
    const bool has_voice = voice != elements.open.rend();
    if (count == 0) {
      if (has_voice != is_voice(next[begin])) return false;
      if (has_voice) {
        if (!same(tokens[*voice], next[begin]) || begin + 1 == next.size()) return false;
        written.to = next[begin++].to;
      }
    }
    end -= count;
    begin += count;
    Token gap{.from = tokens[end - 1].to,
              .to = next[begin].from,
              .syntax = Token::Syntax::line_break,
              .divides = true,
              .ended_elements = Token::kAllElements};
    if (count > 0) gap.text = bytes_.substr(written.from, written.to - written.from);
    tokens.resize(end);
    tokens.push_back(std::move(gap));
    tokens.insert(tokens.end(),
                  std::move_iterator(next.begin() + static_cast<std::ptrdiff_t>(begin)),
                  std::move_iterator(next.end()));
    return true;
  }

  std::string_view bytes_;
  const std::vector<Cue>& cues_;
  const CueSyntax& syntax_;
  std::string_view language_;
  std::vector<std::vector<Turn>> turns_;  // by cue
  std::vector<std::string> texts_;        // by cue: of its last turn
  std::vector<bool> is_ended_;            // by cue: it ends a sentence
  std::size_t ends_ = 0;                  // how many cues do
  std::size_t joined_ = 0;                // cues of the last passage
  bool is_small_ = false;  // whether the last passage has a small letter after a sentence's end
};

}  // namespace

Passages passages_of_cues(std::string_view bytes, const std::vector<Cue>& cues,
                          const CueSyntax& syntax, std::string_view language) {
  return CueJoiner(bytes, cues, syntax, language).passages();
}

}  // namespace heed::document
