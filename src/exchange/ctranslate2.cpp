// model.bin, little-endian and without padding: the format's version, the name and revision of the
// architecture, variables in the order of their names (name, shape, type, bytes), aliases. A text
// is 16 bits of length, its bytes and a NUL, which counts.
#include "exchange/ctranslate2.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/format.h"
#include "engine/network.h"
#include "kernels/rows/positions.h"
#include "model/description/kinds.h"
#include "model/description/traits.h"

namespace heed::exchange {
namespace {

using engine::Array, engine::Floats, engine::Weights, engine::embedding_of;
namespace names = model::names;
using model::AttentionKind;

constexpr uint32_t kFormat = 6, kRevision = 7;
// CTranslate2 stops at the last row of its table; twice what most models are ever asked for.
constexpr int64_t kSinusoids = 4096;

/// Numbers with the format's code of their type.
struct Variable {
  uint8_t type;
  std::vector<int64_t> shape;  // none: a single number
  std::string_view bytes;
  std::shared_ptr<const void> owner;
};

template <class Number>
constexpr uint8_t code_of() {
  if (std::is_same_v<Number, float>) return 0;
  return sizeof(Number) == 1 ? 1 : sizeof(Number) == 2 ? 2 : 3;  // int8, int16, int32
}

template <class Number>
Variable variable_of(std::vector<Number> numbers, std::vector<int64_t> shape = {}) {
  const auto owner = std::make_shared<const std::vector<Number>>(std::move(numbers));
  return {code_of<Number>(),
          std::move(shape),
          {reinterpret_cast<const char*>(owner->data()), owner->size() * sizeof(Number)},
          owner};
}

Variable variable_of(const Array& array) {
  return {code_of<float>(),
          array.shape,
          {reinterpret_cast<const char*>(array.data), array.count() * sizeof(float)},
          array.owner};
}

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
  void variable(const std::string& name, const Variable& value) {
    text(name);
    number(static_cast<uint8_t>(value.shape.size()));
    for (const int64_t extent : value.shape) number(static_cast<uint32_t>(extent));
    number(value.type);
    expect(value.bytes.size() <= std::numeric_limits<uint32_t>::max(), "a tensor below 4 GiB");
    number(static_cast<uint32_t>(value.bytes.size()));
    file_.write(value.bytes);
  }
  void commit() { file_.commit(); }

 private:
  AtomicFile file_;
};

/// heed's weights under CTranslate2's names.
class Translation {
 public:
  Translation(const model::ModelConfig& config, const Weights& weights)
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
  void add(const std::string& name, const Array& value) {
    variables_.emplace(name, variable_of(value));
  }
  template <class Number>
  void add(const std::string& name, Number value) {
    variables_.emplace(name, variable_of(std::vector{value}));
  }
  void linear(const std::string& name, const std::string& own) {
    add(name + "/weight", weights_.at(own + ".weight"));
    add(name + "/bias", weights_.at(own + ".bias"));
  }
  void norm(const std::string& name, const std::string& own) {
    add(name + "/layer_norm/gamma", weights_.at(own + ".weight"));
    add(name + "/layer_norm/beta", weights_.at(own + ".bias"));
  }

  void tokens() {
    const std::string source = "encoder/embeddings_0/weight";
    const std::string target = "decoder/embeddings/weight", output = "decoder/projection/weight";
    if (config_.tie == model::Tie::all) {
      add(target, embedding_of(config_, weights_, true));
      aliases_.emplace(source, target);
    } else {
      add(source, embedding_of(config_, weights_, false));
      add(target, embedding_of(config_, weights_, true));
    }
    if (config_.tie == model::Tie::none)
      add(output, weights_.at(names::within(model::kOutputModule, "weight")));
    else
      aliases_.emplace(output, target);
    add("decoder/projection/bias", weights_.at(names::within(model::kOutputModule, "bias")));
  }

  void side(bool decoder) {
    const std::string name = decoder ? "decoder" : "encoder";
    const auto* activation = std::ranges::find(kActivationCodes, config_.activation,
                                               &std::pair<model::Activation, int8_t>::first);
    add(name + "/activation", activation->second);
    add(name + "/num_heads", static_cast<int16_t>(config_.heads));
    add(name + "/pre_norm", static_cast<int8_t>(config_.norm == model::Norm::pre));
    add(name + "/scale_embeddings", int8_t{1});
    if (decoder) {
      add("decoder/alignment_layer", int16_t{-1});
      add("decoder/alignment_heads", int16_t{0});  // the mean of all
    } else {
      add("encoder/embeddings_merge", int8_t{0});
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
          weights_.at(names::within(decoder ? names::kTargetPositions : names::kSourcePositions,
                                    "weight")));
    else if (decoder)
      aliases_.emplace("decoder" + place, "encoder" + place);
    else
      variables_.emplace("encoder" + place, sinusoids());
  }

  Variable sinusoids() const {
    Floats table(kSinusoids * config_.width);
    kernels::sinusoids(0, kSinusoids, config_.width, table.data());
    return variable_of(std::move(table), {kSinusoids, config_.width});
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
    add(name + "/rotary_dim", int32_t{0});  // the whole head
    add(name + "/rotary_interleave", int8_t{1});
    add(name + "/rotary_base", static_cast<float>(kernels::kPositionBase));
  }

  void heads(const std::string& name, const std::string& queries) {
    if (config_.kv_heads > 0 && config_.kv_heads < config_.heads)
      add(name + "/num_heads_kv", static_cast<int32_t>(config_.kv_heads));
    if (config_.attention_scale == model::AttentionScale::sqrt) return;
    // CTranslate2 always divides by the root of the head's width: larger queries make up for it.
    const auto root =
        static_cast<float>(std::sqrt(static_cast<double>(config_.width / config_.heads)));
    for (const char* part : {"/weight", "/bias"}) {
      Variable& value = variables_.at(name + queries + part);
      Floats numbers(value.bytes.size() / sizeof(float));
      std::memcpy(numbers.data(), value.bytes.data(), value.bytes.size());
      const int64_t count = std::ssize(numbers) / value.shape[0] * config_.width;
      for (int64_t i = 0; i < count; ++i) numbers[i] *= root;
      value = variable_of(std::move(numbers), value.shape);
    }
  }

  const model::ModelConfig& config_;
  const Weights& weights_;
  std::map<std::string, Variable> variables_;
  std::map<std::string, std::string> aliases_;  // name -> the variable that it shares
};

}  // namespace

std::string missing_in_ctranslate2(const model::ModelConfig& config) {
  if (!model::traits(config).has_self_attention) return "it runs no recurrent models";
  if (config.decoder != model::DecoderKind::attention)
    return fmt::format("it has no decoder without self-attention (model.decoder is {})",
                       config::name_of(config.decoder));
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

void write_ctranslate2(const model::ModelConfig& config, const Weights& weights,
                       const std::string& path) {
  expect(missing_in_ctranslate2(config).empty(), "a model that CTranslate2 can run");
  Translation(config, weights).write(path);
}

}  // namespace heed::exchange
