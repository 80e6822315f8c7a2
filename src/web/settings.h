// The settings of a model that a page without a server needs besides weights and vocabularies.
// Their text is JSON, because the page has no reader of YAML.
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
  bool source_end = true;                                           // text::Vocabulary::has_end()
  bool pieces = false;  // text::Vocabulary::has_pieces_as_words()
};

/// The settings as JSON, which settings_from() of the same version of heed reads.
std::string text_of(Settings settings);
Settings settings_from(std::string_view text);

}  // namespace heed::web
