// The page of `heed serve`, and of a file that needs no server: one types, and sees the translation
// and its attention.
#pragma once

#include <map>
#include <span>
#include <string>

namespace heed::draw {

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
