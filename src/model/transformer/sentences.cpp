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
          .longest = longest,
          .positions = at::tensor(positions, at::kLong),
          .places = at::tensor(places, at::kLong)};
}

Tensor pack(const Tensor& x, const Sentences& sentences) {
  return x.flatten(0, 1).index_select(0, sentences.places);
}

Tensor pad(const Tensor& x, const Sentences& sentences) {
  const auto batch = static_cast<int64_t>(sentences.lengths.size());
  auto sizes = x.sizes().vec();
  sizes[0] = batch * sentences.longest;
  return at::zeros(sizes, x.options())
      .index_copy(0, sentences.places, x)
      .unflatten(0, {batch, sentences.longest});
}

Tensor real_positions(const Sentences& sentences) {
  return at::arange(sentences.longest) < at::tensor(sentences.lengths).unsqueeze(1);
}

}  // namespace heed::model
