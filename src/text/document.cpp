#include "text/document.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "text/bytes.h"
#include "text/line_breaks.h"
#include "text/markup_tokens.h"
#include "text/segment.h"
#include "text/segment_builder.h"
#include "text/sentences.h"
#include "text/utf8.h"
#include "text/words.h"

namespace heed::text {

std::string read_document(const std::string& path) {
  constexpr std::size_t kChunk = 1 << 20;
  std::string all;
  telling(shown_name(path) + ": ", [&] {
    const auto bytes = open_bytes(path);
    for (std::size_t size = 0, count = 1; count > 0; all.resize(size += count)) {
      all.resize(size + kChunk);
      count = bytes->read(all.data() + size, kChunk);
    }
  });
  return all;
}

/// Lines of text joined into one, with the tokens in it.
class Document::Paragraph {
 public:
  Paragraph(std::string_view bytes, const LinesOfText& lines, const DocumentFormat& format)
      : bytes_(bytes), has_markers_(format.has_markers) {
    std::size_t end = 0;
    char32_t before = 0;
    for (const ByteRange& range : lines) {
      const std::string_view line = trim(bytes.substr(range.from, range.to - range.from));
      if (line.empty()) continue;
      const auto from = static_cast<std::size_t>(line.data() - bytes.data());
      const std::size_t at = text_.size();
      if (at > 0 && !has_no_blank_between(before, code_point_at(line, 0).value)) text_ += ' ';
      ends_.push_back({at, text_.size(), {end, from}});
      text_ += line;
      before = decode_utf8(line).back();
      end = from + line.size();
    }
    tokens_ = format.tokens(text_);
    mask_ = text_;
    for (const InlineToken& token : tokens_)
      std::fill(mask_.begin() + static_cast<std::ptrdiff_t>(token.from),
                mask_.begin() + static_cast<std::ptrdiff_t>(token.to), token.mask);
    find_partners();
  }

  /// The text with a letter in place of each byte of a token (InlineToken::mask).
  const std::string& mask() const { return mask_; }

  /// The position in the document of a byte of the text.
  std::size_t byte_of(std::size_t at) const {
    const auto next = std::ranges::upper_bound(ends_, at, {}, &LineEnd::after);
    return std::prev(next)->bytes.to + (at - std::prev(next)->after);
  }

  /// The range without what is at its ends and would stay there in any case: blanks, whole tokens
  /// with the marks directly after the first, and tokens that surround all of it or have their
  /// other half outside.
  ByteRange trimmed(ByteRange range) const {
    leave_cut_tokens(range);
    for (;;) {
      range.to = std::max(range.from, range.to);
      while (range.from < range.to && text_[range.from] == ' ') ++range.from;
      while (range.from < range.to && text_[range.to - 1] == ' ') --range.to;
      const std::size_t first = token_from(range.from), end = token_from(range.to);
      if (first == end) return range;
      const std::size_t last = end - 1;
      const bool begins = tokens_[first].from == range.from, ends = tokens_[last].to == range.to;
      const bool is_around = begins && ends && partners_[first] == last;
      const auto is_free = [&](std::size_t i) {
        return tokens_[i].syntax != MarkupToken::Syntax::text &&
               (is_around || partners_[i] < first || partners_[i] >= end);
      };
      if (begins && is_free(first)) {
        range.from = tokens_[first].to;
        if (tokens_[first].syntax == MarkupToken::Syntax::whole)
          range.from = std::min(range.to, after_run(mask_, ".,;:!?", range.from));
      } else if (ends && is_free(last)) {
        range.to = tokens_[last].from;
      } else {
        return range;
      }
    }
  }

  /// The texts of the links in a range that has no other words, such as a row of badges.
  std::vector<ByteRange> lone_links(ByteRange range) const {
    std::vector<ByteRange> links;
    std::size_t from = range.from;
    for (std::size_t i = token_from(range.from); i < token_from(range.to); ++i) {
      const InlineToken& token = tokens_[i];
      if (has_words(std::string_view(text_).substr(from, token.from - from))) return {};
      from = token.to;
      if (token.syntax == MarkupToken::Syntax::whole) continue;
      if (!token.is_link() || partners_[i] <= i || partners_[i] >= token_from(range.to)) return {};
      i = partners_[i];
      links.push_back({token.to, tokens_[i].from});
      from = tokens_[i].to;
    }
    if (has_words(std::string_view(text_).substr(from, range.to - from))) return {};
    return links;
  }

