// A page as gumbo reads it.
#pragma once

#include <gumbo.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "document/token.h"

namespace heed::document {

/// Whether HTML, SVG or MathML has an element with this name, in small letters.
bool is_element_of_html(std::string_view name);

/// A page read by gumbo. Time and memory are linear in the page, and the stack is bounded.
///
/// Gumbo itself looks through all open elements at each tag, and copies formatting elements (`b`,
/// `font`) that were left open into each block that follows. So it is not shown
/// - tags of elements that are deeper than browsers nest them,
/// - tags of formatting elements, where they would be copied too often,
/// - attributes of a tag after Tag::kMostAttributes,
/// - empty elements of XHTML, such as `<title/>`, which are no elements of HTML.
/// Blanks stand in their places, so that positions are those of the page.
class GumboPage {
 public:
  explicit GumboPage(std::string_view page);
  GumboPage& operator=(GumboPage&&) = delete;

  const GumboNode& document() const { return *output_->document; }

  /// The bytes of the page that this text of gumbo's has; {} where the page has none.
  ByteRange bytes_of(const GumboStringPiece& piece) const;

 private:
  static void* allocate(void* page, std::size_t bytes);

  std::string_view shown_;
  std::string copy_;  // where shown_ is not the page
  // All of gumbo's memory, because its own way to free a tree is recursive.
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t left_ = 0;  // bytes of the last block
  const GumboOutput* output_ = nullptr;
};

}  // namespace heed::document
