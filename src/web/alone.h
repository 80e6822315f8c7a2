// A model that answers inside a page without a server. It gives the answers of heed serve to POST
// /attention, /steps and /candidates (docs/serving.md), by an engine with int8 weights.
#pragma once

#include <string>
#include <string_view>

#include "decode/search/engine_translator.h"
#include "engine/weights.h"
#include "model/description/config.h"
#include "serve/answers/answers.h"
#include "text/vocabulary.h"
#include "web/settings.h"

namespace heed::web {

class Alone {
 public:
  Alone(const Settings& settings, const engine::Weights& weights, const text::Vocabulary& source,
        const text::Vocabulary& target);

  /// `question`: {"path": "attention", "steps" or "candidates", "q", "prefix", "count"}, as JSON.
  /// Returns the answer of heed serve. Throws UserError where the prefix is longer than the model
  /// can take.
  std::string answer(std::string_view question);

 private:
  serve::ShownModel shown_;
  model::ModelConfig model_;
  decode::EngineTranslator translator_;
};

}  // namespace heed::web