  /// The range as a segment.
  Segment segment(ByteRange range) const {
    const Writing writing{.is_document = true, .has_markers = has_markers_};
    const std::size_t first = token_from(range.from), end = token_from(range.to);
    Segment out;
    if (first == end) {
      out.writing = writing;
      out.text = repair(text_.substr(range.from, range.to - range.from));
    } else {
      SegmentBuilder builder(writing);
      const auto add_text = [&](std::size_t from, std::size_t to) {
        each_code_point(repair(text_.substr(from, to - from)),
                        [&](const CodePoint&, std::string_view bytes) { builder.add({}, bytes); });
      };
      std::size_t from = range.from;
      for (std::size_t i = first; i < end; ++i) {
        const InlineToken& token = tokens_[i];
        add_text(from, token.from);
        builder.add(token.token(), repair(text_.substr(token.from, token.to - token.from)));
        from = token.to;
      }
      add_text(from, range.to);
      out = std::move(builder).segment();
    }
    const std::size_t begin = byte_of(range.from), after = byte_of(range.to - 1) + 1;
    out.raw = bytes_.substr(begin, after - begin);
    for (auto line = std::ranges::upper_bound(ends_, range.from, {}, &LineEnd::at);
         line != ends_.end() && line->at < range.to; ++line) {
      const auto& [at, after_end, bytes] = *line;
      out.breaks.push_back({at - range.from, range.to - range.from,
                            std::string(bytes_.substr(bytes.from, bytes.to - bytes.from))});
    }
    return out;
  }

 private:
  struct LineEnd {
    std::size_t at = 0, after = 0;  // in the text: where a line ends, and where the next begins
    ByteRange bytes;                // of the document, between the two
  };

  /// The index of the first token that begins at or after `at`.
  std::size_t token_from(std::size_t at) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(tokens_, at, {}, &InlineToken::from) -
                                    tokens_.begin());
  }

  /// A clause of a sentence that is too long may begin or end inside a token.
  void leave_cut_tokens(ByteRange& range) const {
    if (const std::size_t i = token_from(range.from); i > 0)
      range.from = std::max(range.from, tokens_[i - 1].to);
    if (const std::size_t i = token_from(range.to); i > 0 && tokens_[i - 1].to > range.to)
      range.to = tokens_[i - 1].from;
  }

  void find_partners() {
    partners_.assign(tokens_.size(), tokens_.size());
    std::vector<std::size_t> open;
    std::map<std::string, int64_t> names;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const InlineToken& token = tokens_[i];
      if (token.syntax == MarkupToken::Syntax::opening) {
        open.push_back(i);
        ++names[token.name];
      }
      if (token.syntax != MarkupToken::Syntax::closing || names[token.name] == 0) continue;
      for (bool found = false; !found; open.pop_back()) {
        --names[tokens_[open.back()].name];
        found = tokens_[open.back()].name == token.name;
        if (!found) continue;
        partners_[i] = open.back();
        partners_[open.back()] = i;
      }
    }
  }

  std::string_view bytes_;
  bool has_markers_;
  std::string text_, mask_;
  std::vector<InlineToken> tokens_;
  std::vector<std::size_t> partners_;  // by token that opens or closes: index of its other half
  std::vector<LineEnd> ends_;          // the first one is at the beginning of the text
};

Document::Document(std::string_view bytes, const std::string& format, std::string_view language,
                   const Fits& fits)
    : bytes_(bytes),
      format_(&*std::ranges::find(document_formats(), format, &DocumentFormat::name)) {
  for (const LinesOfText& lines : format_->read(bytes))
    add(Paragraph(bytes, lines, *format_), language, fits);
  text_.add(bytes.substr(added_));
  bytes_ = {};
}

void Document::add(const Paragraph& paragraph, std::string_view language, const Fits& fits) {
  const auto range_of = [&](std::string_view part) {
    const auto from = static_cast<std::size_t>(part.data() - paragraph.mask().data());
    return ByteRange{from, from + part.size()};
  };
  for (const std::string_view sentence : sentences_of(paragraph.mask(), language)) {
    const std::size_t count = lines_.size();
    const auto clauses = clauses_of(sentence, [&](std::string_view part) {
      const ByteRange range = paragraph.trimmed(range_of(part));
      return range.from == range.to || fits(paragraph.segment(range).text);
    });
    for (const std::string_view clause : clauses) add_segment(paragraph, range_of(clause));
    if (clauses.size() > 1 && lines_.size() > count && too_long_++ == 0)
      first_too_long_ = lines_[count];
  }
}

void Document::add_segment(const Paragraph& paragraph, ByteRange range) {
  range = paragraph.trimmed(range);
  if (range.from == range.to) return;
  if (const auto links = paragraph.lone_links(range); !links.empty()) {
    for (const ByteRange& link : links) add_segment(paragraph, link);
    return;
  }
  Segment segment = paragraph.segment(range);
  if (!has_words(segment.text)) return;
  const std::size_t begin = paragraph.byte_of(range.from);
  const std::string_view between = bytes_.substr(added_, begin - added_);
  line_ += std::ranges::count(between, '\n');
  lines_.push_back(line_);
  line_ += std::ranges::count(segment.raw, '\n');
  added_ = begin + segment.raw.size();
  text_.add(between);
  text_.add(std::move(segment));
}

}  // namespace heed::text
