#include "engine/recurrent.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "base/format.h"
#include "engine/recurrent_decoder.h"
#include "kernels/rows/attention_weights.h"

namespace heed::engine {
namespace {

/// What a name of model/recurrent/attention/registry.def is for an engine.
struct RecurrentKind {
  const char* name;
  bool before;  // the cell
  ScoreKind score;
};
constexpr RecurrentKind kKinds[] = {{"bahdanau", true, ScoreKind::additive},
                                    {"luong_dot", false, ScoreKind::dot},
                                    {"luong_general", false, ScoreKind::general},
                                    {"luong_concat", false, ScoreKind::additive},
                                    {"luong_location", false, ScoreKind::location}};

const RecurrentKind* kind_of(const std::string& name) {
  const auto* const found = std::ranges::find(kKinds, name, &RecurrentKind::name);
  return found == std::end(kKinds) ? nullptr : found;
}

/// x [rows, columns] as [columns, rows].
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

  RecurrentAttention attention(const RecurrentKind& kind) const {
    RecurrentAttention attention{.score = kind.score,
                                 .window = config_.window,
                                 .half_width = static_cast<float>(config_.window_size),
                                 .coverage = config_.coverage,
                                 .weigh = kernels::row_normaliser(config_.attention_normaliser),
                                 .width = config_.hidden_size};
    if (config_.coverage == model::Coverage::neural)
      attention.coverage_width = config_.coverage_size;
    const std::string own = "decoder.attention.";
    if (config_.attention_heads == 1) {
      attention.heads = {head(own, kind)};
      return attention;
    }
    attention.query = linear(own + "query");
    attention.memory = linear(own + "memory");
    for (int64_t h = 0; h < config_.attention_heads; ++h)
      attention.heads.push_back(head(fmt::format("{}head{}.", own, h), kind));
    return attention;
  }

  RecurrentWeights all(const RecurrentKind* kind) const {
    RecurrentWeights all{.config = config_,
                         .source_embedding = embedding_of(config_, weights_, false),
                         .target_embedding = embedding_of(config_, weights_, true),
                         .attends_before = kind != nullptr && kind->before};
    for (int64_t layer = 0; layer < config_.layers; ++layer) {
      for (const char* direction : {"forward", "backward"})
        all.encoder.push_back(cell(fmt::format("encoder.layer{}_{}_", layer, direction)));
      all.decoder.push_back(cell(fmt::format("decoder.layer{}.", layer)));
    }
    if (kind != nullptr) all.attention = attention(*kind);
    all.initial = linear("decoder.initial_weight", "decoder.initial_bias");
    all.read_state = linear("decoder.read_state", "decoder.read_bias");
    all.read_context = linear("decoder.read_context");
    if (weights_.contains("decoder.read_input")) all.read_input = linear("decoder.read_input");
    all.output = output_of(config_, weights_, numbers_);
    return all;
  }

 private:
  Linear linear(const std::string& weight, const std::string& bias = "") const {
    return make_linear(weights_.at(weight), bias.empty() ? nullptr : &weights_.at(bias), numbers_);
  }

  CellWeights cell(const std::string& own) const {
    CellWeights cell{
        .input = linear(own + "input_weight", own + "input_bias"), .extra = {}, .hidden = {}};
    const std::string hidden_bias = own + "hidden_bias", extra = own + "extra_weight";
    cell.hidden = linear(own + "hidden_weight", weights_.contains(hidden_bias) ? hidden_bias : "");
    if (weights_.contains(extra)) cell.extra = linear(extra);
    return cell;
  }

  /// `own` is the name of the head's outermost module: coverage is around a window, and that around
  /// the scores.
  HeadWeights head(std::string own, const RecurrentKind& kind) const {
    HeadWeights head;
    if (config_.coverage != model::Coverage::none) {
      head.added = columns_of(weights_.at(own + "added"));
      if (config_.coverage == model::Coverage::linguistic) {
        head.fertility = weights_.at(own + "fertility").copy();
      } else {
        head.from_weight = weights_.at(own + "from_weight").copy();
        head.from_memory = linear(own + "from_memory");
        head.from_query = linear(own + "from_query", own + "bias");
        head.recurrent = weights_.at(own + "recurrent");
      }
      own += "scores.";
    }
    if (config_.window == model::Window::local_p) {
      head.center = linear(own + "position");
      head.center_score = weights_.at(own + "position_score").copy();
    }
    if (config_.window != model::Window::global) own += "scores.";
    if (kind.score == ScoreKind::location) head.query = linear(own + "position");
    if (kind.score == ScoreKind::additive) {
      head.query = linear(own + "query");
      head.score = weights_.at(own + "score").copy();
    }
    if (kind.score == ScoreKind::additive || kind.score == ScoreKind::general)
      head.key = linear(own + "key");
    return head;
  }

  const model::ModelConfig& config_;
  const Weights& weights_;
  WeightFormat numbers_;
};

class Recurrent : public Network {
 public:
  explicit Recurrent(RecurrentWeights weights) : weights_(std::move(weights)) {}

  std::unique_ptr<BatchDecoder> start(const SourceBatch& source,
                                      const Threads& threads) const override {
    return start_recurrent(weights_, source, threads);
  }

 private:
  RecurrentWeights weights_;
};

}  // namespace

bool has_recurrent(const model::ModelConfig& config) {
  return (config.attention == "none" || kind_of(config.attention) != nullptr) &&
         kernels::row_normaliser(config.attention_normaliser) != nullptr;
}

std::unique_ptr<Network> make_recurrent(const model::ModelConfig& config, const Weights& weights,
                                        WeightFormat numbers) {
  return std::make_unique<Recurrent>(
      RecurrentMaker(config, weights, numbers).all(kind_of(config.attention)));
}

}  // namespace heed::engine
