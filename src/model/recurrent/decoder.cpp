#include "model/recurrent/decoder.h"

#include <ATen/ATen.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "base/error.h"
#include "model/description/config.h"
#include "model/description/kinds.h"
#include "model/embedding.h"

namespace heed::model {
namespace {

// The indices of State::memory.
enum MemorySlot { kValues, kKeys, kValid, kSummary, kBias, kConstant, kMemorySlots };

}  // namespace

RecurrentDecoder::RecurrentDecoder(const ModelConfig& config, int64_t input)
    : cell_(config.cell),
      timing_(attention_info(config.attention).timing),
      feeding_(config.input_feeding && timing_ == Timing::kAfter),
      maxout_(config.readout == Readout::maxout),
      dropout_(config.dropout) {
  const int64_t hidden = config.hidden_size, memory = config.hidden_size;
  attention_ = register_module("attention", make_attention(config));
  const int64_t extra = timing_ == Timing::kAfter ? (feeding_ ? input : 0) : memory;
  for (int64_t layer = 0; layer < config.layers; ++layer)
    cells_.push_back(
        register_module("layer" + std::to_string(layer),
                        layer == 0 ? std::make_shared<RecurrentCell>(cell_, input, hidden, extra)
                                   : std::make_shared<RecurrentCell>(cell_, hidden, hidden)));
  const int64_t states = config.layers * (cell_ == Cell::lstm ? 2 : 1);
  const int64_t summary = timing_ == Timing::kBefore ? memory / 2 : memory;
  initial_weight_ = register_parameter("initial_weight", gate_matrices(states, hidden, summary));
  initial_bias_ = register_parameter("initial_bias", at::zeros({states * hidden}));
  const int64_t inner = maxout_ ? 2 * input : input;
  read_state_ = register_parameter("read_state", xavier(inner, hidden));
  read_context_ = register_parameter("read_context", xavier(inner, memory));
  if (timing_ != Timing::kAfter)
    read_input_ = register_parameter("read_input", xavier(inner, input));
  read_bias_ = register_parameter("read_bias", at::zeros({inner}));
}

// s(0) = tanh(W summary) for every layer; the LSTM's cells start in the same way, with rows of W of
// their own. Bahdanau's decoder starts from the backward direction's state alone, which has just
// read the first word (Bahdanau et al. 2015, A.2.2).
RecurrentDecoder::Carried RecurrentDecoder::first_states(const Tensor& summary) const {
  const int64_t read = initial_weight_.size(1);
  const Tensor from = summary.narrow(1, summary.size(1) - read, read).unsqueeze(1);
  const Tensor all =
      at::tanh(at::linear(from, initial_weight_, initial_bias_)).to(initial_weight_.scalar_type());
  const int64_t parts = cell_ == Cell::lstm ? 2 : 1;
  const auto chunks = all.chunk(parts * static_cast<int64_t>(cells_.size()), -1);
  Carried carried;
  for (std::size_t i = 0; i < chunks.size(); i += parts)
    carried.layers.push_back({chunks[i], parts == 2 ? chunks[i + 1] : Tensor()});
  if (feeding_) carried.feed = at::zeros({summary.size(0), 1, read_bias_.size(0)}, all.options());
  return carried;
}

State RecurrentDecoder::start(const Encoded& encoded) {
  const Prepared memory = attention_->prepare(encoded);
  State state;
  state.memory.resize(kMemorySlots);
  state.memory[kValues] = memory.values;
  state.memory[kKeys] = memory.keys;
  state.memory[kValid] = memory.valid;
  state.memory[kSummary] = memory.summary;
  state.memory[kBias] = memory.bias;
  if (timing_ ==
      Timing::kNever)  // the same context at every step: its part of the gates is made once
    state.memory[kConstant] =
        cells_.front()->project_extra(memory.summary.unsqueeze(1), cells_.front()->begin());
  Carried carried = first_states(memory.summary);
  carried.coverage = attention_->first_coverage(memory);
  store(carried, state);
  return state;
}

Prepared RecurrentDecoder::load_memory(const State& state) const {
  expect(state.memory.size() == kMemorySlots, "a state of another model");
  return {
      {state.memory[kValues], state.memory[kValid], state.memory[kSummary], state.memory[kBias]},
      state.memory[kKeys]};
}

// State::carried has hidden and cell of each layer, then the feed and the coverage; each is
// undefined where the model has none.
RecurrentDecoder::Carried RecurrentDecoder::load(const State& state) const {
  expect(state.carried.size() == 2 * cells_.size() + 2, "a state of another model");
  Carried carried;
  for (std::size_t i = 0; i < cells_.size(); ++i)
    carried.layers.push_back({state.carried[2 * i], state.carried[2 * i + 1]});
  carried.feed = state.carried[2 * cells_.size()];
  carried.coverage = state.carried.back();
  return carried;
}

void RecurrentDecoder::store(const Carried& carried, State& state) const {
  state.carried.clear();
  for (const CellState& layer : carried.layers) {
    state.carried.push_back(layer.hidden);
    state.carried.push_back(layer.cell);
  }
  state.carried.push_back(carried.feed);
  state.carried.push_back(carried.coverage);
}

Tensor RecurrentDecoder::bottom_gates(const Tensor& embedded, const State& state) const {
  const Tensor gates = cells_.front()->project(embedded);
  const Tensor& constant = state.memory[kConstant];
  return constant.defined() ? gates + constant : gates;
}

RecurrentDecoder::SharedBySteps RecurrentDecoder::begin(const Prepared& memory) const {
  SharedBySteps sequence{
      .memory = attention_->begin(memory), .cells = {}, .read_state = {}, .read_context = {}};
  for (const auto& cell : cells_) sequence.cells.push_back(cell->begin());
  sequence.read_state = kernels::collected(read_state_, read_bias_);
  sequence.read_context = kernels::collected(read_context_);
  return sequence;
}

RecurrentDecoder::DecoderStep RecurrentDecoder::advance(const Tensor& gates, Carried& carried,
                                                        const SharedBySteps& sequence,
                                                        StepInput asked) {
  DecoderStep step;
  step.before = carried.layers.back().hidden;
  Tensor input = gates;
  const auto attend = [&](const Tensor& query) {
    asked.query = query;
    asked.coverage = carried.coverage;
    Attended attended = attention_->forward(asked, sequence.memory);
    carried.coverage = attended.coverage;
    return attended;
  };
  if (timing_ == Timing::kBefore) {
    step.attended = attend(step.before);
    input = gates + cells_.front()->project_extra(step.attended.context, sequence.cells.front());
  } else if (feeding_) {
    input = gates + cells_.front()->project_extra(carried.feed, sequence.cells.front());
  }
  for (std::size_t layer = 0; layer < cells_.size(); ++layer) {
    if (layer > 0) {
      const Tensor& below = carried.layers[layer - 1].hidden;
      input = cells_[layer]->project(drop(below, dropout_, is_training()));
    }
    carried.layers[layer] =
        cells_[layer]->step(input, carried.layers[layer], sequence.cells[layer]);
  }
  step.top = carried.layers.back().hidden;
  if (timing_ != Timing::kBefore) step.attended = attend(step.top);
  if (timing_ == Timing::kAfter) {
    step.attentional = attentional_state(step.attended.context, step.top, sequence);
    if (feeding_) carried.feed = step.attentional;
  }
  return step;
}

RecurrentDecoder::DecoderStep RecurrentDecoder::run_stepwise(const Tensor& gates, Carried& carried,
                                                             const Prepared& memory,
                                                             StepInput asked) {
  std::vector<Tensor> before, top, context, weights, heads, logs, attentional;
  const SharedBySteps sequence = begin(memory);
  for (const Tensor& now : gates.split(1, 1)) {
    const DecoderStep step = advance(now, carried, sequence, asked);
    ++asked.position;
    if (maxout_) before.push_back(step.before);
    top.push_back(step.top);
    context.push_back(step.attended.context);
    weights.push_back(step.attended.weights);
    if (step.attended.heads.defined()) heads.push_back(step.attended.heads);
    if (asked.logs) logs.push_back(step.attended.logs);
    if (step.attentional.defined()) attentional.push_back(step.attentional);
  }
  const auto join = [](const std::vector<Tensor>& parts) {
    return parts.empty() ? Tensor() : at::cat(parts, 1);
  };
  return {join(before),
          join(top),
          {join(context), join(weights), join(logs), join(heads)},
          join(attentional)};
}

// For models in which nothing that the attention makes enters the next step: each layer runs over
// all steps, then all steps attend together.
RecurrentDecoder::DecoderStep RecurrentDecoder::run_at_once(const Tensor& embedded,
                                                            const State& state, Carried& carried,
                                                            const Prepared& memory,
                                                            StepInput asked) {
  DecoderStep all;
  SameExtra constant;
  if (const Tensor& gates = state.memory[kConstant]; gates.defined())
    constant = {memory.summary.unsqueeze(1), gates};
  for (std::size_t layer = 0; layer < cells_.size(); ++layer) {
    const bool bottom = layer == 0;
    const Tensor input = bottom ? embedded : drop(all.top, dropout_, is_training());
    all.top = cells_[layer]->unroll(input, bottom ? constant : SameExtra(), carried.layers[layer]);
  }
  const SharedBySteps sequence = begin(memory);
  asked.query = all.top;
  asked.stride = 1;
  all.attended = attention_->forward(std::move(asked), sequence.memory);
  if (timing_ == Timing::kAfter)
    all.attentional = attentional_state(all.attended.context, all.top, sequence);
  return all;
}

// h~ = tanh(W [c; s]), Luong et al. 2015, equation 5, with W in two parts.
Tensor RecurrentDecoder::attentional_state(const Tensor& context, const Tensor& top,
                                           const SharedBySteps& sequence) {
  return at::tanh(kernels::collected_linear(context, sequence.read_context) +
                  kernels::collected_linear(top, sequence.read_state));
}

Tensor RecurrentDecoder::read_out(const Tensor& embedded, const DecoderStep& step) const {
  if (timing_ == Timing::kAfter) return step.attentional;
  // The summary is one row per sentence: [batch, 1, memory] is projected, then broadcast.
  const Tensor& context = step.attended.context;
  const Tensor seen = timing_ == Timing::kNever ? context.narrow(1, 0, 1) : context;
  const Tensor sum = kernels::linear(embedded, read_input_, read_bias_) +
                     kernels::linear(maxout_ ? step.before : step.top, read_state_) +
                     kernels::linear(seen, read_context_);
  if (!maxout_) return at::tanh(sum);
  // t(j) = max(t~(2j), t~(2j+1)), Bahdanau et al. 2015, A.2.2.
  return sum.unflatten(-1, {-1, 2}).amax(-1);
}

// The weights of each head; a mechanism without heads counts as one head.
Tensor RecurrentDecoder::by_head(const Attended& attended) {
  if (!attended.weights.defined()) return {};
  return attended.heads.defined() ? attended.heads.transpose(1, 2) : attended.weights.unsqueeze(1);
}

Tensor RecurrentDecoder::step(const Tensor& embedded, State& state, Tensor* weights) {
  Carried carried = load(state);
  const DecoderStep step = advance(bottom_gates(embedded, state), carried,
                                   begin(load_memory(state)), {.position = state.position});
  store(carried, state);
  ++state.position;
  if (weights != nullptr) *weights = by_head(step.attended);
  return read_out(embedded, step);
}

Tensor RecurrentDecoder::run(const Tensor& embedded, const State& state, Tensor* weights,
                             Tensor* logs, const Exchange& exchange) {
  Carried carried = load(state);
  const Prepared memory = load_memory(state);
  StepInput asked{.logs = logs != nullptr};
  if (exchange)
    asked.exchange = [&exchange](const Tensor& own, int64_t head) {
      return exchange(own.unsqueeze(1), /*layer=*/0, head).squeeze(1);
    };
  const bool chained = timing_ == Timing::kBefore || feeding_ || carried.coverage.defined();
  const DecoderStep all = chained
                              ? run_stepwise(bottom_gates(embedded, state), carried, memory, asked)
                              : run_at_once(embedded, state, carried, memory, asked);
  if (weights != nullptr) *weights = by_head(all.attended);
  if (logs != nullptr) *logs = all.attended.logs;
  return read_out(embedded, all);
}

}  // namespace heed::model
