// Puts inlays - inline tags, emphasis, code, comments and kept items - into the translation of
// their segment, at the places that attention shows.
#pragma once

#include <string>

#include "document/segment.h"
#include "document/weights.h"

namespace heed::document {

/// The translation of a segment with its inlays, each once, written as Segment::writing says.
/// - An element is around the run of words whose attention is mostly to words inside it, within the
///   run of the element around it. Runs of neighbours have no word in common.
///   Links of a document and marks of emphasis that mostly belong to no word are around the one
///   that belongs to them most.
/// - An item with a stand-in stands where this is in the translation.
/// - Any other inlay, and an element that no word attends to, follows the word that attends most to
///   the word before it; or precedes the word that attends most to the word after it, if it belongs
///   to that one. At an end of its element, or of the segment, it stays there. Marks of emphasis
///   are left out where the words of the translation are all emphasised, or none is left.
/// - Tags whose elements are not whole in the segment keep their order.
/// - A blank directly inside a tag of a document is there again where the translation has one.
/// Well-formed markup stays well-formed. A translation that equals the text gives the bytes of the
/// source. One of a segment that stood on several lines has as many (with_breaks()).
std::string with_inlays(const Segment& segment, const std::string& translation,
                        const WordWeights& weights);

}  // namespace heed::document
