#include "model/transformer/sentences.h"

#include <ATen/ATen.h>

#include "base/error.h"
#include "model/device.h"
#include "model/source.h"
#include "text/vocabulary.h"

namespace heed::model {

SentenceLayout sentence_layout(const std::vector<int64_t>& lengths, int64_t longest,
                               const at::Device& device) {
  std::vector<int64_t> positions, padded_indices;
  std::vector<int32_t> starts = {0};
  for (int64_t first = 0; const int64_t length : lengths) {
    for (int64_t position = 0; position < length; ++position) {
      positions.push_back(position);
      padded_indices.push_back(first + position);
    }
    first += longest;
    starts.push_back(static_cast<int32_t>(positions.size()));
  }
  SentenceLayout out{.valid = {}, .lengths = lengths, .longest = longest};
  out.positions = upload_numbers(positions, device);
  out.padded_indices = upload_numbers(padded_indices, device);
  if (!device.is_cpu()) out.starts = upload(at::tensor(starts, at::kInt), device);
  return out;
}

SentenceLayout padded_source(const Source& source) {
  if (source.lengths.defined()) {
    const int64_t shortest = source.lengths.min().item<int64_t>();
    expect(shortest >= 1, "each sentence has its eos at least");
    if (shortest == source.tokens.size(1)) return {};
  }
  return {.valid = source.valid.unsqueeze(1).unsqueeze(1)};
}

SentenceLayout unpadded_source(const Source& source) {
  if (source.unpadded) return *source.unpadded;
  const auto* lengths = source.lengths.const_data_ptr<int64_t>();
  return sentence_layout({lengths, lengths + source.lengths.numel()}, source.tokens.size(1),
                         source.tokens.device());
}

SentenceLayout unpadded_target(const TargetInput& input) {
  if (input.unpadded) return *input.unpadded;
  const Tensor tokens = input.tokens.contiguous();
  const int64_t width = tokens.size(1);
  if (input.lengths.defined()) {
    const auto* lengths = input.lengths.const_data_ptr<int64_t>();
    return sentence_layout({lengths, lengths + tokens.size(0)}, width, tokens.device());
  }
  std::vector<int64_t> lengths;
  for (int64_t i = 0; i < tokens.size(0); ++i) {
    const auto* row = tokens.const_data_ptr<int64_t>() + i * width;
    int64_t length = width;
    while (length > 1 && row[length - 1] == text::kPad) --length;
    lengths.push_back(length);
  }
  return sentence_layout(lengths, width, tokens.device());
}

Tensor remove_padding(const Tensor& x, const SentenceLayout& sentences) {
  return x.flatten(0, 1).index_select(0, sentences.padded_indices);
}

Tensor pad(const Tensor& x, const SentenceLayout& sentences) {
  const auto batch = static_cast<int64_t>(sentences.lengths.size());
  auto sizes = x.sizes().vec();
  sizes[0] = batch * sentences.longest;
  return at::zeros(sizes, x.options())
      .index_copy(0, sentences.padded_indices, x)
      .unflatten(0, {batch, sentences.longest});
}

Tensor real_positions(const SentenceLayout& sentences) {
  const Tensor lengths = upload_numbers(sentences.lengths, sentences.padded_indices.device());
  return at::arange(sentences.longest, lengths.options()) < lengths.unsqueeze(1);
}

}  // namespace heed::model
