// A deterministic model small enough to search by brute force: the next piece depends on all pieces
// so far and on the source, and the state it carries goes wrong at once if a beam is reordered
// wrongly.
#pragma once

#include <ATen/ATen.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "decode/model_search.h"
#include "model/model.h"
#include "text/vocabulary.h"

namespace heed::decode::toy {

using at::Tensor;

inline constexpr int64_t kVocab = 7;  // pad, unk, bos, eos and three more

class ToyModel : public model::Model {
 public:
  explicit ToyModel(int64_t longest = 1000, double sharpness = 2.5, double phase = 0)
      : longest_(longest), sharpness_(sharpness), phase_(phase) {}

  Tensor features(const model::Source& source, const model::TargetInput& input,
                  model::Trace* trace = nullptr) override {
    const Tensor history = weight(input.tokens).cumsum(1);  // [batch, target]
    const Tensor sum = source_sum(source).unsqueeze(1).expand_as(history);
    if (trace)
      trace->maps.push_back({model::AttentionKind::cross, 0,
                             attention(history, source.valid.unsqueeze(1)).unsqueeze(1)});
    return at::stack({history, sum}, -1);
  }

  Tensor logits(const Tensor& features) override {
    const Tensor value = 0.37 * features.select(-1, 0) + 0.11 * features.select(-1, 1) + phase_;
    const Tensor piece = at::arange(1, kVocab + 1, at::kFloat);
    return sharpness_ * at::sin(value.unsqueeze(-1) * piece + piece);
  }

  model::State start(const model::Source& source, model::Trace*) override {
    model::State state;
    state.memory = {source_sum(source), source.valid};
    state.carried = {at::zeros({source.tokens.size(0), 1})};
    return state;
  }

  Tensor step(const Tensor& tokens, model::State& state, model::Trace* trace = nullptr) override {
    batches.push_back(tokens.sizes().vec());
    state.carried[0] = state.carried[0] + weight(tokens);
    ++state.position;
    const Tensor& history = state.carried[0];  // [sentences, beam]
    if (trace)
      trace->maps.push_back({model::AttentionKind::cross, 0,
                             attention(history, state.memory[1].unsqueeze(1)).unsqueeze(1)});
    return logits(at::stack({history, state.memory[0].unsqueeze(1).expand_as(history)}, -1));
  }

  int64_t longest() const override { return longest_; }
  bool attends() const override { return true; }

  std::vector<std::vector<int64_t>> batches;  // shape of each step's tokens

 private:
  /// The number that each piece adds to the history.
  static Tensor weight(const Tensor& tokens) { return tokens.to(at::kFloat).square() * 0.3; }

  static Tensor source_sum(const model::Source& source) {
    return (source.tokens * source.valid).sum(1).to(at::kFloat);
  }

  static Tensor attention(const Tensor& history, const Tensor& valid) {
    const Tensor position = at::arange(valid.size(-1), at::kFloat);
    const Tensor scores = at::sin(history.unsqueeze(-1) * (position + 1));
    return at::softmax(scores.masked_fill(valid.logical_not(), -INFINITY), -1);
  }

  int64_t longest_;
  double sharpness_, phase_;
};

/// Two pieces a, b and eos with log-probabilities that do not depend on anything.
class FixedModel : public ToyModel {
 public:
  explicit FixedModel(std::vector<float> probabilities) : probabilities_(probabilities) {}
  at::Tensor logits(const at::Tensor& features) override {
    auto shape = features.sizes().vec();
    shape.back() = static_cast<int64_t>(probabilities_.size());
    return at::tensor(probabilities_).log().expand(shape);
  }

 private:
  std::vector<float> probabilities_;
};

inline model::Source make_source(const std::vector<std::vector<int64_t>>& sentences) {
  std::size_t longest = 0;
  for (const auto& one : sentences) longest = std::max(longest, one.size() + 1);
  const auto rows = static_cast<int64_t>(sentences.size());
  model::Source out{at::zeros({rows, static_cast<int64_t>(longest)}, at::kLong),
                    at::zeros({rows}, at::kLong), Tensor()};
  for (int64_t r = 0; r < rows; ++r) {
    const auto& one = sentences[r];
    for (std::size_t i = 0; i < one.size(); ++i) out.tokens[r][i] = one[i];
    out.tokens[r][one.size()] = text::kEnd;
    out.lengths[r] = static_cast<int64_t>(one.size()) + 1;
  }
  out.valid = at::arange(static_cast<int64_t>(longest)).unsqueeze(0) < out.lengths.unsqueeze(1);
  return out;
}

/// log-probabilities of every piece after `prefix`, by teacher forcing.
inline std::vector<double> next_log_probabilities(model::Model& model, const model::Source& source,
                                                  const std::vector<int32_t>& prefix) {
  std::vector<int64_t> input{text::kBegin};
  input.insert(input.end(), prefix.begin(), prefix.end());
  const Tensor features = model.features(source, at::tensor(input).unsqueeze(0));
  const Tensor last = at::log_softmax(model.logits(features.select(1, -1)), -1).to(at::kDouble);
  const Tensor row = last.reshape({-1}).contiguous();
  return {row.data_ptr<double>(), row.data_ptr<double>() + row.numel()};
}

struct Sequence {
  std::vector<int32_t> ids;
  double log_probability = 0;
};

/// Every finished sequence of at most `limit` steps, eos counted.
inline void enumerate(model::Model& model, const model::Source& source, int64_t limit,
                      const Sequence& prefix, std::vector<Sequence>& out) {
  const auto next = next_log_probabilities(model, source, prefix.ids);
  out.push_back({prefix.ids, prefix.log_probability + next[text::kEnd]});
  if (static_cast<int64_t>(prefix.ids.size()) + 1 >= limit) return;
  for (int32_t id = 0; id < static_cast<int32_t>(next.size()); ++id) {
    if (id == text::kPad || id == text::kBegin || id == text::kEnd) continue;
    Sequence longer = prefix;
    longer.ids.push_back(id);
    longer.log_probability += next[id];
    enumerate(model, source, limit, longer, out);
  }
}

inline DecodeConfig config_of(int64_t beam, LengthPenalty penalty = LengthPenalty::average) {
  DecodeConfig config;
  config.beam_size = beam;
  config.length_penalty = penalty;
  return config;
}

inline std::vector<Hypothesis> search_one(ToyModel& model, const std::vector<int64_t>& sentence,
                                          const SearchOptions& options) {
  return search({&model}, {make_source({sentence})}, options).at(0);
}

}  // namespace heed::decode::toy
