// Documents that are read line by line: their lines, the markers that lines begin with, and
// passages of several lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "document/passage.h"
#include "document/token.h"

namespace heed::document {

/// The lines of a paragraph, a cell of a table or the like, whose text is read as a whole. They are
/// without their line ends, indentation and markers.
using LinesOfText = std::vector<ByteRange>;

/// The lines of a document, and the text that was found in them so far.
class LineByLine {
 public:
  explicit LineByLine(std::string_view bytes);

  std::size_t count() const { return lines_.size(); }
  /// Line `i` without its line end; blank after the last line.
  std::string_view line(std::size_t i) const;
  bool has_text() const { return !now_.empty(); }
  /// Adds bytes [from, to) of line `i` to the text that is read as a whole.
  void add(std::size_t i, std::size_t from, std::size_t to) {
    now_.push_back({lines_[i].from + from, lines_[i].from + to});
  }
  /// Ends this text: the lines that follow are another one.
  void end();
  /// All texts.
  std::vector<LinesOfText> result();

 private:
  std::string_view bytes_;
  std::vector<ByteRange> lines_;
  std::vector<LinesOfText> all_;
  LinesOfText now_;
};

/// The markers and blanks that a line begins with.
struct LinePrefix {
  std::size_t bytes = 0;   // length of the prefix
  std::size_t indent = 0;  // columns of the blanks at its beginning
  int64_t quotes = 0;      // >
  bool is_item = false, is_heading = false;
};

/// Bullets that are the letter `o`, as word processors write lists of the second level to text. A
/// paragraph that begins with one and a capital has one in each line that begins so: a sentence
/// would begin with a capital `O`.
class LetterBullets {
 public:
  /// Bytes of the blanks, the bullet and the blanks with which a line begins, or 0. All lines are
  /// asked for in order.
  std::size_t bytes_of(std::string_view line);

 private:
  bool is_first_ = true;  // the next line begins a paragraph
  bool is_list_ = false;  // the last paragraph is such a list
};

/// The prefix of a line. `goes_on`: the line before is text, which only a numbered list that begins
/// with 1 interrupts.
LinePrefix prefix_of(std::string_view line, bool goes_on);

/// How many bytes the blanks, quote marks and markers of lists and headings take with which a line
/// in the middle of a paragraph begins.
std::size_t marker_bytes(std::string_view line);

/// The numbered items in the lines of a cell or a string, whose numbers stay.
class ListNumbers {
 public:
  explicit ListNumbers(bool has_lines) : has_lines_(has_lines) {}

  /// Bytes of the number with its mark and the blanks around them, or 0. All lines are asked for in
  /// order. "3) " is one; "1. " and the next after it are, where there are several lines: "3. Mai"
  /// alone may be a date.
  std::size_t bytes_of(std::string_view line);

 private:
  bool has_lines_;
  int64_t last_ = 0;
};

/// The tokens of a text that are no plain text, in order.
using FindTokens = std::vector<Token> (*)(std::string_view text);

/// The passages with these lines. `find` gets the lines of each, without blanks at their ends, as
/// one line; `has_markers` as in Writing.
Passages passages_of(std::string_view bytes, const std::vector<LinesOfText>& texts, FindTokens find,
                     bool has_markers);

}  // namespace heed::document
