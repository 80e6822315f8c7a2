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
          tokens.add_text(to);
        else
          tokens.add(std::move(token), to);
      }
      tokens.end(tokens.at());
    }
  }

 private:
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
