// Text whose characters a document writes with escapes or in several strings, cut into tokens.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "document/token.h"

namespace heed::document {

/// What the line feeds of a text are.
enum class LineFeeds {
  layout,  // where a line of the file happens to end: the next may be indented
  text,    // characters of the text: a line that is indented, or an item of a list, stands alone
};

/// A text that is read piece by piece. Tags that are written with escapes (`&lt;b&gt;` in XML,
/// `<a href=\"x\">` in PO) are tags.
class EscapedText {
 public:
  /// Bytes of the placeholder that begins at `at`; 0: none does.
  using FindItem = std::size_t (*)(std::string_view text, std::size_t at);

  /// What of a text is no plain text: tokens in order, whose bytes are those of the text.
  using FindMarkup = std::vector<Token> (*)(std::string_view text);

  explicit EscapedText(std::string_view document, LineFeeds line_feeds, FindItem item = nullptr,
                       FindMarkup markup = nullptr)
      : document_(document), line_feeds_(line_feeds), item_(item), markup_(markup) {}

  /// Adds bytes of the document that are their characters.
  void add(ByteRange bytes);
  /// Adds a character, for which these bytes stand.
  void add(std::string_view character, ByteRange bytes);
  /// Adds the bytes up to `to`, which stand for nothing: one string ends, and the next begins.
  void wrap(std::size_t to);

  /// Adds the tokens to `out`, and forgets the text.
  void move_to(std::vector<Token>& out);

 private:
  struct Byte {
    ByteRange bytes;  // of the document, for the whole character
    bool is_wrapped = false;
  };

  bool is_plain(std::size_t at) const;
  bool begins_line(std::size_t at) const;
  std::size_t blanks_at(std::size_t at) const;
  Token token_of_blanks(std::size_t at, std::size_t end) const;
  Token token_of_character(std::size_t at, std::size_t end) const;
  Token tag_at(std::size_t at);

  std::string_view document_;
  LineFeeds line_feeds_;
  FindItem item_;
  FindMarkup markup_;
  std::string text_;
  std::vector<Byte> bytes_;  // by byte of text_
  bool has_tags_ = true;     // after the place that is being read
};

}  // namespace heed::document
