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

/// The text of a segment's translation with as many line breaks as the segment, each at the blank
/// that is nearest to the same share of its length. The bytes of its `inlays`, in order, are not
/// broken.
std::string with_breaks(const Segment& segment, const std::string& text,
                        const std::vector<ByteRange>& inlays);

}  // namespace heed::document
