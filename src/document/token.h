// The tokens of a document: its text, and what stands in the text that is not text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace heed::document {

/// Bytes [from, to) of a text.
struct ByteRange {
  std::size_t from = 0, to = 0;

  bool is_empty() const { return from == to; }
};

struct Token {
  enum class Syntax {
    text,        // characters of the text, or what stands for them: a reference, an escape
    line_break,  // the end of a line inside a sentence, with blanks and markers around it
    opening,     // a tag of an element inside a sentence, or marks of emphasis
    closing,
    whole,  // a void or empty element, a comment, code, an element that is not to be translated, or
            // a reference without a meaning here
    block,  // a tag of HTML, or an element not to be translated, that ends a sentence
  };

  std::size_t from = 0, to = 0;  // bytes of the text that is read
  Syntax syntax = Syntax::text;
  /// The characters that a text stands for; empty: its bytes are the characters. Of a line break:
  /// what is written for it in another place; empty: its bytes. Of a whole token: the symbols that
  /// it is, which the splitter of sentences sees; empty: it sees `mask`.
  std::string text = {};
  /// What a translation has in its place, where that differs from its bytes: `][name]` for the `]`
  /// of a link whose text is the name of its address. It belongs to the segment beside it.
  std::string written = {};
  /// What opens and closes has the same name, "br" of "<BR/>"; an element that is whole has none.
  std::string name = {};
  /// The letter that the splitter of sentences sees in place of what is no text.
  char mask = kWord;
  bool is_link = false;         // of a link or an image, whose text may stand for itself
  bool needs_words = false;     // marks of emphasis: around nothing they would mean something else
  bool divides = false;         // a line break with words on both sides in any translation
  bool stays = false;           // a kept item that stays in the text (text::KeptItem)
  bool is_placeholder = false;  // whole, and a word of its sentence whatever its bytes are: `{}`
  bool in_order = false;        // a placeholder that keeps its order: "%s of %d"
  /// So many of the elements around a line break, the innermost, end before it and begin again
  /// after it, where it stands in a translation, too. Its `text` has no tags.
  std::size_t ended_elements = 0;
  static constexpr std::size_t kAllElements = -1;

  /// An opening bracket, as for the `[` before the text of a link; a closing one for the
  /// `](address)` after it; a letter for code, which is a word of the sentence.
  static constexpr char kOpens = '(', kCloses = ')', kWord = 'Q';

  std::size_t bytes() const { return to - from; }
  /// Whether its bytes are its characters.
  bool is_plain() const { return syntax == Syntax::text && text.empty(); }
  /// Whether its bytes are a backslash and the character that it stands for.
  bool is_escape(std::string_view of_token) const {
    return syntax == Syntax::text && of_token.size() == 2 && of_token[0] == '\\' &&
           of_token.substr(1) == text;
  }
};

}  // namespace heed::document
