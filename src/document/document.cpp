#include "document/document.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <map>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "document/kept_tokens.h"
#include "document/line_breaks.h"
#include "document/segment_builder.h"
#include "document/stand_ins.h"
#include "document/token.h"
#include "document/unknown_symbols.h"
#include "text/bytes.h"
#include "text/characters.h"
#include "text/lines.h"
#include "text/script.h"
#include "text/sentences.h"
#include "text/utf8.h"
#include "text/words.h"

namespace heed::document {

std::string read_document(const std::string& path) {
  constexpr std::size_t kChunk = 1 << 20;
  std::string all;
  text::telling(text::shown_name(path) + ": ", [&] {
    const auto bytes = text::open_bytes(path);
    for (std::size_t size = 0, count = 1; count > 0; all.resize(size += count)) {
      all.resize(size + kChunk);
      count = bytes->read(all.data() + size, kChunk);
    }
    if (const auto flaw = text::encoding_flaw(all, path, bytes->unpacked_by()))
      throw UserError(*flaw);
  });
  return all;
}

/// What a document keeps in any case: addresses, and names of files and programs.
text::KeepOptions with_addresses(text::KeepOptions kept) {
  kept.urls = kept.emails = kept.names = true;
  return kept;
}

/// The tokens of a passage, and a text for the splitter of sentences in which a letter or a bracket
/// stands for what is no text.
class Document::Paragraph {
 public:
  /// `script` is that of most letters of the document.
  Paragraph(std::string_view bytes, const Passage& passage, const DocumentOptions& options,
            text::Script script)
      : bytes_(bytes),
        writing_(passage.writing),
        is_sentence_(passage.is_sentence),
        tokens_(tokens_of(bytes, passage, options)) {
    find_partners();
    join_links(script);
    find_ended_elements();
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const Token& token = tokens_[i];
      starts_.push_back(mask_.size());
      if (token.is_plain())
        mask_ += bytes.substr(token.from, token.bytes());
      else if (token.syntax == Token::Syntax::line_break)
        mask_ += joint_of(bytes, token);
      else if (!token.text.empty())
        mask_ += token.text;
      else  // one letter and a stop would be an initial
        mask_.append(token.mask == Token::kWord ? 2 : 1, token.mask);
      const bool has_word = token.syntax == Token::Syntax::text
                                ? !text::is_blank(std::string_view(mask_).substr(starts_.back()))
                                : is_written(i) || is_stood_for(token, bytes_of_token(i));
      words_before_.push_back(words_before_.back() + (has_word ? 1 : 0));
    }
  }

