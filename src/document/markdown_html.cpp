// Blocks of HTML in Markdown.
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "document/format.h"
#include "document/html.h"
#include "document/markdown_extensions.h"
#include "document/markdown_passage.h"
#include "document/markdown_tokens.h"
#include "document/passage.h"
#include "document/token.h"

namespace heed::document {
namespace {

/// A block of HTML: its lines follow each other in a text of their own, without what Markdown has
/// before them, and are read as a page.
class HtmlLines {
 public:
  HtmlLines(const CommonMarkdown& markdown, const std::vector<ByteRange>& lines)
      : markdown_(markdown), lines_(lines) {
    for (const ByteRange& line : lines) {
      starts_.push_back(html_.size());
      html_ += std::string_view(markdown.text).substr(line.from, line.to - line.from);
      html_ += '\n';
    }
  }

  void read(Passages& out) const {
    PassageTokens tokens(markdown_, /*has_markers=*/false, out);
    for (Passage& passage : passages_of_html(html_, ReadOptions())) {
      tokens.start(place(passage.tokens.front().from));
      for (Token& token : passage.tokens) {
        const std::size_t to = place(token.to);
        if (token.is_plain())
          add_text(token, tokens);
        else
          tokens.add(std::move(token), to);
      }
      tokens.end(tokens.at());
    }
  }

 private:
  /// Adds text. Links and images in it, which programs read in spite of the tags around them, keep
  /// their addresses: "<figure>![A dog](dog.png)".
  void add_text(const Token& token, PassageTokens& tokens) const {
    const std::string_view text = std::string_view(html_).substr(token.from, token.bytes());
    const auto to = [&](std::size_t at) { return place(token.from + at); };
    for (std::size_t at = 0, close = 0; (close = text.find("](", at)) != text.npos;) {
      const std::size_t open = text.substr(0, close).rfind('['), end = end_of_target(text, close);
      if (open == text.npos || open < at || end == close) {
        at = close + 1;
        continue;
      }
      tokens.add_text(to(open > at && text[open - 1] == '!' ? open - 1 : open));
      tokens.add({.syntax = Token::Syntax::opening, .name = "]", .mask = Token::kOpens},
                 to(open + 1));
      tokens.add_text(to(close));
      tokens.add({.syntax = Token::Syntax::closing, .name = "]", .mask = Token::kCloses}, to(end));
      at = end;
    }
    tokens.add_text(to(text.size()));
  }

  /// The byte after the address of a link, `](a.png)` or `](<a b.png>)`, which begins at `close`;
  /// `close` where there is none.
  static std::size_t end_of_target(std::string_view text, std::size_t close) {
    const std::size_t from = close + 2;
    const bool is_enclosed = from < text.size() && text[from] == '<';
    const std::size_t end =
        is_enclosed ? text.find_first_of("\n>", from) : text.find_first_of(" \t\n()<", from);
    const std::string_view mark = is_enclosed ? ">)" : ")";
    return end != text.npos && end > from && text.substr(end).starts_with(mark) ? end + mark.size()
                                                                                : close;
  }

  /// The byte of the document's text.
  std::size_t place(std::size_t at) const {
    const auto next = std::ranges::upper_bound(starts_, at);
    const auto line = static_cast<std::size_t>(next - starts_.begin() - 1);
    return std::min(lines_[line].from + (at - starts_[line]), lines_[line].to);
  }

  const CommonMarkdown& markdown_;
  const std::vector<ByteRange>& lines_;
  std::string html_;
  std::vector<std::size_t> starts_;  // of each line in html_
};

}  // namespace

void add_html(const CommonMarkdown& markdown, const std::vector<ByteRange>& lines, Passages& out) {
  HtmlLines(markdown, lines).read(out);
}

}  // namespace heed::document
