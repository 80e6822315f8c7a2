#include "model/transformer/sentences.h"

#include <ATen/ATen.h>

#include "model/device.h"

namespace heed::model {

Sentences packed_sentences(const std::vector<int64_t>& lengths, int64_t longest,
                           const at::Device& device) {
  std::vector<int64_t> positions, places;
  std::vector<int32_t> starts = {0};
  for (int64_t first = 0; const int64_t length : lengths) {
    for (int64_t position = 0; position < length; ++position) {
      positions.push_back(position);
      places.push_back(first + position);
    }
    first += longest;
    starts.push_back(static_cast<int32_t>(positions.size()));
  }
  Sentences out{.valid = {}, .lengths = lengths, .longest = longest};
  out.positions = upload_numbers(positions, device);
  out.places = upload_numbers(places, device);
  if (!device.is_cpu()) out.starts = upload(at::tensor(starts, at::kInt), device);
  return out;
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
  const Tensor lengths = upload_numbers(sentences.lengths, sentences.places.device());
  return at::arange(sentences.longest, lengths.options()) < lengths.unsqueeze(1);
}

}  // namespace heed::model