  /// The text for the splitter of sentences, before, between and after the tokens that end one.
  std::vector<std::string_view> parts() const {
    std::vector<std::string_view> out;
    std::size_t from = 0;
    const auto end_part = [&](std::size_t to) {
      if (to > from) out.push_back(std::string_view(mask_).substr(from, to - from));
    };
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].syntax != Token::Syntax::block) continue;
      end_part(starts_[i]);
      from = i + 1 < tokens_.size() ? starts_[i + 1] : mask_.size();
    }
    end_part(mask_.size());
    return out;
  }

  bool is_sentence() const { return is_sentence_; }
  ByteRange all() const { return {tokens_.front().from, tokens_.back().to}; }

  /// The token that has this byte.
  ByteRange token_with(std::size_t byte) const {
    const Token& token = tokens_[index_of(byte)];
    return {token.from, token.to};
  }

  /// The bytes of a part of such a text.
  ByteRange bytes_of(std::string_view part) const {
    const auto from = static_cast<std::size_t>(part.data() - mask_.data());
    return {byte_of(from), byte_of(from + part.size())};
  }

  /// The range without what is at its ends and would stay there in any case: blanks, whole tokens
  /// that are no words of the sentence, with the marks directly after the first, elements without
  /// words, and tokens that surround all of it or have their other half outside.
  ByteRange trimmed(ByteRange range) const {
    for (;;) {
      range.to = std::max(range.from, range.to);
      if (range.is_empty()) return range;
      const std::size_t first = index_of(range.from), last = index_of(range.to - 1);
      const Token &front = tokens_[first], &back = tokens_[last];
      if (const std::size_t bytes = first_blank(front, range)) {
        range.from += bytes;
        continue;
      }
      if (const std::size_t bytes = last_blank(back, range)) {
        range.to -= bytes;
        continue;
      }
      const bool is_around =
          partners_[first] == last && front.from == range.from && back.to == range.to;
      const auto is_free = [&](std::size_t i) {
        return tokens_[i].syntax != Token::Syntax::text && !is_written(i) &&
               !is_stood_for(tokens_[i], bytes_of_token(i)) &&
               (is_around || partners_[i] < first || partners_[i] > last);
      };
      if (is_wordless(first, range)) {
        range.from = tokens_[partners_[first]].to;
      } else if (is_wordless(last, range)) {
        range.to = tokens_[partners_[last]].from;
      } else if (is_free(first)) {
        range.from = front.to;
        if (front.syntax == Token::Syntax::whole) range.from = after_marks(range);
      } else if (is_free(last)) {
        range.to = back.from;
      } else {
        return range;
      }
    }
  }

  /// The texts of the links in a range that has no other words, such as a row of badges.
  std::vector<ByteRange> lone_links(ByteRange range) const {
    std::vector<ByteRange> links;
    std::string around;
    const std::size_t last = index_of(range.to - 1);
    for (std::size_t i = index_of(range.from); i <= last; ++i) {
      const Token& token = tokens_[i];
      if (token.syntax == Token::Syntax::text) around += characters(token, range);
      if (token.syntax != Token::Syntax::opening && token.syntax != Token::Syntax::closing)
        continue;
      if (!token.is_link || partners_[i] <= i || partners_[i] > last) return {};
      const bool has_marks = is_written(i);
      i = partners_[i];
      links.push_back(has_marks ? ByteRange{token.from, tokens_[i].to}
                                : ByteRange{token.to, tokens_[i].from});
      around += ' ';
    }
    const bool is_one = links.size() == 1 && links[0].from == range.from && links[0].to == range.to;
    return text::has_words(around) || is_one ? std::vector<ByteRange>() : links;
  }

  /// The range as a segment.
  Segment segment(ByteRange range) const {
    std::vector<Token> tokens;
    for (std::size_t i = index_of(range.from); i < tokens_.size() && tokens_[i].from < range.to;
         ++i) {
      Token& token = tokens.emplace_back(tokens_[i]);
      token.from = std::max(token.from, range.from) - range.from;
      token.to = std::min(token.to, range.to) - range.from;
      if (token.ended_elements > 0) set_ended_elements(i, range, token);
    }
    Writing writing = writing_;
    if (range.from > tokens_.front().from) writing.beginning = nullptr;
    return make_segment(bytes_.substr(range.from, range.to - range.from), std::move(tokens),
                        writing);
  }

 private:
  static std::vector<Token> tokens_of(std::string_view bytes, const Passage& passage,
                                      const DocumentOptions& options) {
    const auto kept = with_kept(bytes, with_whole_options(bytes, passage.tokens), passage.writing,
                                with_addresses(options.kept));
    return with_unknown_symbols(bytes, with_whole_words(bytes, kept), options.knows);
  }

  /// The index of the token that has this byte.
  std::size_t index_of(std::size_t byte) const {
    const auto next = std::ranges::upper_bound(tokens_, byte, {}, &Token::from);
    return static_cast<std::size_t>(std::prev(next) - tokens_.begin());
  }

  /// The byte of the document at a position of mask_. A token that is no plain text has no inside.
  std::size_t byte_of(std::size_t at) const {
    const auto next = std::ranges::upper_bound(starts_, at);
    const auto i = static_cast<std::size_t>(std::prev(next) - starts_.begin());
    const std::size_t inside = at - starts_[i];
    const Token& token = tokens_[i];
    if (token.is_plain()) return token.from + std::min(inside, token.bytes());
    return inside == 0 ? token.from : token.to;
  }

  /// Counts those elements that a line break ends which are in its segment. The tags of those
  /// around all of the segment are written with the line break. One with one end in the segment
  /// goes on over the line break.
  void set_ended_elements(std::size_t i, ByteRange range, Token& line_break) const {
    std::string ends, begins;
    line_break.ended_elements = 0;
    for (const std::size_t opening : ended_.at(i)) {
      const Token &first = tokens_[opening], &last = tokens_[partners_[opening]];
      if (first.from >= range.from && last.to <= range.to) {
        ++line_break.ended_elements;
      } else if (first.from < range.from && last.to > range.to) {
        ends += bytes_.substr(last.from, last.bytes());
        begins.insert(0, bytes_.substr(first.from, first.bytes()));
      }
    }
    if (ends.empty()) return;
    if (line_break.text.empty())
      line_break.text = bytes_.substr(tokens_[i].from, tokens_[i].bytes());
    line_break.text = ends + line_break.text + begins;
  }

  /// Whether the token, or its other half, is written differently in a translation.
  bool is_written(std::size_t i) const {
    return !tokens_[i].written.empty() ||
           (partners_[i] < tokens_.size() && !tokens_[partners_[i]].written.empty());
  }

  /// Whether this token and its other half are in the range, and no word is between them.
  bool is_wordless(std::size_t i, ByteRange range) const {
    const auto [first, last] = std::minmax(i, partners_[i]);
    return last < tokens_.size() && tokens_[first].from >= range.from &&
           tokens_[last].to <= range.to && words_before_[first] == words_before_[last + 1];
  }

  /// Whether it is the number of a commit, or the beginning of one.
  static bool is_hash(std::string_view text) {
    constexpr std::size_t kLeast = 7, kMost = 40;
    return text.size() >= kLeast && text.size() <= kMost &&
           after_run(text, "0123456789abcdef") == text.size() &&
           text.find_first_of("0123456789") != text.npos;
  }

  /// Makes one token of each link with nothing but a number in Markdown, such as `[#12](address)`,
  /// and of each link whose text is in another script than the document, such as the name of a
  /// language in that language.
  void join_links(text::Script script) {
    std::vector<Token> out;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      Token& token = out.emplace_back(tokens_[i]);
      const std::size_t last = partners_[i];
      if (!token.is_link || last >= tokens_.size() || last <= i || !stays(i, last, script))
        continue;
      const char32_t before = text::value_before(bytes_, token.from);
      const bool is_beside =
          i > 0 && (text::is_in_word(before) || before == U'.' || before == U',');
      token = {.from = token.from,
               .to = tokens_[last].to,
               .syntax = Token::Syntax::whole,
               .mask = is_beside ? Token::kCloses : Token::kWord};
      i = last;
    }
    if (out.size() == tokens_.size()) return;
    tokens_ = std::move(out);
    find_partners();
  }

  /// Whether the link between these tokens stays as it is.
  bool stays(std::size_t first, std::size_t last, text::Script script) const {
    constexpr std::size_t kLongest = 200;
    if (tokens_[last].from - tokens_[first].to > kLongest) return false;
    std::string shown;
    for (std::size_t i = first + 1; i < last; ++i) {
      const Token& token = tokens_[i];
      if (token.syntax == Token::Syntax::whole || token.syntax == Token::Syntax::block)
        return false;
      if (token.syntax == Token::Syntax::text)
        shown += token.is_plain() ? bytes_of_token(i) : std::string_view(token.text);
    }
    if (!text::has_words(shown)) return false;
    if ((!text::has_letters(shown) || is_hash(shown)) &&
        is_one_of(bytes_[tokens_[first].from], "[!"))
      return true;
    const auto is_near = [&](const text::CodePoint& point) {
      const text::Script of_letter = text::script_of(point.value);
      return text::is_letter(point.value) &&
             (of_letter == text::Script::none || of_letter == script);
    };
    return script != text::Script::none && text::has_letters(shown) &&
           !text::any_code_point(shown, is_near);
  }

  std::string_view bytes_of_token(std::size_t i) const {
    return bytes_.substr(tokens_[i].from, tokens_[i].bytes());
  }

  /// Whether a character at an end of a sentence is a blank, which stays there.
  static bool is_blank(char32_t c) {
    return c == U' ' || c == U'\t' || (c > 0x7F && text::is_space(c));
  }

  /// Whether the token is a line break, or a reference to a blank such as `&nbsp;`.
  bool is_blank_token(const Token& token) const {
    if (token.is_plain()) return false;
    return token.syntax == Token::Syntax::line_break ||
           (token.syntax == Token::Syntax::text &&
            is_blank(text::code_point_at(token.text, 0).value) && text::is_blank(token.text));
  }

  /// Bytes of the blank with which the range begins, in this token; 0 where there is none.
  std::size_t first_blank(const Token& token, ByteRange range) const {
    if (is_blank_token(token)) return std::min(token.to, range.to) - range.from;
    if (!token.is_plain()) return 0;
    const text::CodePoint point = text::code_point_at(bytes_, range.from);
    return is_blank(point.value) && range.from + point.bytes <= range.to ? point.bytes : 0;
  }

  /// Bytes of the blank with which it ends.
  std::size_t last_blank(const Token& token, ByteRange range) const {
    if (is_blank_token(token)) return range.to - std::max(token.from, range.from);
    if (!token.is_plain()) return 0;
    const char32_t c = text::value_before(bytes_, range.to);
    if (!is_blank(c)) return 0;
    const std::size_t bytes = text::encode_utf8(std::u32string(1, c)).size();
    return bytes <= range.to - std::max(token.from, range.from) ? bytes : 0;
  }

  /// The first byte of the range after the marks with which its text begins.
  std::size_t after_marks(ByteRange range) const {
    const std::size_t i = range.is_empty() ? tokens_.size() : index_of(range.from);
    if (i == tokens_.size() || !tokens_[i].is_plain()) return range.from;
    while (range.from < std::min(range.to, tokens_[i].to) &&
           std::string_view(".,;:!?").find(bytes_[range.from]) != std::string_view::npos)
      ++range.from;
    return range.from;
  }

  /// The characters of a token of text, as far as it is in the range.
  std::string characters(const Token& token, ByteRange range) const {
    if (!token.is_plain()) return token.text;
    const std::size_t from = std::max(token.from, range.from);
    return std::string(bytes_.substr(from, std::min(token.to, range.to) - from));
  }

  void find_partners() {
    partners_.assign(tokens_.size(), tokens_.size());
    std::vector<std::size_t> open;
    std::map<std::string, int64_t> names;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const Token& token = tokens_[i];
      if (token.syntax == Token::Syntax::opening) {
        open.push_back(i);
        ++names[token.name];
      }
      if (token.syntax != Token::Syntax::closing || names[token.name] == 0) continue;
      for (bool found = false; !found; open.pop_back()) {
        --names[tokens_[open.back()].name];
        found = tokens_[open.back()].name == token.name;
        if (!found) continue;
        partners_[i] = open.back();
        partners_[open.back()] = i;
      }
    }
  }

  void find_ended_elements() {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      Token& token = tokens_[i];
      if (token.syntax == Token::Syntax::opening && partners_[i] < tokens_.size())
        open.push_back(i);
      while (token.syntax == Token::Syntax::closing && !open.empty() && partners_[open.back()] <= i)
        open.pop_back();
      if (token.ended_elements == 0) continue;
      if (token.ended_elements > open.size() && token.ended_elements != Token::kAllElements) {
        // One is not closed: the line break is written as it is.
        token.ended_elements = 0;
        token.text.clear();
        continue;
      }
      const std::size_t count = std::min({token.ended_elements, open.size(), kDeepestInlay});
      ended_[i].assign(open.rbegin(), open.rbegin() + static_cast<std::ptrdiff_t>(count));
    }
  }

  std::string_view bytes_;
  Writing writing_;
  bool is_sentence_;
  std::vector<Token> tokens_;
  std::vector<std::size_t> partners_;  // by token that opens or closes: index of its other half
  // By line break that ends elements: their opening tokens, the innermost first.
  std::map<std::size_t, std::vector<std::size_t>> ended_;
  std::string mask_;
  std::vector<std::size_t> starts_;              // of each token in mask_
  std::vector<std::size_t> words_before_ = {0};  // by token, and after the last: those with words
};

