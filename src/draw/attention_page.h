// One HTML page, complete in itself, on which a token lights those it attends to.
#pragma once

#include <span>
#include <string>

#include "study/attention_matrix.h"

namespace heed::draw {

/// The page for any number of matrices: choosers for sentence, model, kind, layer, head, and pieces
/// or words where a sentence has both (the first one is shown first), the two token lines, the
/// matrix and another beside it, lines between the tokens, and all heads of a kind at a glance. A
/// temperature sharpens or flattens the weights on show, which is what it would do to scores where
/// each row is a softmax of them; the page says where it is not. What is on show can be saved as
/// SVG and CSV. Works from a file, without a network; by pointer, touch and keyboard; in light and
/// dark.
///
/// Weights are kept to four decimals, compressed as attention_json says: less than 2 bytes a
/// weight, fewer the sharper the attention, so that 300 sentences of 25 words with 8 heads are a
/// page of 1 to 3 MB. A sentence is unpacked when it is chosen. Throws UserError where there is no
/// matrix.
std::string attention_page(std::span<const study::AttentionMatrix> matrices,
                           const std::string& title);

/// The same page with nothing on it yet, for a frame inside another page. That calls its function
/// show() with sentences as attention_json has them, or whose views have tokens and weights already
/// (page/play.js).
std::string live_attention_page(const std::string& title);

/// What the page reads: JSON that may stand inside a <script> element, for no `<` is left in it.
///   [{"id": line, "lines": [[token, ...], ...], "views": [view, ...], "weights": compressed}, ...]
///   view: {"model", "kind", "layer", "head" (-1: mean), "unit" ("pieces" or "words"), "softmax"
///   (AttentionMatrix's), "target", "source" (indices into lines)}
///   compressed: base64 of a zlib stream of the views' weights one after the other, row by row,
///   each in ten-thousandths: below 128 one byte, else its low seven bits + 128 and then the rest
std::string attention_json(std::span<const study::AttentionMatrix> matrices);

}  // namespace heed::draw
