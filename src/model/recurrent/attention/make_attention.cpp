#include <utility>

#include "model/recurrent/attention/around.h"

namespace heed::model {

AttentionPtr make_attention(const ModelConfig& config) {
  const AttentionMaker make = attention_maker(config.attention);
  const auto one = [&](const AttentionSize& size) {
    AttentionPtr scores = config.window == Window::global
                              ? make(size)
                              : make_local(make, size, config.window, config.window_size);
    if (config.coverage == Coverage::none) return scores;
    return make_covered(std::move(scores), size, config.coverage, config.coverage_size);
  };
  const int64_t hidden = config.hidden_size;
  const AttentionSize size{
      .query = hidden,
      .memory = hidden,
      .hidden = hidden,
      .weighing = {kernels::normaliser(config.attention_normaliser), config.attention_dropout},
      .positions = config.max_positions};
  return config.attention_heads == 1 ? one(size)
                                     : make_side_by_side(one, size, config.attention_heads);
}

}  // namespace heed::model
