#include "exchange/hugging_face_names.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/format.h"

namespace heed::exchange {
namespace {

namespace names = model::names;
using model::AttentionKind;

class Names {
 public:
  explicit Names(const model::ModelConfig& config) : config_(config) {
    tokens();
    for (const bool decoder : {false, true}) side(decoder);
  }

  std::vector<PeerTensor> all;

 private:
  void tokens() {
    const auto add = [&](const std::string& name, const std::string& own) {
      all.push_back({.name = name, .own = own + ".weight", .state_columns = true});
    };
    if (config_.tie == model::Tie::all) {
      add("model.shared.weight", model::embedding_module(config_.tie, true));
      return;
    }
    for (const bool decoder : {false, true})
      add(fmt::format("model.{}.embed_tokens.weight", names::stack(decoder)),
          model::embedding_module(config_.tie, decoder));
    if (config_.tie == model::Tie::none) add("lm_head.weight", model::kOutputModule);
  }

  void side(bool decoder) {
    const int64_t layers = decoder ? config_.decoder_layers : config_.encoder_layers;
    for (int64_t layer = 0; layer < layers; ++layer) {
      const std::string block = fmt::format("model.{}.layers.{}.", names::stack(decoder), layer);
      const std::string feed_forward = names::feed_forward(decoder, layer);
      attention(block + "self_attn", decoder ? AttentionKind::decoder : AttentionKind::encoder,
                layer);
      if (decoder) attention(block + "encoder_attn", AttentionKind::cross, layer);
      linear(block + "fc1",
             {.own = names::within(feed_forward, names::kInner), .state_columns = true});
      linear(block + "fc2",
             {.own = names::within(feed_forward, names::kOutput), .state_rows = true});
      norm(block + "final_layer_norm", names::norm_of_feed_forward(decoder, layer));
    }
  }

  void attention(const std::string& name, AttentionKind kind, int64_t layer) {
    const std::string own = names::attention(kind, layer);
    const bool cross = kind == AttentionKind::cross;
    constexpr std::array<const char*, 3> kParts = {".q_proj", ".k_proj", ".v_proj"};
    for (int64_t i = 0; i < std::ssize(kParts); ++i)
      linear(name + kParts.at(i),
             {.own = names::within(own, cross && i == 0 ? names::kQuery : names::kProjection),
              .first = (cross ? std::max<int64_t>(i - 1, 0) : i) * config_.width,
              .rows = config_.width,
              .state_columns = true});
    linear(name + ".out_proj", {.own = names::within(own, names::kOutput), .state_rows = true});
    norm(name + "_layer_norm", names::norm_of_attention(kind, layer));
  }

  /// The weight and the bias of `module`, a module's name in place of a tensor's.
  void linear(const std::string& name, const PeerTensor& module) {
    for (const char* part : {".weight", ".bias"}) {
      PeerTensor tensor = module;
      tensor.name = name + part;
      tensor.own += part;
      all.push_back(std::move(tensor));
    }
    all.back().state_columns = false;
  }

  void norm(const std::string& name, const std::string& own) {
    linear(name, {.own = own, .state_rows = true});
  }

  const model::ModelConfig& config_;
};

}  // namespace

std::vector<PeerTensor> hugging_face_tensors(const model::ModelConfig& config) {
  return std::move(Names(config).all);
}

}  // namespace heed::exchange
