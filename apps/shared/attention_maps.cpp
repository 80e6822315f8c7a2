#include "apps/shared/attention_maps.h"

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
          .weights = explained.values};
}

}  // namespace heed
