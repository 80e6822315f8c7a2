#include "document/escaped_text.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "document/lines_of_text.h"
#include "document/markup_tokens.h"
#include "text/utf8.h"

namespace heed::document {

void EscapedText::add(ByteRange bytes) {
  text_ += document_.substr(bytes.from, bytes.to - bytes.from);
  for (std::size_t i = bytes.from; i < bytes.to; ++i) bytes_.push_back({{i, i + 1}});
}

void EscapedText::add(std::string_view character, ByteRange bytes) {
  text_ += character;
  bytes_.insert(bytes_.end(), character.size(), {bytes});
}

void EscapedText::wrap(std::size_t to) {
  if (text_.empty()) return;
  std::size_t first = text_.size() - 1;
  while (first > 0 && (static_cast<unsigned char>(text_[first]) & 0xC0) == 0x80) --first;
  const Byte all{{bytes_[first].bytes.from, to}, true};
  std::fill(bytes_.begin() + static_cast<std::ptrdiff_t>(first), bytes_.end(), all);
}

void EscapedText::move_to(std::vector<Token>& out) {
  has_tags_ = true;
  const std::size_t size = out.size();
  const std::vector<Token> markup = markup_ ? markup_(text_) : std::vector<Token>();
  auto mark = markup.begin();
  const bool has_items = line_feeds_ == LineFeeds::text;
  ListNumbers numbers(trim(text_).find('\n') != text_.npos);
  for (std::size_t at = 0; at < text_.size();) {
    std::size_t end = at + text::code_point_at(text_, at).bytes;
    Token token;
    while (mark != markup.end() && mark->from < at) ++mark;
    if (mark != markup.end() && mark->from == at) {
      token = *mark++;
      end = token.to;
    } else if (const std::size_t number = has_items && begins_line(at)
                                              ? numbers.bytes_of(std::string_view(text_).substr(at))
                                              : 0;
               number > 0) {
      end = at + number;
      token.syntax = Token::Syntax::block;
    } else if (const std::size_t blanks = blanks_at(at); blanks > at) {
      end = blanks;
      token = token_of_blanks(at, end);
    } else if (const std::size_t item = item_ && is_plain(at) ? item_(text_, at) : 0; item > 0) {
      end = at + item;
      token.syntax = Token::Syntax::whole;
      token.is_placeholder = true;
    } else {
      if (text_[at] == '<' && has_tags_) token = tag_at(at);
      if (token.to > 0)
        end = token.to;
      else
        token = token_of_character(at, end);
    }
    token.from = bytes_[at].bytes.from;
    token.to = bytes_[end - 1].bytes.to;
    if (token.is_plain() && out.size() > size && out.back().is_plain())
      out.back().to = token.to;
    else
      out.push_back(std::move(token));
    at = end;
  }
  text_.clear();
  bytes_.clear();
}

/// Whether the byte stands for itself in the document.
bool EscapedText::is_plain(std::size_t at) const {
  const ByteRange& bytes = bytes_[at].bytes;
  return bytes.to == bytes.from + 1 && document_[bytes.from] == text_[at];
}

bool EscapedText::begins_line(std::size_t at) const {
  const std::size_t last = at == 0 ? text_.npos : text_.find_last_not_of(" \t", at - 1);
  return last == text_.npos || text_[last] == '\n';
}

/// The end of the blanks that begin at `at`, if the end of a line or of a string is in them; else
/// `at`.
std::size_t EscapedText::blanks_at(std::size_t at) const {
  constexpr std::string_view kBlanks = " \t\r\n";
  if (at > 0 && is_one_of(text_[at - 1], kBlanks)) return at;  // they were looked at
  const std::size_t end = after_run(text_, kBlanks, at);
  for (std::size_t i = at; i < end; ++i)
    if (text_[i] == '\n' || text_[i] == '\r' || bytes_[i].is_wrapped) return end;
  return at;
}

Token EscapedText::token_of_blanks(std::size_t at, std::size_t end) const {
  const std::string_view blanks = std::string_view(text_).substr(at, end - at);
  const std::size_t last = blanks.find_last_of("\r\n");
  if (last == blanks.npos) return {.syntax = Token::Syntax::line_break};
  const auto count = std::ranges::count(blanks, '\n');
  const auto is_written_with = [&](char sign) {
    return std::any_of(bytes_.begin() + static_cast<std::ptrdiff_t>(at),
                       bytes_.begin() + static_cast<std::ptrdiff_t>(end),
                       [&](const Byte& byte) { return document_[byte.bytes.from] == sign; });
  };
  const bool is_layout = line_feeds_ == LineFeeds::layout;
  const bool is_reference = is_layout && is_written_with('&');
  const bool is_alone = (!is_layout && last + 1 < blanks.size()) ||
                        ((!is_layout || is_written_with('\\')) &&
                         marker_bytes(std::string_view(text_).substr(end, 80)) > 0);
  return {.syntax = count > 1 || is_alone || is_reference ? Token::Syntax::block
                                                          : Token::Syntax::line_break};
}

Token EscapedText::token_of_character(std::size_t at, std::size_t end) const {
  const bool is_control = static_cast<unsigned char>(text_[at]) < ' ' && !is_plain(at);
  if (is_control) return {.syntax = Token::Syntax::block};
  const ByteRange bytes{bytes_[at].bytes.from, bytes_[end - 1].bytes.to};
  const std::string_view shown = std::string_view(text_).substr(at, end - at);
  if (document_.substr(bytes.from, bytes.to - bytes.from) == shown) return {};
  return {.text = std::string(shown)};
}

/// The tag at `at`, with positions in text_; without bytes where there is none.
Token EscapedText::tag_at(std::size_t at) {
  Token token = token_at(text_, at, MarkupKind::html);
  if (token.syntax == Token::Syntax::text) return {};
  if (text_[token.to - 1] == '>') return token;
  has_tags_ = false;  // a tag without an end is none, nor is what follows
  return {};
}

}  // namespace heed::document
