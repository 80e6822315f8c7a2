// Finds the lines of Markdown that are code, by the blocks of CommonMark.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace heed::document {

/// Goes through a document line by line, as CommonMark 0.31.2 does (appendix, "Phase 1: block
/// structure"): quotations and items of lists are open one in the other, and a block inside them
/// counts its indentation from theirs, and ends with them at the latest.
class MarkdownBlocks {
 public:
  struct Line {
    bool is_kept = false;  // code, a fence, or HTML that shows no text, such as a comment
    std::size_t text = 0;  // where HTML ends in the line: the byte after it; else the line's size
  };
  /// Reads the next line of the document, without its line end, and says what it is.
  Line next(std::string_view line);
  /// Ends the paragraph that may be open, because the caller has read something else, such as a
  /// table, before the next line.
  void end_paragraph() { leaf_ = Leaf::none; }

 private:
  enum class Leaf { none, paragraph, fence, html };
  struct Container {
    std::size_t columns = 0;  // columns before the text of an item; 0: a quotation
    bool is_empty = true;     // no block has begun in it
  };
  class Cursor;

  static bool goes_on(const Container& container, Cursor& at);
  static std::optional<Container> container_at(Cursor& at, bool interrupts);
  bool begins_fence(const Cursor& at);
  bool ends_fence(const Cursor& at) const;
  bool begins_html(const Cursor& at, bool may_be_any_tag);
  Line html_line(const Cursor& at);
  void begin(Leaf leaf);

  std::vector<Container> open_;
  Leaf leaf_ = Leaf::none;
  char fence_mark_ = '`';
  std::size_t fence_bytes_ = 0;
  std::vector<std::string_view> html_ends_;  // ends of it in small letters; none: a blank line
  bool html_is_text_ = false;
};

}  // namespace heed::document