namespace {

/// The script of most letters in the text of the first passages; none where there is no letter.
text::Script script_of_most(std::string_view bytes, const Passages& passages) {
  constexpr std::size_t kMost = 1 << 16;  // bytes
  std::array<std::size_t, text::kScripts> counts{};
  std::size_t read = 0;
  for (const Passage& passage : passages) {
    for (const Token& token : passage.tokens)
      if (token.is_plain())
        text::each_code_point(bytes.substr(token.from, token.bytes()),
                              [&](const text::CodePoint& point, std::string_view) {
                                ++counts[static_cast<std::size_t>(text::script_of(point.value))];
                                read += point.bytes;
                              });
    if (read > kMost) break;
  }
  counts[static_cast<std::size_t>(text::Script::none)] = 0;
  const auto most = std::ranges::max_element(counts);
  return *most == 0 ? text::Script::none : static_cast<text::Script>(most - counts.begin());
}

}  // namespace

Document::Document(std::string_view bytes, const DocumentFormat& format,
                   const DocumentOptions& options)
    : bytes_(bytes), text_(options.kept) {
  const Passages passages = format.read(bytes, options.read);
  script_ = script_of_most(bytes, passages);
  has_passages_ =
      std::ranges::any_of(passages, [](const Passage& passage) { return !passage.tokens.empty(); });
  for (const Passage& passage : passages) add(passage, options);
  text_.add(bytes.substr(added_));
  bytes_ = {};
}

