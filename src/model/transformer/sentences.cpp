#include "model/transformer/sentences.h"

#include <ATen/ATen.h>

namespace heed::model {

Sentences packed_sentences(const std::vector<int64_t>& lengths, int64_t longest) {
  std::vector<int64_t> positions, places;
  for (int64_t first = 0; const int64_t length : lengths) {
    for (int64_t position = 0; position < length; ++position) {
      positions.push_back(position);
      places.push_back(first + position);
    }
    first += longest;
  }
  return {.valid = {},
          .lengths = lengths,
          .positions = at::tensor(positions, at::kLong),
          .places = at::tensor(places, at::kLong)};
}

Tensor pack(const Tensor& x, const Sentences& sentences) {
  return x.flatten(0, 1).index_select(0, sentences.places);
}

Tensor pad(const Tensor& x, const Sentences& sentences, int64_t length) {
  const auto batch = static_cast<int64_t>(sentences.lengths.size());
  auto sizes = x.sizes().vec();
  sizes[0] = batch * length;
  return at::zeros(sizes, x.options())
      .index_copy(0, sentences.places, x)
      .unflatten(0, {batch, length});
}

}  // namespace heed::model
