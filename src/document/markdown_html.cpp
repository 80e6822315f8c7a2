// Blocks of HTML in Markdown.
#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "document/lines_of_text.h"
#include "document/markdown_extensions.h"
#include "document/markdown_passage.h"
#include "document/markdown_tokens.h"
#include "document/markup_tokens.h"
#include "document/passage.h"
#include "document/token.h"
#include "text/words.h"

namespace heed::document {
namespace {

/// Reads the lines of a block of HTML.
class HtmlLines {
 public:
  HtmlLines(const CommonMarkdown& markdown, const std::vector<ByteRange>& lines, Passages& out)
      : lines_(lines), tokens_(markdown, /*has_markers=*/false, out) {
    for (const ByteRange& line : lines) {
      starts_.push_back(html_.size());
      html_ += std::string_view(markdown.text).substr(line.from, line.to - line.from);
      html_ += '\n';
    }
    small_ = ascii_lower(html_);
    after_tags_ = html_.rfind('>') + 1;
  }

  void read() {
    tokens_.start(place(0));
    for (std::size_t at = 0; at < html_.size();) at = read(at);
    tokens_.end(tokens_.at());
  }

 private:
  /// The byte of the document's text.
  std::size_t place(std::size_t at) const {
    const auto next = std::ranges::upper_bound(starts_, at);
    const auto line = static_cast<std::size_t>(next - starts_.begin() - 1);
    return std::min(lines_[line].from + (at - starts_[line]), lines_[line].to);
  }

  /// Reads what begins at `at`; returns the byte after it.
  std::size_t read(std::size_t at) {
    if (is_one_of(html_[at], " \t\n")) {
      const std::size_t end = after_run(html_, " \t\n", at);
      const bool is_break = html_.substr(at, end - at).find('\n') != std::string::npos;
      if (end == html_.size()) return end;
      if (is_break && tokens_.is_empty())
        tokens_.start(place(end));
      else if (is_break)
        tokens_.add({.syntax = Token::Syntax::line_break}, place(end));
      else
        tokens_.add_text(place(end));
      return end;
    }
    if (html_[at] != '<' && html_[at] != '&') {
      const std::size_t end = std::min(html_.find_first_of(" \t\n<&", at), html_.size());
      tokens_.add_text(place(end));
      return end;
    }
    if (html_[at] == '&') {
      std::vector<Token> found;
      const std::size_t bytes = add_reference(html_, at, found);
      if (bytes > 0)
        tokens_.add(std::move(found.front()), place(at + bytes));
      else
        tokens_.add_text(place(at + 1));
      return at + std::max<std::size_t>(bytes, 1);
    }
    return read_tag(at);
  }

  std::size_t read_tag(std::size_t at) {
    if (at >= after_tags_) {
      tokens_.add_text(place(at + 1));
      return at + 1;
    }
    const Token token = token_at(html_, at, MarkupKind::html);
    const std::string name = name_of_tag(std::string_view(html_).substr(at, token.bytes()));
    if (token.syntax == Token::Syntax::text) {
      tokens_.add_text(place(token.to));
      return token.to;
    }
    std::size_t end = token.to;
    const bool is_kept = keeps_element(std::string_view(html_).substr(at, token.bytes()), name);
    if (is_kept) end = end_of_element(end, name);
    if (token.syntax == Token::Syntax::block) {
      tokens_.end(place(end));
      tokens_.start(place(end));
    } else if (is_kept) {
      tokens_.add({.syntax = Token::Syntax::whole}, place(end));
    } else {
      Token tag = token_of_tag(html_, at, end);
      tokens_.add(std::move(tag), place(end));
    }
    return end;
  }

  /// The byte after the end tag of an element whose content begins at `at`; without one the end of
  /// the block, for elements that CommonMark reads up to their end tag.
  std::size_t end_of_element(std::size_t at, const std::string& name) {
    static const text::WordSet to_the_end = text::word_set("pre script style textarea");
    const std::size_t found = unclosed_.contains(name) ? html_.npos : small_.find("</" + name, at);
    const std::size_t end = found == html_.npos ? html_.npos : html_.find('>', found);
    if (end != html_.npos) return end + 1;
    unclosed_.insert(name);
    return to_the_end.contains(name) ? html_.size() : at;
  }

  const std::vector<ByteRange>& lines_;
  PassageTokens tokens_;
  std::string html_, small_;         // the lines, and in small letters
  std::vector<std::size_t> starts_;  // of each line in html_
  std::size_t after_tags_ = 0;       // after it no tag has an end
  std::set<std::string> unclosed_;   // names of elements that have no end tag in the rest
};

}  // namespace

void add_html(const CommonMarkdown& markdown, const std::vector<ByteRange>& lines, Passages& out) {
  HtmlLines(markdown, lines, out).read();
}

}  // namespace heed::document
