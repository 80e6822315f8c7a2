#include "exchange/transformer_parts.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "exchange/arrays.h"
#include "kernels/rows/positions.h"
#include "text/vocabulary.h"

namespace heed::exchange {
namespace {

namespace names = model::names;
using engine::Array, engine::Floats;
using model::AttentionKind;

class Assembly {
 public:
  Assembly(const TransformerParts& parts, const Numbering& numbering,
           const model::ModelConfig& config)
      : parts_(parts), numbering_(numbering), config_(config) {}

  std::map<std::string, Array> all() {
    tokens();
    for (const bool decoder : {false, true}) {
      if (config_.positions == "learned")
        put(names::within(decoder ? names::kTargetPositions : names::kSourcePositions, "weight"),
            columns(parts_.positions(decoder)));
      const int64_t layers = decoder ? config_.decoder_layers : config_.encoder_layers;
      for (int64_t layer = 0; layer < layers; ++layer) {
        attention(decoder ? AttentionKind::decoder : AttentionKind::encoder, layer);
        if (decoder) attention(AttentionKind::cross, layer);
        feed_forward(decoder, layer);
      }
      if (config_.norm == model::Norm::pre)
        norm(names::within(names::stack(decoder), names::kNorm), parts_.last_norm(decoder));
    }
    return std::move(weights_);
  }

 private:
  void put(const std::string& name, Array array) { weights_[name] = std::move(array); }

  Array columns(const Array& matrix) const {
    return numbering_.width.empty() ? matrix : with_columns(matrix, numbering_.width);
  }
  Array rows(const Array& array) const {
    return numbering_.width.empty() ? array : with_rows(array, numbering_.width);
  }

  void linear(const std::string& name, const Array& weight, const Affine& from, bool to_state) {
    const int64_t out = weight.rows();
    Array bias = from.bias.data ? from.bias : array_from(Floats(out), {out});
    put(names::within(name, "weight"), weight);
    put(names::within(name, "bias"), to_state ? rows(bias) : std::move(bias));
  }
  /// Reads a state.
  void from_state(const std::string& name, const Affine& from) {
    linear(name, columns(from.weight), from, false);
  }
  /// Writes one.
  void to_state(const std::string& name, const Affine& from) {
    linear(name, rows(from.weight), from, true);
  }
  void norm(const std::string& name, const Affine& from) {
    put(names::within(name, "weight"), rows(from.weight));
    put(names::within(name, "bias"), rows(from.bias));
  }

  void attention(AttentionKind kind, int64_t layer) {
    const std::string name = names::attention(kind, layer);
    const AttentionParts parts = parts_.attention(kind, layer);
    if (kind == AttentionKind::cross) from_state(names::within(name, names::kQuery), parts.query);
    from_state(names::within(name, names::kProjection), parts.projection);
    to_state(names::within(name, names::kOutput), parts.output);
    norm(names::norm_of_attention(kind, layer), parts.norm);
  }

  void feed_forward(bool decoder, int64_t layer) {
    const std::string name = names::feed_forward(decoder, layer);
    const FeedForwardParts parts = parts_.feed_forward(decoder, layer);
    from_state(names::within(name, names::kInner), parts.inner);
    to_state(names::within(name, names::kOutput), parts.output);
    norm(names::norm_of_feed_forward(decoder, layer), parts.norm);
  }

  /// Rows of heed's pieces; bos is what the decoder begins with where `start` says so.
  Array pieces(const Array& from, std::span<const int64_t> ids, bool start) const {
    std::vector<int64_t> order(ids.begin(), ids.end());
    if (start) order[text::kBegin] = numbering_.start;
    if (const int64_t most = std::ranges::max(order); most >= from.rows())
      throw UserError(
          "a piece has the id {}, and there are vectors of {}; is this the vocabulary of "
          "these weights?",
          most, from.rows());
    return columns(with_rows(from, order));
  }

