#include "model/description/layer_sizes.h"

#include <algorithm>
#include <utility>

#include "model/description/kinds.h"

namespace heed::model {
namespace {

using Rows = LayerSize::Rows;

class LayerSizes {
 public:
  void add(int64_t in, int64_t out, int64_t count, Rows rows = Rows::all, int64_t of_source = 0) {
    if (count == 0) return;
    const auto same = std::ranges::find_if(sizes_, [&](const LayerSize& size) {
      return size.in == in && size.out == out && size.rows == rows;
    });
    if (same == sizes_.end()) {
      sizes_.push_back({in, out, count, rows, of_source});
    } else {
      same->count += count;
      same->of_source += of_source;
    }
  }
  void add_to_source(int64_t in, int64_t out, int64_t count) {
    add(in, out, count, Rows::all, count);
  }
  std::vector<LayerSize> take() { return std::move(sizes_); }

 private:
  std::vector<LayerSize> sizes_;
};

std::vector<LayerSize> of_transformer(const ModelConfig& config, int64_t vocabulary) {
  const int64_t width = config.width, inner = config.feed_forward;
  const int64_t kv_heads = config.kv_heads > 0 ? config.kv_heads : config.heads;
  const int64_t shared = width / config.heads * kv_heads;  // of keys, and of values
  const int64_t encoders = config.encoder_layers, decoders = config.decoder_layers;
  const bool attends = config.decoder == DecoderKind::attention;
  const bool averages = config.decoder == DecoderKind::average;
  const int64_t selves = attends ? decoders : 0;
  LayerSizes sizes;
  sizes.add_to_source(width, width + 2 * shared, encoders);  // queries, keys and values
  sizes.add(width, width + 2 * shared, selves);
  sizes.add_to_source(width, width, encoders);       // outputs
  sizes.add(width, width, selves + 2 * decoders);    // outputs, and queries of cross-attention
  sizes.add_to_source(width, 2 * shared, decoders);  // its keys and values
  if (config.decoder == DecoderKind::ssru) sizes.add(width, width, 2 * decoders);
  if (averages) sizes.add(2 * width, 2 * width, decoders);  // gates
  const int64_t blocks = (averages ? 2 : 1) * decoders;
  sizes.add_to_source(width, inner, encoders);
  sizes.add_to_source(inner, width, encoders);
  sizes.add(width, inner, blocks);
  sizes.add(inner, width, blocks);
  sizes.add(width, vocabulary, 1, Rows::output);
  return sizes.take();
}

std::vector<LayerSize> of_recurrent(const ModelConfig& config, int64_t vocabulary) {
  const int64_t words = config.embedding_size, hidden = config.hidden_size, half = hidden / 2;
  const int64_t gates = config.cell == Cell::lstm ? 4 : 3;
  const bool before = attention_info(config.attention).timing == Timing::kBefore;
  const int64_t read = config.readout == Readout::maxout ? 2 * words : words;
  LayerSizes sizes;
  for (int64_t layer = 0; layer < config.layers; ++layer) {
    const int64_t below = layer == 0 ? words : hidden;
    sizes.add_to_source(below, gates * half, 2);  // the encoder's directions
    sizes.add(half, gates * half, 2, Rows::step);
    sizes.add(below, gates * hidden, 1);
    sizes.add(hidden, gates * hidden, 1, Rows::step);
  }
  if (before) sizes.add(hidden, gates * hidden, 1, Rows::step);  // the context
  if (config.input_feeding && !before) sizes.add(words, gates * hidden, 1, Rows::step);
  sizes.add(hidden, read, 2);  // the state and the context
  if (before) sizes.add(words, read, 1);
  sizes.add(words, vocabulary, 1, Rows::output);
  return sizes.take();
}

}  // namespace

std::vector<LayerSize> layer_sizes(const ModelConfig& config, int64_t target_vocabulary) {
  return config.type == ModelType::transformer ? of_transformer(config, target_vocabulary)
                                               : of_recurrent(config, target_vocabulary);
}

}  // namespace heed::model
