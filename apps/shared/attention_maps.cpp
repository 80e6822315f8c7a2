#include "apps/shared/attention_maps.h"

namespace heed {

decode::AttentionRequest every_head_of(const std::vector<std::string>& kinds) {
  decode::AttentionRequest request{.cross = false};
  for (const std::string& kind : kinds) {
    request.encoder |= kind == name_of(model::AttentionKind::kEncoder);
    request.decoder |= kind == name_of(model::AttentionKind::kDecoder);
    request.cross |= kind == name_of(model::AttentionKind::kCross);
  }
  return request;
}

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
