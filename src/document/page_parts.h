// The parts of a page of HTML: which text is seen, and in which elements it is.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "document/format.h"
#include "document/token.h"

namespace heed::document {

/// How what is in an element is read.
struct HtmlReading {
  bool stays = false;
  bool keeps_lines = false;  // of pre: each line and each column is read by itself
  bool is_foreign = false;   // of SVG or MathML
  bool has_tags = true;
  bool is_other_language = false;  // it stays for that
};

/// What gumbo says of some bytes of a page.
struct HtmlPart {
  enum class PartKind { text, tag, comment };

  std::size_t from = 0, to = 0;
  PartKind kind = PartKind::text;
  HtmlReading reading = {};
  HtmlReading after = {};            // of what follows
  std::vector<ByteRange> also = {};  // values of attributes that are translated
};

/// The parts of a page, as gumbo reads it, in the order of their places. What is in an element
/// whose `lang` is another language than the source and the page's stays.
std::vector<HtmlPart> parts_of_page(std::string_view page, const ReadOptions& options);

}  // namespace heed::document
