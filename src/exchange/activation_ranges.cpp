#include "exchange/activation_ranges.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "engine/weights.h"
#include "exchange/arrays.h"
#include "exchange/transformer_parts.h"

namespace heed::exchange {
namespace {

using engine::Array, engine::Floats;

/// SeenRows of numbers, one below the other.
struct SeenRows {
  int64_t width = 0;
  Floats numbers = {};

  int64_t count() const { return std::ssize(numbers) / width; }
  float* row(int64_t index) { return numbers.data() + index * width; }
  const float* row(int64_t index) const { return numbers.data() + index * width; }
};

/// The network of Marian's tensors, in fp32, which sees what it multiplies.
class SeeingStudent {
 public:
  SeeingStudent(const MarianNetwork& network, const model::ModelConfig& config)
      : tensors_(network.tensors), config_(config) {}

  void read(const IdPair& pair) {
    SeenRows memory = embedded(pair.source, false);
    for (int64_t layer = 1; layer <= config_.encoder_layers; ++layer) {
      const std::string name = fmt::format("encoder_l{}_", layer);
      attend(name + "self", memory, SeenRows(memory));
      feed_forward(name + "ffn", memory);
    }
    SeenRows x = embedded(pair.target, true);
    for (int64_t layer = 1; layer <= config_.decoder_layers; ++layer) {
      const std::string name = fmt::format("decoder_l{}_", layer);
      recur(name + "rnn", x);
      attend(name + "context", x, memory);
      feed_forward(name + "ffn", x);
    }
    for (const char* name : {"Wemb", "none"}) see(name, x);
  }

  const std::map<std::string, float>& largest() const { return largest_; }

 private:
  void see(const std::string& name, const SeenRows& x) {
    float& largest = largest_[name];
    for (const float number : x.numbers) largest = std::max(largest, std::abs(number));
  }

  SeenRows product(const std::string& name, const SeenRows& x) {
    see(name, x);
    const Array& weight = tensors_.at(name);  // [inner, columns]
    const auto bias = tensors_.find(std::string(name).replace(name.rfind("_W") + 1, 1, "b"));
    SeenRows out{weight.columns(), Floats(x.count() * weight.columns())};
    for (int64_t row = 0; row < x.count(); ++row) {
      float* const to = out.row(row);
      if (bias != tensors_.end()) std::copy_n(bias->second.data, out.width, to);
      for (int64_t i = 0; i < x.width; ++i) {
        const float factor = x.row(row)[i];
        const float* const from = weight.data + i * out.width;
        for (int64_t k = 0; k < out.width; ++k) to[k] += factor * from[k];
      }
    }
    return out;
  }

  /// x = norm(x + y)
  void add_and_norm(const std::string& name, SeenRows& x, const SeenRows& y) {
    const float *const scale = tensors_.at(name + "_ln_scale").data,
                       *const bias = tensors_.at(name + "_ln_bias").data;
    for (int64_t row = 0; row < x.count(); ++row) {
      const std::span numbers(x.row(row), x.width);
      double mean = 0, square = 0;
      for (int64_t i = 0; i < x.width; ++i) mean += numbers[i] += y.row(row)[i];
      mean /= static_cast<double>(x.width);
      for (const float number : numbers) square += (number - mean) * (number - mean);
      const double root = std::sqrt(square / static_cast<double>(x.width) + config_.norm_epsilon);
      for (int64_t i = 0; i < x.width; ++i)
        numbers[i] = static_cast<float>((numbers[i] - mean) / root) * scale[i] + bias[i];
    }
  }

  void attend(const std::string& name, SeenRows& x, const SeenRows& memory) {
    const SeenRows queries = product(name + "_Wq", x), keys = product(name + "_Wk", memory),
                   values = product(name + "_Wv", memory);
    const int64_t head = config_.width / config_.heads;
    const auto root = static_cast<float>(std::sqrt(static_cast<double>(head)));
    SeenRows context{config_.width, Floats(x.numbers.size())};
    Floats weights(memory.count());
    for (int64_t row = 0; row < x.count(); ++row)
      for (int64_t at = 0; at < config_.width; at += head) {
        float most = -INFINITY, sum = 0;
        for (int64_t key = 0; key < memory.count(); ++key) {
          weights[key] = 0;
          for (int64_t i = at; i < at + head; ++i)
            weights[key] += queries.row(row)[i] * keys.row(key)[i];
          most = std::max(most, weights[key] /= root);
        }
        for (float& weight : weights) sum += weight = std::exp(weight - most);
        for (int64_t key = 0; key < memory.count(); ++key)
          for (int64_t i = at; i < at + head; ++i)
            context.row(row)[i] += weights[key] / sum * values.row(key)[i];
      }
    add_and_norm(name + "_Wo", x, product(name + "_Wo", context));
  }

  void feed_forward(const std::string& name, SeenRows& x) {
    SeenRows inner = product(name + "_W1", x);
    for (float& number : inner.numbers) number = std::max(number, 0.0F);
    add_and_norm(name + "_ffn", x, product(name + "_W2", inner));
  }

  void recur(const std::string& name, SeenRows& x) {
    const SeenRows candidate = product(name + "_W", x), forget = product(name + "_Wf", x);
    SeenRows out{x.width, Floats(x.numbers.size())};
    Floats state(x.width);
    for (int64_t row = 0; row < x.count(); ++row)
      for (int64_t i = 0; i < x.width; ++i) {
        const float keeps = 1 / (1 + std::exp(-forget.row(row)[i]));
        state[i] = keeps * state[i] + (1 - keeps) * candidate.row(row)[i];
        out.row(row)[i] = std::max(state[i], 0.0F);
      }
    add_and_norm(name + "_ffn", x, out);
  }

  /// The vectors of ids with their positions; those of translations begin with zeros.
  SeenRows embedded(const std::vector<int64_t>& ids, bool shifted) const {
    const Array& vectors = tensors_.at("Wemb");
    const auto root = static_cast<float>(std::sqrt(static_cast<double>(config_.width)));
    SeenRows out{config_.width, tensor2tensor_positions(0, std::ssize(ids), config_.width).copy()};
    for (int64_t row = shifted ? 1 : 0; row < out.count(); ++row)
      for (int64_t i = 0; i < out.width; ++i)
        out.row(row)[i] += root * vectors.data[ids[row - (shifted ? 1 : 0)] * out.width + i];
    return out;
  }

  const std::map<std::string, Array>& tensors_;
  const model::ModelConfig& config_;
  std::map<std::string, float> largest_;
};

}  // namespace

std::map<std::string, float> largest_inputs(const MarianNetwork& network,
                                            const model::ModelConfig& config,
                                            const std::vector<IdPair>& pairs) {
  SeeingStudent student(network, config);
  for (const IdPair& pair : pairs) student.read(pair);
  return student.largest();
}

}  // namespace heed::exchange
