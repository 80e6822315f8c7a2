// Cuts a page or a line with markup into segments to translate and the rest around them.
#pragma once

#include <string_view>

#include "document/markup_tokens.h"
#include "document/segment.h"
#include "text/kept.h"

namespace heed::document {

/// Segments are cut at the tags of HTML's blocks, and at line feeds in `pre` and `textarea`. A
/// segment without a letter or a digit stays as it is, and so do blanks around segments. A line
/// without markup and without kept items is one segment, as it stands.
SegmentedText read_markup(std::string_view page, MarkupKind kind = MarkupKind::html,
                          text::KeepOptions kept = {});

}  // namespace heed::document
