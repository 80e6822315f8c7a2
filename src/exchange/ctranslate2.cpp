// model.bin, little-endian and without padding: the format's version, the name and revision of the
// architecture, variables in the order of their names (name, shape, type, bytes), aliases. A text
// is 16 bits of length, its bytes and a NUL, which counts.
#include "exchange/ctranslate2.h"

#include <algorithm>
#include <concepts>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/strings.h"
#include "decode/search/search.h"
#include "engine/network.h"
#include "exchange/arrays.h"
#include "exchange/plain_transformer.h"
#include "kernels/rows/positions.h"
#include "model/description/begin.h"
#include "text/vocabulary.h"

namespace heed::exchange {
namespace {

using engine::Array, engine::Floats, engine::Weights, engine::embedding_of;
namespace names = model::names;

constexpr uint32_t kFormat = 6, kRevision = 7;
// The rows of the table, at whose last one CTranslate2 stops: twice the length of most models'
// longest texts.
constexpr int64_t kSinusoids = 4096;

/// A variable of the file: numbers with the format's code of their type.
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
  Translation(const model::ModelConfig& config, Weights weights,
              const decode::AlignmentConfig& alignment)
      : config_(config), weights_(std::move(weights)), alignment_(alignment) {
    tokens();
    for (const bool decoder : {false, true}) side(decoder);
    for (const PeerModule& module : peer_modules(config_)) {
      const auto [weight, bias] =
          module.is_norm ? std::pair("/gamma", "/beta") : std::pair("/weight", "/bias");
      add(module.ctranslate2 + weight, weights_.at(module.own + ".weight"));
      add(module.ctranslate2 + bias, weights_.at(module.own + ".bias"));
    }
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

  void tokens() {
    const std::string source = "encoder/embeddings_0/weight";
    const std::string target = "decoder/embeddings/weight", output = "decoder/projection/weight";
    const Array vectors = embedding_of(config_, weights_, true),
                begun = model::begins_with_zeros(config_) ? with_zero_begin(vectors) : vectors;
    add(target, begun);
    if (config_.tie == model::Tie::all)
      aliases_.emplace(source, target);
    else
      add(source, embedding_of(config_, weights_, false));
    if (config_.tie == model::Tie::none)
      add(output, weights_.at(names::within(model::kOutputModule, "weight")));
    else if (begun.data != vectors.data)
      add(output, vectors);
    else
      aliases_.emplace(output, target);
    add("decoder/projection/bias", weights_.at(names::within(model::kOutputModule, "bias")));
  }

  /// The vectors with zeros for the piece with which translations begin.
  Array with_zero_begin(const Array& vectors) const {
    const float* const begin = vectors.data + text::kBegin * config_.width;
    const auto is_zero = [](float number) { return number == 0; };
    if (std::all_of(begin, begin + config_.width, is_zero)) return vectors;
    Floats numbers = vectors.copy();
    std::fill_n(numbers.begin() + text::kBegin * config_.width, config_.width, 0.0F);
    return array_from(std::move(numbers), vectors.shape);
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
      // The number of first heads whose mean is taken; 0: all.
      add("decoder/alignment_layer", static_cast<int16_t>(alignment_.layer));
      add("decoder/alignment_heads", static_cast<int16_t>(alignment_.head == 0 ? 1 : 0));
    } else {
      add("encoder/embeddings_merge", int8_t{0});
    }
    positions(decoder);
    const int64_t layers = decoder ? config_.decoder_layers : config_.encoder_layers;
    for (int64_t layer = 0; layer < layers; ++layer) {
      const std::string block = fmt::format("{}/layer_{}", name, layer);
      heads(block + "/self_attention", config_.positions == "rotary");
      if (decoder) heads(block + "/attention", false);
    }
  }

  void positions(bool decoder) {
    if (config_.positions == "rotary") return;  // these belong to the attentions
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
    (config_.positions == "sinusoidal" ? kernels::sinusoids : kernels::halved_sinusoids)(
        0, kSinusoids, config_.width, table.data());
    return variable_of(std::move(table), {kSinusoids, config_.width});
  }

  void heads(const std::string& attention, bool rotate) {
    if (config_.kv_heads > 0 && config_.kv_heads < config_.heads)
      add(attention + "/num_heads_kv", static_cast<int32_t>(config_.kv_heads));
    if (!rotate) return;
    add(attention + "/rotary_dim", int32_t{0});  // the whole head
    add(attention + "/rotary_interleave", int8_t{1});
    add(attention + "/rotary_base", static_cast<float>(kernels::kPositionBase));
  }

  const model::ModelConfig& config_;
  Weights weights_;
  decode::AlignmentConfig alignment_;
  std::map<std::string, Variable> variables_;
  std::map<std::string, std::string> aliases_;  // name -> the variable that it shares
};

}  // namespace

std::string missing_in_ctranslate2(const model::ModelConfig& config) {
  const std::string missing = missing_in_plain_transformer(config);
  if (!missing.empty() || config.positions == "sinusoidal" || config.positions == "learned" ||
      config.positions == "rotary" || config.positions == "tensor2tensor")
    return missing;
  return fmt::format("it has no such positions (model.positions is {})", config.positions);
}

int64_t longest_in_ctranslate2(const model::ModelConfig& config) {
  if (config.positions == "sinusoidal" || config.positions == "tensor2tensor") return kSinusoids;
  if (config.positions == "learned") return config.max_positions;
  return std::numeric_limits<int64_t>::max();
}

std::string search_in_ctranslate2(const decode::DecodeConfig& config, int64_t longest) {
  const decode::SamplingConfig& sampling = config.sampling;
  const bool samples = decode::samples(sampling);
  // With a beam CTranslate2 would draw the candidates of a search.
  std::vector<std::string> options = {"beam_size=" +
                                      std::to_string(samples ? 1 : config.beam_size)};
  options.push_back("length_penalty=" + nlohmann::json(length_exponent(config)).dump());
  if (config.n_best > 1) options.push_back("num_hypotheses=" + std::to_string(config.n_best));
  if (config.no_repeat_ngram > 0)
    options.push_back("no_repeat_ngram_size=" + std::to_string(config.no_repeat_ngram));
  if (!config.forbid.empty()) {
    auto sequences = nlohmann::json::array();
    for (const std::string& piece : config.forbid) sequences.push_back({piece});
    options.push_back("suppress_sequences=" + sequences.dump());
  }
  if (config.min_length > 0)
    options.push_back("min_decoding_length=" + std::to_string(config.min_length));
  if (samples) {
    const double top_p = sampling.top_p > 0 ? sampling.top_p : 1;
    options.push_back("sampling_topk=" + std::to_string(sampling.top_k));
    options.push_back("sampling_topp=" + nlohmann::json(top_p).dump());
    options.push_back("sampling_temperature=" + nlohmann::json(sampling.temperature).dump());
  }
  // CTranslate2 counts </s>, which heed's limit does not.
  options.push_back("max_input_length=" +
                    std::to_string(std::min(config.max_source_length + 1, longest)));
  options.push_back("max_decoding_length=" + std::to_string(decode::length_limit(
                                                 config, config.max_source_length, longest - 1)));
  return join(options, ", ");
}

void write_ctranslate2(const model::ModelConfig& config, const Weights& weights,
                       const decode::AlignmentConfig& alignment, const std::string& path) {
  expect(missing_in_ctranslate2(config).empty(), "a model that CTranslate2 can run");
  Translation(config, with_scaled_queries(config, weights), alignment).write(path);
}

}  // namespace heed::exchange
