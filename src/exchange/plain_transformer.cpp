#include "exchange/plain_transformer.h"

#include <cmath>
#include <map>
#include <utility>

#include "config/schema.h"
#include "exchange/arrays.h"
#include "model/description/kinds.h"
#include "model/description/traits.h"

namespace heed::exchange {

namespace names = model::names;
using model::AttentionKind;

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

std::vector<PeerModule> peer_modules(const model::ModelConfig& config) {
  std::vector<PeerModule> all;
  for (const bool decoder : {false, true}) {
    const std::string stack = names::stack(decoder);
    const auto beside_layers = [&](const std::string& own, const std::string& there,
                                   const std::string& marian) {
      all.push_back({.own = own,
                     .ctranslate2 = fmt::format("{}/{}", stack, there),
                     .hugging_face = {fmt::format("model.{}.{}", stack, there)},
                     .marian = {fmt::format("{}_{}", stack, marian)},
                     .state_rows = true,
                     .is_norm = true});
    };
    if (config.embedding_norm)
      beside_layers(names::embedding_norm(decoder), "layernorm_embedding", "emb_ln");
    if (config.norm == model::Norm::pre)
      beside_layers(names::within(stack, names::kNorm), "layer_norm", "top_ln");
    const int64_t layers = decoder ? config.decoder_layers : config.encoder_layers;
    for (int64_t layer = 0; layer < layers; ++layer) {
      const auto add = [&](bool reads, const std::string& own, const std::string& ctranslate2,
                           std::vector<std::string> hugging_face, std::vector<std::string> marian) {
        for (std::string& name : hugging_face)
          name = fmt::format("model.{}.layers.{}.{}", stack, layer, name);
        for (std::string& name : marian) name = fmt::format("{}_l{}_{}", stack, layer + 1, name);
        all.push_back({.own = own,
                       .ctranslate2 = fmt::format("{}/layer_{}/{}", stack, layer, ctranslate2),
                       .hugging_face = std::move(hugging_face),
                       .marian = std::move(marian),
                       .state_rows = !reads,
                       .state_columns = reads,
                       .is_norm = ctranslate2.ends_with("/layer_norm")});
      };
      const auto attention = [&](AttentionKind kind, const std::string& there,
                                 const std::string& name, const std::string& marian) {
        const std::string own = names::attention(kind, layer);
        std::vector<std::string> parts = {name + ".q_proj", name + ".k_proj", name + ".v_proj"},
                                 in_marian = {marian + "_Wq", marian + "_Wk", marian + "_Wv"};
        int number = 0;
        const auto linear = [&] { return fmt::format("{}/linear_{}", there, number++); };
        if (kind == AttentionKind::cross) {
          add(true, names::within(own, names::kQuery), linear(), {parts[0]}, {in_marian[0]});
          parts.erase(parts.begin());
          in_marian.erase(in_marian.begin());
        }
        add(true, names::within(own, names::kProjection), linear(), parts, in_marian);
        add(false, names::within(own, names::kOutput), linear(), {name + ".out_proj"},
            {marian + "_Wo"});
        add(false, names::norm_of_attention(kind, layer), there + "/layer_norm",
            {name + "_layer_norm"}, {marian + "_Wo_ln"});
      };
      const auto recurrence = [&] {
        const std::string own = names::recurrence(layer),
                          marian = fmt::format("{}_l{}_rnn_", stack, layer + 1);
        const auto gate = [&](const char* part, const char* there, bool has_bias) {
          all.push_back({.own = names::within(own, part),
                         .ctranslate2 = "",
                         .hugging_face = {""},
                         .marian = {marian + there},
                         .state_rows = true,
                         .state_columns = true,
                         .has_bias = has_bias});
        };
        gate(names::kCandidate, "W", /*has_bias=*/false);
        gate(names::kForget, "Wf", /*has_bias=*/true);
        all.push_back({.own = names::norm_of_attention(AttentionKind::decoder, layer),
                       .ctranslate2 = "",
                       .hugging_face = {""},
                       .marian = {marian + "ffn_ln"},
                       .state_rows = true,
                       .is_norm = true});
      };
      if (decoder && config.decoder == model::DecoderKind::ssru)
        recurrence();
      else
        attention(decoder ? AttentionKind::decoder : AttentionKind::encoder, "self_attention",
                  "self_attn", "self");
      if (decoder) attention(AttentionKind::cross, "attention", "encoder_attn", "context");
      const std::string inner = names::feed_forward(decoder, layer);
      add(true, names::within(inner, names::kInner), "ffn/linear_0", {"fc1"}, {"ffn_W1"});
      add(false, names::within(inner, names::kOutput), "ffn/linear_1", {"fc2"}, {"ffn_W2"});
      add(false, names::norm_of_feed_forward(decoder, layer), "ffn/layer_norm",
          {"final_layer_norm"}, {"ffn_ffn_ln"});
    }
  }
  return all;
}

engine::Weights with_scaled_queries(const model::ModelConfig& config,
                                    const engine::Weights& weights) {
  if (config.attention_scale == model::AttentionScale::sqrt) return weights;
  const auto root = static_cast<float>(std::sqrt(static_cast<double>(config.width / config.heads)));
  std::map<std::string, engine::Array> arrays = weights.all();
  for (const PeerModule& module : peer_modules(config)) {
    if (!module.hugging_face[0].ends_with(".q_proj")) continue;
    for (const char* end : {".weight", ".bias"}) {
      engine::Array& array = arrays.at(module.own + end);
      engine::Floats numbers = array.copy();
      const int64_t queries = std::ssize(numbers) / array.rows() * config.width;
      for (int64_t i = 0; i < queries; ++i) numbers[i] *= root;
      array = array_from(std::move(numbers), array.shape);
    }
  }
  return engine::Weights(std::move(arrays));
}

std::vector<HuggingFaceTensor> hugging_face_tensors(const model::ModelConfig& config) {
  std::vector<HuggingFaceTensor> all;
  const auto tokens = [&](const std::string& name, const std::string& own) {
    all.push_back({.name = name + ".weight", .own = own + ".weight", .state_columns = true});
  };
  if (config.tie == model::Tie::all) {
    tokens("model.shared", model::embedding_module(config.tie, true));
  } else {
    for (const bool decoder : {false, true})
      tokens(fmt::format("model.{}.embed_tokens", names::stack(decoder)),
             model::embedding_module(config.tie, decoder));
    if (config.tie == model::Tie::none) tokens("lm_head", model::kOutputModule);
  }
  for (const PeerModule& module : peer_modules(config))
    for (int64_t part = 0; part < std::ssize(module.hugging_face); ++part)
      for (const std::string end : {".weight", ".bias"})
        all.push_back({.name = module.hugging_face[part] + end,
                       .own = module.own + end,
                       .part = part,
                       .parts = std::ssize(module.hugging_face),
                       .state_rows = module.state_rows,
                       .state_columns = module.state_columns && end == ".weight"});
  return all;
}

double length_exponent(const decode::DecodeConfig& config) {
  if (config.length_penalty == decode::LengthPenalty::none) return 0;
  return config.length_penalty == decode::LengthPenalty::average ? 1 : config.alpha;
}

}  // namespace heed::exchange
