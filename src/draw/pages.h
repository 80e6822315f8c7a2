// The pages of `heed attention`, `heed faithful`, `heed watch` and `heed serve`.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "study/attention_matrix.h"
#include "study/decoding_steps.h"
#include "study/faithful.h"

namespace heed::draw {

/// One HTML page, complete but for the numbers: it asks its server for `snapshot.json` every other
/// second, and for `validation.json?run=ID&update=N` where a validation is looked at. Runs with
/// their state, learning curves, and for each validation its samples and the attention of one
/// sentence.
std::string watch_page();

/// One HTML file without outside parts. `model` is its name; `notes` say how the numbers were made.
std::string faithful_page(const study::FaithfulReport& report, const std::string& model,
                          const std::vector<std::string>& notes);

/// One HTML page, complete in itself, on which a token lights those it attends to. For any number
/// of matrices: choosers for sentence, model, kind, layer, head, and pieces or words where a
/// sentence has both (the first one is shown first), the two token lines, the matrix and another
/// beside it, lines between the tokens, and all heads of a kind at a glance. A temperature sharpens
/// or flattens the weights on show, which is what it would do to scores where each row is a softmax
/// of them; the page says where it is not. What is on show can be saved as SVG and CSV. Works from
/// a file, without a network; by pointer, touch and keyboard; in light and dark.
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

/// One HTML page, complete in itself: the decoding steps of sentences, one after the other, each as
/// the formula that its numbers come from, computed once more on the page; a temperature; and what
/// every step sees. Behind the sentences, or alone, examples from the literature in literal numbers
/// (page/step_examples.js).
std::string step_page(const std::vector<study::DecodingSteps>& sentences, const std::string& title);

struct PlayedModel {
  std::string name;
  std::string source, target;              // names of its languages
  std::vector<std::string> examples = {};  // sentences to begin with; those of the first are shown
  /// Where the page is its own server: the bytes that page/play_alone.js has under these names.
  std::map<std::string, std::string> files = {};
};

/// The models side by side; a frame below each is live_attention_page(). The page asks the server
/// that it comes from: POST attention and POST candidates (docs/serving.md). With `program`, the
/// bytes of heed.wasm, it asks that.
std::string play_page(std::span<const PlayedModel> models, const std::string& program = "");

}  // namespace heed::draw
