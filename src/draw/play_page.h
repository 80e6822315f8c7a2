// The page of `heed serve`: one types, and sees the translation and its attention.
#pragma once

#include <span>
#include <string>

namespace heed::draw {

struct PlayedModel {
  std::string name;
  std::string source, target;  // names of its languages
};

/// The models side by side. The page asks the server that it comes from: POST attention and POST
/// candidates (docs/serving.md); a frame in it is live_attention_page(), at "attention".
std::string play_page(std::span<const PlayedModel> models);

}  // namespace heed::draw
