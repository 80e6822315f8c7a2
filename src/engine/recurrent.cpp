#include "engine/recurrent.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>

#include "engine/matrix.h"
#include "engine/weights.h"
#include "kernels/rows/attention.h"
#include "kernels/rows/normalisers.h"
#include "model/description/kinds.h"

namespace heed::engine {
namespace {

using model::ScoresOf;

/// The transpose of x [rows, columns]: [columns, rows].
Floats columns_of(const Array& x) {
  Floats out;
  for (int64_t column = 0; column < x.columns(); ++column)
    for (int64_t row = 0; row < x.rows(); ++row) out.push_back(x.data[row * x.columns() + column]);
  return out;
}

class RecurrentMaker {
 public:
  RecurrentMaker(const model::ModelConfig& config, const Weights& weights, WeightFormat numbers)
      : config_(config), weights_(weights), numbers_(numbers) {}

  RecurrentAttention attention(ScoresOf score) const {
    RecurrentAttention attention{.score = score,
                                 .window = config_.window,
                                 .half_width = static_cast<float>(config_.window_size),
                                 .coverage = config_.coverage,
                                 .weigh = kernels::row_normaliser(config_.attention_normaliser),
                                 .width = config_.hidden_size};
    if (config_.coverage == model::Coverage::neural)
      attention.coverage_width = config_.coverage_size;
    const std::string own = "decoder.attention.";
    if (config_.attention_heads == 1) {
      attention.heads = {head(own, score)};
      return attention;
    }
    attention.query = linear(own + "query", config_.hidden_size, config_.hidden_size);
    attention.memory = linear(own + "memory", config_.hidden_size, config_.hidden_size);
    for (int64_t h = 0; h < config_.attention_heads; ++h)
      attention.heads.push_back(head(own + "head" + std::to_string(h) + ".", score));
    return attention;
  }

  RecurrentWeights all() const {
    const model::AttentionKindInfo& kind = model::attention_info(config_.attention);
    const model::Timing timing = kind.timing;
    RecurrentWeights all{.config = config_,
                         .source_embedding = embedding_of(config_, weights_, false),
                         .target_embedding = embedding_of(config_, weights_, true),
                         .attends_before = timing == model::Timing::kBefore};
    const int64_t words = config_.embedding_size, hidden = config_.hidden_size;
    const bool after = timing == model::Timing::kAfter;
    for (int64_t layer = 0; layer < config_.layers; ++layer) {
      const std::string of_layer = "layer" + std::to_string(layer);
      const int64_t input = layer == 0 ? words : hidden;
      for (const char* direction : {"_forward_", "_backward_"})
        all.encoder.push_back(cell("encoder." + of_layer + direction, input, hidden / 2));
      const int64_t extra = layer > 0 ? 0 : !after ? hidden : config_.input_feeding ? words : 0;
      all.decoder.push_back(cell("decoder." + of_layer + ".", input, hidden, extra));
    }
    if (kind.scores != ScoresOf::kNothing) all.attention = attention(kind.scores);
    const int64_t states = config_.layers * (config_.cell == model::Cell::lstm ? 2 : 1) * hidden;
    all.initial = linear("decoder.initial_weight", states, all.attends_before ? hidden / 2 : hidden,
                         "decoder.initial_bias");
    const int64_t read = config_.readout == model::Readout::maxout ? 2 * words : words;
    all.read_state = linear("decoder.read_state", read, hidden, "decoder.read_bias");
    all.read_context = linear("decoder.read_context", read, hidden);
    if (!after) all.read_input = linear("decoder.read_input", read, words);
    all.output = output_of(config_, weights_, numbers_);
    return all;
  }

 private:
  Linear linear(const std::string& weight, int64_t columns, int64_t inner,
                const std::string& bias = "") const {
    return make_linear(weights_.at(weight, {columns, inner}),
                       bias.empty() ? nullptr : &weights_.at(bias, {columns}), numbers_);
  }

  /// Reads a cell; `extra` is the width of a second input, 0 for none.
  CellWeights cell(const std::string& own, int64_t input, int64_t state, int64_t extra = 0) const {
    const int64_t gates = (config_.cell == model::Cell::lstm ? 4 : 3) * state;
    const std::string hidden_bias = own + "hidden_bias";
    CellWeights cell{.input = linear(own + "input_weight", gates, input, own + "input_bias"),
                     .extra = {},
                     .hidden = linear(own + "hidden_weight", gates, state,
                                      weights_.contains(hidden_bias) ? hidden_bias : "")};
    if (extra > 0) cell.extra = linear(own + "extra_weight", gates, extra);
    return cell;
  }

  /// Reads a head; `own` is the name of its outermost module: coverage contains a window, which
  /// contains the scores.
  HeadWeights head(std::string own, ScoresOf score) const {
    HeadWeights head;
    const int64_t width = config_.hidden_size / config_.attention_heads;
    if (config_.coverage != model::Coverage::none) {
      head.added = columns_of(weights_.at(own + "added", {width, -1}));
      if (config_.coverage == model::Coverage::linguistic) {
        head.fertility = weights_.at(own + "fertility", {width}).copy();
      } else {
        const int64_t size = config_.coverage_size, gates = 3 * size;
        head.from_weight = weights_.at(own + "from_weight", {gates, 1}).copy();
        head.from_memory = linear(own + "from_memory", gates, width);
        head.from_query = linear(own + "from_query", gates, width, own + "bias");
        head.recurrent = weights_.at(own + "recurrent", {gates, size});
      }
      own += "scores.";
    }
    if (config_.window == model::Window::local_p) {
      head.center = linear(own + "position", width, width);
      head.center_score = weights_.at(own + "position_score", {width}).copy();
    }
    if (config_.window != model::Window::global) own += "scores.";
    if (score == ScoresOf::kLocation)
      head.query = linear(own + "position", config_.max_positions, width);
    if (score == ScoresOf::kAdditive) {
      head.query = linear(own + "query", width, width);
      head.score = weights_.at(own + "score", {width}).copy();
    }
    if (score == ScoresOf::kAdditive || score == ScoresOf::kGeneral)
      head.key = linear(own + "key", width, width);
    return head;
  }

  const model::ModelConfig& config_;
  const Weights& weights_;
  WeightFormat numbers_;
};

}  // namespace

bool has_recurrent(const model::ModelConfig& config) {
  return model::attention_info(config.attention).scores != ScoresOf::kOwn &&
         kernels::row_normaliser(config.attention_normaliser) != nullptr;
}

RecurrentWeights recurrent_weights(const model::ModelConfig& config, const Weights& weights,
                                   WeightFormat numbers) {
  return RecurrentMaker(config, weights, numbers).all();
}

}  // namespace heed::engine
