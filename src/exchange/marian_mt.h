// Transformers as MarianMT, the architecture of Hugging Face's transformers that OPUS-MT has.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "decode/search/config.h"
#include "engine/weights.h"
#include "model/description/config.h"
#include "text/vocabulary.h"

namespace heed::exchange {

/// The feature that such a model needs and MarianMT lacks, as the end of a sentence that names the
/// key; empty where the model can be a MarianMT.
std::string missing_in_marian_mt(const model::ModelConfig& config);

/// How many pieces, with eos, an exported model can take: MarianMT reads positions from a table.
inline constexpr int64_t kMarianPositions = 1024;

/// All files that write_marian_mt() may write.
inline constexpr std::array<const char*, 8> kMarianFiles = {
    "config.json", "generation_config.json", "model.safetensors", "source.spm", "target.spm",
    "vocab.json",  "tokenizer_config.json",  "target_vocab.json"};

struct MarianParts {
  const model::ModelConfig& model;
  const decode::DecodeConfig& decoding;
  const engine::Weights& weights;
  const text::Vocabulary &source, &target;
  std::string source_language = {}, target_language = {};  // codes; empty: unknown
};

/// Writes the files that MarianMTModel and MarianTokenizer load. Pieces keep their ids, and the
/// decoder begins with bos, as heed's does. Throws Failure where one cannot be written, Bug for a
/// model that cannot be a MarianMT.
void write_marian_mt(const MarianParts& parts, const std::string& folder);

}  // namespace heed::exchange
