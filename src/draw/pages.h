// The pages of `heed attention`, `heed faithful`, `heed bottleneck`, `heed watch` and `heed serve`.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "study/attention_matrix.h"
#include "study/decoding_steps.h"
#include "study/faithful.h"

namespace heed::draw {

struct Report;

struct PlayedModel {
  std::string name;
  std::string source, target;              // names of its languages
  std::vector<std::string> examples = {};  // sentences to begin with; those of the first are shown
  /// If the page is its own server: the bytes that page/play_alone.js has under these names.
  std::map<std::string, std::string> files = {};
};

// The functions of the table: each returns a page.
#define HEED_PAGE(name, style, heading, arguments) std::string name##_page arguments;
#include "draw/pages.def"
#undef HEED_PAGE

/// attention_page() with nothing on it yet, for a frame inside another page. That calls its
/// function show() with sentences as attention_json has them, or whose views have tokens and
/// weights already (page/play.js).
std::string live_attention_page(const std::string& title);

/// Returns the data of the page: JSON that may stand inside a <script> element, for no `<` is left
/// in it.
///   [{"id": line, "lines": [[token, ...], ...], "views": [view, ...], "weights": compressed}, ...]
///   view: {"model", "kind", "layer", "head" (-1: mean), "unit" ("pieces" or "words"), "softmax"
///   (AttentionMatrix's), "target", "source" (indices into lines)}
///   compressed: base64 of a zlib stream of the views' weights one after the other, row by row,
///   each in ten-thousandths: below 128 one byte, else its low seven bits + 128 and then the rest
std::string attention_json(std::span<const study::AttentionMatrix> matrices);

}  // namespace heed::draw
