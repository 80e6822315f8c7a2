// model.bin, little-endian and without padding: the format's version, the name and revision of the
// architecture, variables in the order of their names (name, shape, type, bytes), aliases. A text
// is 16 bits of length, its bytes and a NUL, which counts.
#include "engine/ctranslate2.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/format.h"
#include "model/description/kinds.h"
#include "model/description/traits.h"
#include "model/embedding.h"
#include "model/transformer/names.h"
#include "model/transformer/positions/table.h"

namespace heed::engine {
namespace {

namespace names = model::names;
using model::AttentionKind;

constexpr uint32_t kFormat = 6, kRevision = 7;
// CTranslate2 stops at the last row of its table; twice what most models are ever asked for.
constexpr int64_t kSinusoids = 4096;

struct NumberType {
  at::ScalarType type;
  uint8_t code;
};
constexpr std::array kTypes{NumberType{at::kFloat, 0}, NumberType{at::kChar, 1},
                            NumberType{at::kShort, 2}, NumberType{at::kInt, 3}};

class Writer {
 public:
  explicit Writer(const std::string& path) : file_(path) {}

  template <std::unsigned_integral Number>
  void number(Number value) {
    file_.write({reinterpret_cast<const char*>(&value), sizeof value});
  }
  void text(const std::string& value) {
    number(static_cast<uint16_t>(value.size() + 1));
    file_.write({value.c_str(), value.size() + 1});
  }
  void variable(const std::string& name, const Tensor& value) {
    text(name);
    number(static_cast<uint8_t>(value.dim()));
    for (const int64_t extent : value.sizes()) number(static_cast<uint32_t>(extent));
    const auto type = std::ranges::find(kTypes, value.scalar_type(), &NumberType::type);
    expect(type != kTypes.end(), "a number type that the format has");
    number(type->code);
    expect(value.nbytes() <= std::numeric_limits<uint32_t>::max(), "a tensor below 4 GiB");
    number(static_cast<uint32_t>(value.nbytes()));
    file_.write({static_cast<const char*>(value.const_data_ptr()), value.nbytes()});
  }
  void commit() { file_.commit(); }

 private:
  AtomicFile file_;
};

/// heed's weights under CTranslate2's names.
class Translation {
 public:
  Translation(const model::ModelConfig& config, const std::map<std::string, Tensor>& weights)
      : config_(config), weights_(weights) {
    tokens();
    for (const bool decoder : {false, true}) side(decoder);
  }

  void write(const std::string& path) const {
    Writer out(path);
    out.number(kFormat);
    out.text("TransformerSpec");
    out.number(kRevision);
    out.number(static_cast<uint32_t>(variables_.size()));
    for (const auto& [name, value] : variables_) out.variable(name, value);
    out.number(static_cast<uint32_t>(aliases_.size()));
    for (const auto& [name, target] : aliases_) {
      out.text(name);
      out.text(target);
    }
    out.commit();
  }

 private:
  const Tensor& weight(const std::string& name) const {
    const auto found = weights_.find(name);
    expect(found != weights_.end(), "a Transformer's weights");
    return found->second;
  }
  const Tensor& embedding(bool target) const {
    return weight(names::within(model::embedding_module(config_.tie, target), "weight"));
  }
  void add(const std::string& name, const Tensor& value) {
    variables_.emplace(name, value.contiguous());
  }
  void add(const std::string& name, int64_t value, at::ScalarType type) {
    variables_.emplace(name, at::scalar_tensor(value, type));
  }
  void linear(const std::string& name, const std::string& own) {
    add(name + "/weight", weight(own + ".weight"));
    add(name + "/bias", weight(own + ".bias"));
  }
  void norm(const std::string& name, const std::string& own) {
    add(name + "/layer_norm/gamma", weight(own + ".weight"));
    add(name + "/layer_norm/beta", weight(own + ".bias"));
  }

  void tokens() {
    const std::string source = "encoder/embeddings_0/weight";
    const std::string target = "decoder/embeddings/weight", output = "decoder/projection/weight";
    if (config_.tie == model::Tie::all) {
      add(target, embedding(true));
      aliases_.emplace(source, target);
    } else {
      add(source, embedding(false));
      add(target, embedding(true));
    }
    if (config_.tie == model::Tie::none)
      add(output, weight(names::within(model::kOutputModule, "weight")));
    else
      aliases_.emplace(output, target);
    add("decoder/projection/bias", weight(names::within(model::kOutputModule, "bias")));
  }

