// Which lines of a plain text are no text: code, and tables that are drawn with characters.
#pragma once

#include <string_view>
#include <vector>

#include "document/lines_of_text.h"
#include "document/token.h"

namespace heed::document {

/// What of a line is text.
struct PlainLine {
  bool stays = false;                 // it is code or drawn
  std::vector<ByteRange> parts = {};  // of a line that stays: sentences in cells, a title
  /// What is text of a line in a frame, "| text |", and goes on in the next line. Empty: the whole
  /// line.
  ByteRange framed = {};
};

/// By line. These stay:
/// - what is typed after a prompt ("$ ls", ">>> f(x)", "C:\> dir", "me@host:~$ ls") and goes on
///   after a backslash or "...";
/// - "Traceback (most recent call last):" with the lines indented after it and the error, and
///   "at f(F.java:1)" of Java;
/// - lines that are indented by four columns or more, in a run between blank lines, or after a
///   colon, of which at least half have signs of code; not those that read as text, which have four
///   words of letters in a row, or four and a stop at the end;
/// - lines of `-`, `=`, `+`, `|` and the like or of box characters, without a letter or digit, and
///   rows beside them whose cells are divided by bars. A cell with a sentence is text;
/// - the ornaments at both ends of a title: "== The garden ==";
/// - fields of robots.txt, "Disallow: /a".
std::vector<PlainLine> plain_lines(const LineByLine& lines);

/// Whether a line, without blanks around it, has signs of code and does not read as text.
bool is_line_of_code(std::string_view line);
/// Whether such a line reads as text.
bool is_line_of_prose(std::string_view line);

}  // namespace heed::document
