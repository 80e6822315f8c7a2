#include "apps/shared/attention_maps.h"

namespace heed {

std::string kind_name(model::AttentionKind kind) {
  switch (kind) {
    case model::AttentionKind::kEncoder:
      return "encoder";
    case model::AttentionKind::kDecoder:
      return "decoder";
    case model::AttentionKind::kCross:
      break;
  }
  return "cross";
}

decode::AttentionRequest every_head_of(const std::vector<std::string>& kinds) {
  decode::AttentionRequest request{.cross = false};
  for (const std::string& kind : kinds) {
    request.encoder |= kind == kind_name(model::AttentionKind::kEncoder);
    request.decoder |= kind == kind_name(model::AttentionKind::kDecoder);
    request.cross |= kind == kind_name(model::AttentionKind::kCross);
  }
  return request;
}

std::vector<study::AttentionMatrix> to_matrices(const decode::AttendedSentence& attended,
                                                int64_t sentence) {
  std::vector<study::AttentionMatrix> matrices;
  for (const decode::AttentionMatrix& matrix : attended.matrices)
    matrices.push_back({.sentence = sentence,
                        .kind = kind_name(matrix.kind),
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