void Document::add(const Passage& passage, const DocumentOptions& options) {
  if (passage.tokens.empty()) {
    expect(passage.place.has_value(), "a passage has tokens or a place");
    text_.add(bytes_.substr(added_, passage.place->bytes.from - added_));
    text_.add(passage.place->before + passage.place->after);
    added_ = passage.place->bytes.to;
    return;
  }
  const Paragraph paragraph(bytes_, passage, options, script_);
  const std::vector<ByteRange> ranges = segments_in(paragraph, options);
  auto inside = passage.inside.begin();
  const auto is_inside_before = [&](std::size_t byte) {
    return inside != passage.inside.end() && inside->tokens.front().from < byte;
  };
  const ByteRange all = paragraph.all();
  const ByteRange place = passage.place ? passage.place->bytes : all;
  const bool is_written = !ranges.empty() || passage.place;
  std::string_view raw = bytes_.substr(all.from, all.to - all.from);
  Enclose enclosed = passage.enclosed;
  if (passage.place && passage.place->copied) {
    enclosed = [inner = std::move(enclosed), copied = passage.place->copied](
                   std::string_view written) { return copied(inner ? inner(written) : written); };
    raw = {};  // nothing is kept as it is
  }
  if (is_written) {
    add_up_to(place.from);
    if (passage.place) text_.add(passage.place->before);
    if (enclosed) text_.begin_part();
    added_ = all.from;
  }
  for (const ByteRange& range : ranges) {
    while (is_inside_before(range.from)) add(*inside++, options);
    add_up_to(range.from);
    add(paragraph.segment(range), range.from);
    while (is_inside_before(range.to)) add_inside(paragraph, *inside++, options);
    added_ = range.to;
  }
  while (inside != passage.inside.end()) add(*inside++, options);
  if (!is_written) return;
  add_up_to(all.to);
  if (enclosed) text_.end_part(raw, std::move(enclosed));
  if (passage.place) text_.add(passage.place->after);
  added_ = place.to;
}

