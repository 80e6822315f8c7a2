// What stands in a segment beside its text, put into the segment's translation. Torch-free.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "text/markup.h"
#include "text/markup_tokens.h"

namespace heed::text {

/// [words of the translation, words of the segment], as words_in() finds them. Of a segment that
/// was cut before it was translated there may be fewer columns.
struct WordWeights {
  std::size_t columns = 0;
  std::vector<double> values;
};

/// Each word of a translation attends to those at its share of the sentence.
WordWeights diagonal_weights(std::size_t rows, std::size_t columns);

/// The translation of a segment with its inlays, each once, as markup of this kind.
/// - An element is around the run of words whose attention is mostly to words inside it, within the
///   run of the element around it. Runs of neighbours have no word in common.
/// - Any other inlay, and an element that no word attends to, follows the word that attends most to
///   the word before it; or precedes the word that attends most to the word behind it, if it
///   belongs to that. At an end of its element, or of the segment, it stays there.
/// - Tags whose elements are not whole in the segment keep their order.
/// Well-formed markup stays well-formed.
std::string with_inlays(const Segment& segment, MarkupKind kind, const std::string& translation,
                        const WordWeights& weights);

}  // namespace heed::text
