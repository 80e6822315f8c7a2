#include "exchange/plain_transformer.h"

#include <cmath>

#include "base/format.h"
#include "exchange/arrays.h"
#include "model/description/kinds.h"
#include "model/description/traits.h"

namespace heed::exchange {

namespace names = model::names;

std::string missing_in_plain_transformer(const model::ModelConfig& config) {
  if (!model::traits(config).has_self_attention)
    return "it runs no recurrent models (model.type is rnn)";
  if (config.decoder != model::DecoderKind::attention)
    return fmt::format("it has no decoder without self-attention (model.decoder is {})",
                       config::name_of(config.decoder));
  if (config.sliding_window > 0)
    return fmt::format("its encoder has no sliding window (model.sliding_window is {})",
                       config.sliding_window);
  if (!model::self_attention_info(config.self_attention).is_plain())
    return fmt::format("it has no other self-attention than softmax (model.self_attention is {})",
                       config.self_attention);
  if (!config.pruned_heads.empty())
    return "its layers have equally many heads (model.pruned_heads is not empty)";
  if (config.attention_normaliser != "softmax")
    return fmt::format("it has softmax alone (model.attention_normaliser is {})",
                       config.attention_normaliser);
  return "";
}

engine::Weights with_scaled_queries(const model::ModelConfig& config,
                                    const engine::Weights& weights) {
  if (config.attention_scale == model::AttentionScale::sqrt) return weights;
  const auto root = static_cast<float>(std::sqrt(static_cast<double>(config.width / config.heads)));
  std::map<std::string, engine::Array> arrays = weights.all();
  const model::Traits traits = model::traits(config);
  for (const model::AttentionKind kind : traits.kinds)
    for (int64_t layer = 0; layer < traits.layers(kind); ++layer)
      for (const char* part : {".weight", ".bias"}) {
        const bool cross = kind == model::AttentionKind::cross;
        engine::Array& array = arrays.at(names::within(names::attention(kind, layer),
                                                       cross ? names::kQuery : names::kProjection) +
                                         part);
        engine::Floats numbers = array.copy();
        const int64_t queries = std::ssize(numbers) / array.rows() * config.width;
        for (int64_t i = 0; i < queries; ++i) numbers[i] *= root;
        array = array_from(std::move(numbers), array.shape);
      }
  return engine::Weights(std::move(arrays));
}

double length_exponent(const decode::DecodeConfig& config) {
  switch (config.length_penalty) {
    case decode::LengthPenalty::none:
      return 0;
    case decode::LengthPenalty::average:
      return 1;
    case decode::LengthPenalty::power:
    case decode::LengthPenalty::gnmt:
      break;
  }
  return config.alpha;
}

}  // namespace heed::exchange