/// Adds the segments of a passage that is in a tag of the last segment.
void Document::add_inside(const Paragraph& around, const Passage& passage,
                          const DocumentOptions& options) {
  const Paragraph paragraph(bytes_, passage, options, script_);
  for (const ByteRange& range : segments_in(paragraph, options)) {
    const ByteRange tag = around.token_with(range.from);
    Segment segment = paragraph.segment(range);
    segment.tag = bytes_.substr(tag.from, tag.to - tag.from);
    segment.place_in_tag = range.from - tag.from;
    add(std::move(segment), range.from);
  }
}

/// Adds bytes that stay.
void Document::add_up_to(std::size_t byte) {
  text_.add(bytes_.substr(added_, byte - added_));
  added_ = byte;
}

void Document::add(Segment segment, std::size_t byte) {
  text_.add(std::move(segment));
  lines_.push_back(line_of(byte));
}

/// Cuts a passage into sentences, and those that are too long into clauses.
std::vector<ByteRange> Document::segments_in(const Paragraph& paragraph,
                                             const DocumentOptions& options) {
  std::vector<ByteRange> out;
  const auto fits = [&](std::string_view part) {
    const ByteRange range = paragraph.trimmed(paragraph.bytes_of(part));
    return range.is_empty() || !options.fits || options.fits(paragraph.segment(range).text);
  };
  std::vector<std::string_view> sentences = paragraph.parts();
  if (!paragraph.is_sentence()) {
    std::vector<std::string_view> all;
    for (const std::string_view part : sentences)
      std::ranges::copy(text::sentences_of(part, options.read.source_language),
                        std::back_inserter(all));
    sentences = std::move(all);
  }
  for (const std::string_view sentence : sentences) {
    const std::size_t count = out.size();
    const auto clauses = text::clauses_of(sentence, fits);
    for (const std::string_view clause : clauses)
      add_segments(paragraph, paragraph.bytes_of(clause), out);
    if (clauses.size() > 1 && out.size() > count && too_long_++ == 0)
      first_too_long_ = line_of(out[count].from);
  }
  return out;
}

/// Adds the bytes of the segments in a part of a passage: of one, or of each link in a row.
void Document::add_segments(const Paragraph& paragraph, ByteRange range,
                            std::vector<ByteRange>& out) const {
  range = paragraph.trimmed(range);
  if (range.is_empty()) return;
  if (const auto links = paragraph.lone_links(range); !links.empty()) {
    for (const ByteRange& link : links) add_segments(paragraph, link, out);
  } else if (paragraph.segment(range).has_letters) {
    out.push_back(range);
  }
}

/// The number of the line that has this byte.
int64_t Document::line_of(std::size_t byte) {
  const auto [from, to] = std::minmax(counted_, byte);
  const int64_t ends = std::ranges::count(bytes_.substr(from, to - from), '\n');
  line_ += byte < counted_ ? -ends : ends;
  counted_ = byte;
  return line_;
}

}  // namespace heed::document
