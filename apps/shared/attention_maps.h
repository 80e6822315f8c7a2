// Between what the room decode measures and what study and draw read.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "decode/explain.h"
#include "decode/forced.h"
#include "model/config.h"
#include "study/attention_matrix.h"

namespace heed {

/// `sentence` is the line of the input, from 1.
std::vector<study::AttentionMatrix> to_matrices(const decode::AttendedSentence& attended,
                                                int64_t sentence);

/// Of each layer's cross-attention, before any was pruned.
int64_t cross_heads(const model::ModelConfig& config);

/// Those that are left in a layer's attention: `kind` is encoder, decoder or cross.
int64_t heads_left(const model::ModelConfig& config, const std::string& kind, int64_t layer);

/// Whether the words of a sentence's matrices, by pieces, are as many as the two lines have. Where
/// a vocabulary finds others, their positions are not those of the text. The encoder's matrices
/// have words of the source only, the decoder's of the target; without any it is true.
bool keeps_words(const std::vector<study::AttentionMatrix>& pieces, const std::string& source,
                 const std::string& target);

/// Whether the weights of each head are a softmax of its scores: `kind` is encoder, decoder or
/// cross.
bool has_softmax(const model::ModelConfig& config, const std::string& kind);

/// to_matrices() with AttentionMatrix::softmax, for the page. A mean over several heads is none.
std::vector<study::AttentionMatrix> to_matrices(const decode::AttendedSentence& attended,
                                                int64_t sentence, const model::ModelConfig& config);

/// saliency, integrated (gradients) and erasure.
const std::map<std::string, decode::Evidence>& evidence_by_name();

/// `kind` is the name of the evidence; the numbers are signed.
study::AttentionMatrix to_matrix(const decode::Explanation& explained, const std::string& kind,
                                 int64_t sentence);

}  // namespace heed
