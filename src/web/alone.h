// A model that answers by itself, in a page without a server: what POST /attention and POST
// /candidates of heed serve answer (docs/serving.md), by an engine with int8 weights.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "decode/search/engine_translator.h"
#include "engine/network.h"
#include "study/attention_matrix.h"
#include "text/vocabulary.h"
#include "web/settings.h"

namespace heed::web {

class Alone {
 public:
  Alone(const Settings& settings, const engine::Weights& weights, const text::Vocabulary& source,
        const text::Vocabulary& target);

  /// `question`: {"path": "attention" or "candidates", "q", "prefix", "count"}, as JSON. Returns
  /// that of heed serve. Throws UserError where the prefix is longer than the model can take.
  std::string answer(std::string_view question);

 private:
  std::vector<int32_t> source_pieces(const std::string& line) const;
  serve::Json attention(const std::string& line, const std::string& prefix);
  study::AttendedSentence attended(const std::string& line, const std::vector<int32_t>& target);
  serve::Json candidates(const std::string& line, const std::string& prefix, int64_t count);

  Settings settings_;
  text::Vocabulary source_, target_;
  std::shared_ptr<const engine::Network> network_;
  decode::EngineTranslator translator_;
};

}  // namespace heed::web