  Array embedding(bool target) const {
    const bool both = config_.tie == model::Tie::all;
    Array vectors = pieces(parts_.embedding(target), target ? numbering_.target : numbering_.source,
                           target || both);
    if (numbering_.scaled) return vectors;
    Floats smaller = vectors.copy();
    const auto root = static_cast<float>(std::sqrt(static_cast<double>(config_.width)));
    for (float& number : smaller) number /= root;
    return array_from(std::move(smaller), vectors.shape);
  }

  void tokens() {
    for (const bool target : {false, true})
      if (target || config_.tie != model::Tie::all)
        put(names::within(model::embedding_module(config_.tie, target), "weight"),
            embedding(target));
    const Affine output = parts_.output();
    const std::string module = model::kOutputModule;
    if (config_.tie == model::Tie::none)
      put(names::within(module, "weight"),
          pieces(output.weight.data ? output.weight : parts_.embedding(true), numbering_.target,
                 true));
    if (output.bias.data && output.bias.rows() <= std::ranges::max(numbering_.target))
      throw UserError("the output layer has fewer biases than there are pieces");
    Floats bias(numbering_.target.size(), kNeverWritten);
    for (std::size_t id = 0; id < bias.size(); ++id) {
      const bool begin = id == text::kBegin;
      const int64_t theirs = begin ? numbering_.start : numbering_.target[id];
      if (theirs < 0 || (begin && !numbering_.writes_start)) continue;
      // Pieces that the program does not know have the vector of <unk>, and a decoder may begin
      // with <pad>: each of the program's pieces is written once.
      const bool repeated = (id > text::kEnd && theirs == numbering_.target[text::kUnknown]) ||
                            (id == text::kPad && theirs == numbering_.start);
      if (!repeated) bias[id] = output.bias.data ? output.bias.data[theirs] : 0;
    }
    const int64_t count = std::ssize(bias);
    put(names::within(module, "bias"), array_from(std::move(bias), {count}));
  }

  const TransformerParts& parts_;
  const Numbering& numbering_;
  const model::ModelConfig& config_;
  std::map<std::string, Array> weights_;
};

}  // namespace

Affine joined(const std::vector<Affine>& parts) {
  std::vector<Array> weights, biases;
  for (const Affine& part : parts) {
    weights.push_back(part.weight);
    if (part.bias.data) biases.push_back(part.bias);
  }
  return {joined(weights), biases.empty() ? Array{} : joined(biases)};
}

std::map<std::string, Array> weights_from(const TransformerParts& parts, const Numbering& numbering,
                                          model::ModelConfig& config) {
  if (!numbering.scaled) config.tie = model::Tie::none;
  return Assembly(parts, numbering, config).all();
}

Array tensor2tensor_positions(int64_t first, int64_t count, int64_t width) {
  const int64_t half = width / 2;
  const auto steps = static_cast<double>(std::max<int64_t>(half - 1, 1));
  Floats table(count * width);
  for (int64_t i = 0; i < half; ++i) {
    const double frequency =
        std::exp(-static_cast<double>(i) * std::log(kernels::kPositionBase) / steps);
    for (int64_t p = 0; p < count; ++p) {
      const double angle = static_cast<double>(first + p) * frequency;
      table[p * width + i] = static_cast<float>(std::sin(angle));
      table[p * width + half + i] = static_cast<float>(std::cos(angle));
    }
  }
  return array_from(std::move(table), {count, width});
}

Sinusoids sinusoids_in(const Array& table) {
  constexpr float kTolerance = 2e-3F;  // of tables in half precision
  const int64_t count = table.rows(), width = table.columns();
  Floats pairs(count * width);
  kernels::sinusoids(0, count, width, pairs.data());
  const std::vector<int64_t> halves = halves_from_pairs(width);
  const auto fits = [&](bool in_halves) {
    for (int64_t p = 0; p < count; ++p)
      for (int64_t i = 0; i < width; ++i) {
        const float wanted = pairs[p * width + (in_halves ? halves[i] : i)];
        if (std::abs(table.data[p * width + i] - wanted) > kTolerance) return false;
      }
    return true;
  };
  return fits(false) ? Sinusoids::pairs : fits(true) ? Sinusoids::halves : Sinusoids::none;
}

}  // namespace heed::exchange
