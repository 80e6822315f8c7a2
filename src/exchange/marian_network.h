// A Transformer of heed as one of Marian, which Firefox's engine has, too: its tensors by Marian's
// names, and its options.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "decode/search/config.h"
#include "engine/weights.h"
#include "model/description/config.h"
#include "text/vocabulary.h"

namespace heed::exchange {

/// A model to be written for another program.
struct OwnModel {
  const model::ModelConfig& model;
  decode::DecodeConfig decoding;
  const engine::Weights& weights;
  const text::Vocabulary &source, &target;
};

/// The feature that such a model needs and a Transformer of Marian lacks, as the end of a sentence
/// that names the key; empty where Marian computes the same.
std::string missing_in_marian(const model::ModelConfig& config);
/// The same of the engines of Bergamot and Firefox, in numbers of 8 bits.
std::string missing_in_bergamot(const model::ModelConfig& config);

/// The option of a search that Marian's search lacks, as the end of a sentence with its cure; empty
/// where Marian searches so.
std::string search_missing_in_marian(const decode::DecodeConfig& config);
/// The same of Firefox, whose search no file changes.
std::string search_missing_in_bergamot(const decode::DecodeConfig& config);

/// The rows of word vectors in Marian's order: for each heed's id, or -1 for one that fills a
/// vocabulary up. </s> and <unk> come first, as in vocabularies that Marian makes, and <pad> and
/// <s> are left out where no translation has them.
std::vector<int32_t> marian_rows(const engine::Weights& weights, int64_t pieces, int64_t multiple);

struct MarianNetwork {
  std::map<std::string, engine::Array> tensors;  // matrices [inner, columns], vectors [1, columns]
  std::string options;                           // special:model.yml
  std::vector<int32_t> source, target;           // marian_rows()
};

/// The network. The number of its pieces is a multiple of `multiple`. Throws UserError that begins
/// with `place` where the decoder begins with a vector that is not zero, or positions are not those
/// of Marian. Throws Bug for a model that has something missing_in_marian().
MarianNetwork marian_network(const OwnModel& own, int64_t multiple, const std::string& place);

}  // namespace heed::exchange