  void side(bool decoder) {
    const std::string name = decoder ? "decoder" : "encoder";
    // Its numbering of activations: 1 is the approximation of GELU by tanh.
    constexpr std::array<std::pair<model::Activation, int64_t>, 3> kActivations{
        {{model::Activation::relu, 0}, {model::Activation::silu, 2}, {model::Activation::gelu, 3}}};
    const auto* activation = std::ranges::find(kActivations, config_.activation,
                                               &std::pair<model::Activation, int64_t>::first);
    add(name + "/activation", activation->second, at::kChar);
    add(name + "/num_heads", config_.heads, at::kShort);
    add(name + "/pre_norm", config_.norm == model::Norm::pre ? 1 : 0, at::kChar);
    add(name + "/scale_embeddings", 1, at::kChar);
    if (decoder) {
      add("decoder/alignment_layer", -1, at::kShort);
      add("decoder/alignment_heads", 0, at::kShort);  // the mean of all
    } else {
      add("encoder/embeddings_merge", 0, at::kChar);
    }
    positions(decoder);
    if (config_.norm == model::Norm::pre)
      norm(name, names::within(names::stack(decoder), names::kNorm));
    const int64_t layers = decoder ? config_.decoder_layers : config_.encoder_layers;
    for (int64_t layer = 0; layer < layers; ++layer) {
      const std::string block = fmt::format("{}/layer_{}", name, layer);
      const std::string feed_forward = names::feed_forward(decoder, layer);
      attention(block + "/self_attention",
                decoder ? AttentionKind::decoder : AttentionKind::encoder, layer);
      if (decoder) attention(block + "/attention", AttentionKind::cross, layer);
      norm(block + "/ffn", names::norm_of_feed_forward(decoder, layer));
      linear(block + "/ffn/linear_0", names::within(feed_forward, names::kInner));
      linear(block + "/ffn/linear_1", names::within(feed_forward, names::kOutput));
    }
  }

  void positions(bool decoder) {
    if (config_.positions == "rotary") return;  // the attentions' matter
    const std::string place = "/position_encodings/encodings";
    if (config_.positions == "learned")
      add((decoder ? "decoder" : "encoder") + place,
          weight(names::within(decoder ? names::kTargetPositions : names::kSourcePositions,
                               "weight")));
    else if (decoder)
      aliases_.emplace("decoder" + place, "encoder" + place);
    else
      add("encoder" + place, model::sinusoids(0, kSinusoids, config_.width));
  }

  void attention(const std::string& name, AttentionKind kind, int64_t layer) {
    const std::string own = names::attention(kind, layer);
    const bool cross = kind == AttentionKind::cross;
    std::vector<const char*> parts = {names::kProjection, names::kOutput};
    if (cross) parts.insert(parts.begin(), names::kQuery);
    norm(name, names::norm_of_attention(kind, layer));
    for (std::size_t i = 0; i < parts.size(); ++i)
      linear(fmt::format("{}/linear_{}", name, i), names::within(own, parts[i]));
    heads(name, "/linear_0");
    if (cross || config_.positions != "rotary") return;
    add(name + "/rotary_dim", 0, at::kInt);  // the whole head
    add(name + "/rotary_interleave", 1, at::kChar);
    add(name + "/rotary_base", at::scalar_tensor(model::kPositionBase, at::kFloat));
  }

  void heads(const std::string& name, const std::string& queries) {
    if (config_.kv_heads > 0 && config_.kv_heads < config_.heads)
      add(name + "/num_heads_kv", config_.kv_heads, at::kInt);
    if (config_.attention_scale == model::AttentionScale::sqrt) return;
    // CTranslate2 always divides by the root of the head's width: larger queries make up for it.
    const double root = std::sqrt(static_cast<double>(config_.width / config_.heads));
    for (const char* part : {"/weight", "/bias"}) {
      Tensor& value = variables_.at(name + queries + part);
      value = value.clone();
      value.narrow(0, 0, config_.width).mul_(root);
    }
  }

  const model::ModelConfig& config_;
  const std::map<std::string, Tensor>& weights_;
  std::map<std::string, Tensor> variables_;
  std::map<std::string, std::string> aliases_;  // name -> the variable that it shares
};

}  // namespace

std::string missing_in_ctranslate2(const model::ModelConfig& config) {
  if (!model::traits(config).has_self_attention) return "it runs no recurrent models";
  if (config.sliding_window > 0)
    return fmt::format("its encoder has no sliding window (model.sliding_window is {})",
                       config.sliding_window);
  if (!model::self_attention_info(config.self_attention).is_plain())
    return fmt::format("it has no other self-attention than softmax (model.self_attention is {})",
                       config.self_attention);
  if (config.positions != "sinusoidal" && config.positions != "learned" &&
      config.positions != "rotary")
    return fmt::format("it has no such positions (model.positions is {})", config.positions);
  if (!config.pruned_heads.empty())
    return "its layers have equally many heads (model.pruned_heads is not empty)";
  if (config.attention_normaliser != "softmax")
    return fmt::format("it has softmax alone (model.attention_normaliser is {})",
                       config.attention_normaliser);
  return "";
}

int64_t longest_in_ctranslate2(const model::ModelConfig& config) {
  if (config.positions == "sinusoidal") return kSinusoids;
  if (config.positions == "learned") return config.max_positions;
  return std::numeric_limits<int64_t>::max();
}

void write_ctranslate2(const model::ModelConfig& config,
                       const std::map<std::string, Tensor>& weights, const std::string& path) {
  expect(missing_in_ctranslate2(config).empty(), "a model that CTranslate2 can run");
  Translation(config, weights).write(path);
}

}  // namespace heed::engine
