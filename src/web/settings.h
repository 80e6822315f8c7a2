// What a page without a server knows of a model besides its weights and vocabularies: as text, for
// it has no YAML.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "decode/search/config.h"
#include "model/description/config.h"
#include "serve/answers/answers.h"

namespace heed::web {

struct Settings {
  serve::ShownModel shown;
  model::ModelConfig model;
  decode::DecodeConfig decoding;
  std::vector<std::string> before_source = {}, before_target = {};  // text::Vocabulary::beginning()
  bool source_end = true;                                           // has_end()
};

/// JSON for settings_from() of the same version of heed.
std::string text_of(Settings settings);
Settings settings_from(std::string_view text);

}  // namespace heed::web
