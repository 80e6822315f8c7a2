// Puts line breaks into the translation of a segment that stood on several lines.
#pragma once

#include <string>
#include <vector>

#include "document/segment.h"
#include "document/token.h"

namespace heed::document {

/// Whether no blank belongs between these characters where lines are joined: both are letters of
/// scripts without blanks.
bool has_no_blank_between(char32_t before, char32_t after);

/// An element around words of a translation, with its tags.
struct WrittenElement {
  ByteRange bytes;  // of the translation
  std::string before, after;
};

/// The text of a segment's translation with as many line breaks as the segment, each at the blank
/// that is nearest to the same share of its length. The bytes of its `inlays`, in order, are not
/// broken. Where it has fewer blanks than the segment has breaks, lines are joined, but not where a
/// break divides (Token::divides): there the text before it stands after it, too, if no word is
/// left for it. Of the `elements`, in the order of their beginnings, those that a break ends
/// (Token::ended_elements) end before it, and begin again after it.
std::string with_breaks(const Segment& segment, const std::string& text,
                        const std::vector<ByteRange>& inlays,
                        const std::vector<WrittenElement>& elements);

}  // namespace heed::document
