// The pages of `heed bench`, `heed faithful` and `heed watch`.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "study/faithful.h"
#include "text/table.h"

namespace heed::draw {

/// One experiment of a page.
struct Experiment {
  std::string name;                   // heading
  text::Table table;                  // may be empty
  std::vector<std::string> pictures;  // SVG documents
};

/// One HTML file without outside parts: experiments one below the other, with a list of them.
std::string experiments_page(const std::string& title, const std::vector<Experiment>& experiments);

/// One HTML page, complete but for the numbers: it asks its server for `snapshot.json` every other
/// second, and for `validation.json?run=ID&update=N` where a validation is looked at. Runs with
/// their state, learning curves, and for each validation its samples and the attention of one
/// sentence.
std::string watch_page();

/// One HTML file without outside parts. `model` is its name; `notes` say how the numbers were made.
std::string faithful_page(const study::FaithfulReport& report, const std::string& model,
                          const std::vector<std::string>& notes);

struct PlayedModel {
  std::string name;
  std::string source, target;  // names of its languages
  /// Where the page is its own server: the bytes that page/play_alone.js has under these names.
  std::map<std::string, std::string> files = {};
};

/// The models side by side; a frame below each is live_attention_page(). The page asks the server
/// that it comes from: POST attention and POST candidates (docs/serving.md). With `program`, the
/// bytes of heed.wasm, it asks that.
std::string play_page(std::span<const PlayedModel> models, const std::string& program = "");

}  // namespace heed::draw
