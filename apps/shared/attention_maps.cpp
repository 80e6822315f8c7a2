#include "apps/shared/attention_maps.h"

#include <iterator>

#include "model/transformer/attention/kinds.h"
#include "text/words.h"

namespace heed {

std::vector<study::AttentionMatrix> to_matrices(const decode::AttendedSentence& attended,
                                                int64_t sentence) {
  std::vector<study::AttentionMatrix> matrices;
  for (const decode::AttentionMatrix& matrix : attended.matrices)
    matrices.push_back({.sentence = sentence,
                        .kind = name_of(matrix.kind),
                        .layer = matrix.layer,
                        .head = matrix.head,
                        .target = matrix.row_labels,
                        .source = matrix.column_labels,
                        .weights = matrix.weights});
  return matrices;
}

int64_t cross_heads(const model::ModelConfig& config) {
  return config.type == model::ModelType::transformer ? config.heads : config.attention_heads;
}

int64_t heads_left(const model::ModelConfig& config, const std::string& kind, int64_t layer) {
  return config.type == model::ModelType::transformer
             ? std::ssize(model::kept_heads(config, kind, layer))
             : config.attention_heads;
}

bool keeps_words(const std::vector<study::AttentionMatrix>& pieces, const std::string& source,
                 const std::string& target) {
  const auto same = [](const std::vector<std::string>& tokens, const std::string& line) {
    const std::size_t ends = tokens.size() - study::length_before_end(tokens);
    return static_cast<int64_t>(study::count_words(tokens) - ends) == text::count_words(line);
  };
  const std::string* kind = nullptr;
  for (const study::AttentionMatrix& matrix : pieces) {
    if (kind != nullptr && *kind == matrix.kind) continue;  // another head with the same tokens
    kind = &matrix.kind;
    const bool encoder = matrix.kind == "encoder", decoder = matrix.kind == "decoder";
    if (!same(matrix.target, encoder ? source : target)) return false;
    // The decoder's columns are its rows, one later.
    if (!decoder && !same(matrix.source, source)) return false;
  }
  return true;
}

bool has_softmax(const model::ModelConfig& config, const std::string& kind) {
  if (kind != "cross") return model::self_attention_info(config.self_attention).has_scores();
  // The window of local_p multiplies weights that softmax has made.
  return config.attention_normaliser == "softmax" &&
         (config.type == model::ModelType::transformer || config.window != model::Window::local_p);
}

std::vector<study::AttentionMatrix> to_matrices(const decode::AttendedSentence& attended,
                                                int64_t sentence,
                                                const model::ModelConfig& config) {
  std::vector<study::AttentionMatrix> matrices = to_matrices(attended, sentence);
  for (study::AttentionMatrix& matrix : matrices) {
    matrix.softmax = has_softmax(config, matrix.kind) &&
                     (matrix.head >= 0 || heads_left(config, matrix.kind, matrix.layer) == 1);
  }
  return matrices;
}

const std::map<std::string, decode::Evidence>& evidence_by_name() {
  static const std::map<std::string, decode::Evidence> kinds = {
      {"saliency", decode::Evidence::saliency},
      {"integrated", decode::Evidence::integrated},
      {"erasure", decode::Evidence::erasure}};
  return kinds;
}

study::AttentionMatrix to_matrix(const decode::Explanation& explained, const std::string& kind,
                                 int64_t sentence) {
  return {.sentence = sentence,
          .kind = kind,
          .layer = 0,
          .head = -1,
          .target = explained.target_pieces,
          .source = explained.source_pieces,
          .weights = explained.values,
          .missing = explained.missing};
}

}  // namespace heed
