#include "model/transformer/beam_caches.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "model/description/config.h"
#include "model/description/kinds.h"
#include "model/device.h"
#include "model/transformer/positions/positions.h"

namespace heed::model {
namespace {

constexpr int64_t kCapacityUnit = 16;  // slots; LibTorch copies added scores whose rows are not
constexpr int64_t kAligned = 8;        // aligned to as many numbers
constexpr double kUnseen = -std::numeric_limits<double>::infinity();

int64_t rounded_up(int64_t count, int64_t unit) {
  return (count + unit - 1) / unit * unit;
}

/// Returns `tensor` for writing; it becomes a copy where another State holds it as well.
Tensor& own(Tensor& tensor) {
  if (tensor.use_count() > 1) tensor = tensor.clone();
  return tensor;
}

/// The number of slots used so far, one for each hypothesis of each step.
int64_t slots_of(const State& state) {
  int64_t slots = 0;
  for (const int64_t beam : state.beams) slots += beam;
  return slots;
}

/// Returns `tensor` with room for `capacity` along its dimension `dim`.
Tensor grown(const Tensor& tensor, int64_t dim, int64_t used, int64_t capacity) {
  auto sizes = tensor.sizes().vec();
  sizes[dim] = capacity;
  const Tensor out = at::empty(sizes, tensor.options());
  if (used > 0) out.narrow(dim, 0, used).copy_(tensor.narrow(dim, 0, used));
  return out;
}

/// The next capacity: at least twice as large, so that all copies together move less than twice the
/// numbers that there are.
int64_t next_capacity(int64_t capacity, int64_t needed, int64_t beam) {
  return rounded_up(std::max(needed + (kCapacityUnit - 1) * beam, 2 * capacity), kCapacityUnit);
}

void make_room(State& state, int64_t beam, const BeamStepOptions& options) {
  const Tensor& source = state.memory[kSourceHeads];
  Tensor& cache = state.memory[kStepHeads];
  Tensor& sees = state.carried[0];
  const int64_t used = slots_of(state);
  const int64_t capacity = cache.defined() ? cache.size(2) : 0;
  if (used + beam > capacity) {
    const int64_t more = next_capacity(capacity, used + beam, beam);
    int64_t heads = 0;
    for (const int64_t of_layer : options.heads) heads += of_layer;
    cache = cache.defined()
                ? grown(cache, 2, used, more)
                : at::empty({source.size(0), heads, more, options.head}, source.options());
    if (sees.defined()) {
      sees = grown(sees, 2, used, more);
      sees.narrow(2, used, more - used).fill_(kUnseen);
    }
  } else {
    own(cache);
    if (sees.defined()) own(sees);
  }
  if (!sees.defined() && beam > 1) {  // all of them come from the one that was
    sees = at::full({cache.size(0), beam, cache.size(2)}, kUnseen, cache.options());
    if (used > 0) sees.narrow(2, 0, used).zero_();
  }
  if (sees.defined()) sees.narrow(2, used, beam).diagonal(0, 1, 2).zero_();  // each its own
}

/// The step of each of the first `count` slots, and `position` beyond.
std::vector<int64_t> steps_of(const State& state, int64_t beam, int64_t count) {
  std::vector<int64_t> steps;
  for (int64_t step = 0; step < std::ssize(state.beams); ++step)
    steps.insert(steps.end(), state.beams[step], step);
  steps.insert(steps.end(), beam, state.position);
  steps.resize(count, state.position);
  return steps;
}

/// Scores of -inf for the steps that a pattern hides, else 0: [1, 1, 1, steps].
Tensor hidden_steps(const kernels::Pattern& pattern, int64_t position,
                    const std::vector<int64_t>& steps, const at::TensorOptions& options) {
  std::vector<double> hidden;
  for (const int64_t step : steps) hidden.push_back(pattern.sees(position, step) ? 0 : kUnseen);
  const Tensor host = at::tensor(hidden).to(c10::typeMetaToScalarType(options.dtype()));
  return upload(host, options.device()).view({1, 1, 1, -1});
}

/// Leaves out the slots before `first`, as far as rows of scores stay aligned.
void skip(BeamStep& step, int64_t first) {
  step.first = first / kAligned * kAligned;
  step.count -= step.first;
  const int64_t left = step.hidden.size(3) - step.first;
  step.hidden = step.hidden.narrow(3, step.first, left);
  if (step.steps.defined()) step.steps = step.steps.narrow(0, step.first, left);
}

void repeat_hidden(BeamStep& step, int64_t group) {
  step.hidden_of_group = step.hidden;
  if (!step.hidden.defined() || group == 1 || step.hidden.size(2) == 1) return;
  const Tensor rows = step.hidden.unsqueeze(3);  // [.., 1, beam, 1, slots]
  step.hidden_of_group = rows.expand({-1, -1, -1, group, -1}).flatten(2, 3);
}

/// Begins a step of FixedBeams, which looks at all slots; `hidden` hides those that are not written
/// yet.
BeamStep begin_fixed_step(const State& state, int64_t beam, const BeamStepOptions& options) {
  expect(options.pattern.window == 0 && !options.wants_steps, "a step that is alike everywhere");
  const Tensor& sees = state.carried[0];
  BeamStep step{.positions = state.end,
                .at = state.at,
                .slots = state.at * beam + at::arange(beam, state.at.options()),
                .count = sees.size(2),
                .hidden = sees.unsqueeze(1)};
  const Tensor own = step.slots.view({1, beam, 1}).expand({sees.size(0), beam, 1});
  sees.scatter_(2, own, 0);
  repeat_hidden(step, options.group);
  return step;
}

/// Moves the rows of some sentences to the front.
void bring_forward(const Tensor& all, const Tensor& rows) {
  all.narrow(0, 0, rows.size(0)).copy_(all.index_select(0, rows));
}

}  // namespace

State start_beams(const std::vector<Tensor>& memory, const Tensor& valid) {
  State state;
  state.memory.resize(kBeamMemorySlots);
  state.memory[kSourceHeads] = at::cat(memory, 1);
  state.carried.resize(1);
  if (!valid.defined()) return state;
  const int64_t source = valid.size(3);
  const Tensor hidden = at::full({valid.size(0), 1, 1, rounded_up(source, kAligned)}, kUnseen,
                                 state.memory[kSourceHeads].options());
  hidden.narrow(3, 0, source).masked_fill_(valid, 0);
  state.memory[kHiddenPadding] = hidden;
  return state;
}

BeamStep begin_step(State& state, int64_t beam, const BeamStepOptions& options) {
  expect(state.memory.size() == kBeamMemorySlots && state.carried.size() == 1,
         "a state of this model");
  if (state.at.defined()) return begin_fixed_step(state, beam, options);
  make_room(state, beam, options);
  const Tensor& cache = state.memory[kStepHeads];
  BeamStep step{.position = state.position, .slot = slots_of(state)};
  const int64_t end = step.slot + beam, rounded = rounded_up(end, kAligned);
  step.count = end;
  if (state.carried[0].defined()) step.hidden = state.carried[0].narrow(2, 0, rounded).unsqueeze(1);
  const bool hides = options.pattern.narrows(state.position + 1);
  if (hides || options.wants_steps) {
    const std::vector<int64_t> steps = steps_of(state, beam, rounded);
    if (options.wants_steps) step.steps = upload_numbers(steps, cache.device());
    if (hides) {
      const Tensor far = hidden_steps(options.pattern, state.position, steps, cache.options());
      step.hidden = step.hidden.defined() ? step.hidden + far : far;
      if (options.pattern.is_band())
        skip(step, std::ranges::lower_bound(
                       steps, options.pattern.range(state.position, state.position + 1).begin) -
                       steps.begin());
    }
  }
  repeat_hidden(step, options.group);
  return step;
}

HeadsOfLayer cached_steps(const State& state, int64_t first_head, int64_t heads) {
  return {state.memory[kStepHeads].narrow(1, first_head, heads)};
}

HeadsOfLayer cached_source(const State& state, int64_t first_head, int64_t heads) {
  return {state.memory[kSourceHeads].narrow(1, first_head, heads)};
}

Tensor hidden_padding(const State& state) {
  const Tensor& padding = state.memory[kHiddenPadding];
  return padding.defined() ? padding.narrow(3, 0, state.memory[kSourceHeads].size(2)) : padding;
}

Tensor added_at(const BeamStep& step, const Tensor& by_step, int64_t sentences, int64_t kv_heads) {
  if (!by_step.defined())
    return step.hidden_of_group.defined() ? step.hidden_of_group.narrow(3, 0, step.count)
                                          : step.hidden_of_group;
  Tensor added = by_step.index_select(3, step.steps);  // [rows, heads, 1, count rounded up]
  const int64_t group = added.size(1) / kv_heads;
  const bool alike = added.size(0) == 1;  // for all queries
  added = added.view({alike ? 1 : sentences, -1, kv_heads, group, added.size(3)})
              .transpose(1, 2);  // [sentences, kv heads, beam, group, slots]
  if (step.hidden.defined()) added = added + step.hidden.unsqueeze(3);
  return added.flatten(2, 3).narrow(3, 0, step.count);
}

Tensor attend_beams(const Tensor& query, const Tensor& keys, const Tensor& values,
                    const AttentionMask& masking, Tensor* weights) {
  const int64_t kv_heads = keys.size(1), beam = query.size(1), group = query.size(2) / kv_heads;
  const Tensor queries =  // [sentences, kv heads, beam * group, head]
      query.unflatten(2, {kv_heads, group}).transpose(1, 2).flatten(2, 3);
  const Tensor context = attend(queries, keys, values, masking, weights);
  if (weights) *weights = weights->unflatten(2, {beam, group}).transpose(2, 3).flatten(1, 2);
  return context.unflatten(2, {beam, group}).transpose(1, 2).flatten(2);
}

Tensor weights_by_step(const Tensor& weights, const BeamStep& step) {
  auto sizes = weights.sizes().vec();
  sizes[3] = step.position + 1;
  return at::zeros(sizes, weights.options())
      .index_add_(3, step.steps.narrow(0, 0, step.count), weights);
}

bool has_fixed_steps(const ModelConfig& config) {
  return self_attention_info(config.self_attention).has_scores() && config.sliding_window == 0 &&
         positions_info(config.positions).effect != PositionsEffect::kAddsScores;
}

FixedBeams::FixedBeams(const State& state, int64_t numbers, int64_t beam, const BeamsShape& most)
    : most_(most) {
  const Tensor& source = state.memory[kSourceHeads];
  const int64_t head = source.size(3), slots = most.steps * beam;
  padding_ = at::zeros({most.sentences, 1, 1, most.source}, source.options());
  source_ = at::zeros({most.sentences, source.size(1), most.source, head}, source.options());
  steps_ = at::zeros({most.sentences, numbers / head, slots, head}, source.options());
  sees_ = at::empty({most.sentences, beam, slots}, source.options());
  at_ = at::zeros({1}, source.options().dtype(at::kLong));
}

void FixedBeams::start(const State& state, const BeamsShape& shape) {
  const Tensor &source = state.memory[kSourceHeads], &padding = state.memory[kHiddenPadding];
  const int64_t sentences = source.size(0), pieces = source.size(2);
  const State own = this->state(shape);
  for (const Tensor& one : own.memory) one.zero_();
  own.at.zero_();
  own.carried[0].fill_(kUnseen);
  source_.narrow(0, 0, sentences).narrow(2, 0, pieces).copy_(source);
  const Tensor hidden = padding_.narrow(0, 0, sentences);
  hidden.narrow(3, pieces, shape.source - pieces).fill_(kUnseen);
  if (padding.defined()) hidden.narrow(3, 0, pieces).copy_(padding.narrow(3, 0, pieces));
}

void FixedBeams::reorder(const Tensor& sentences, const Tensor& hypotheses) {
  for (const Tensor& one : {padding_, source_, steps_}) bring_forward(one, sentences);
  bring_forward(sees_.flatten(0, 1), hypotheses.flatten());
}

State FixedBeams::state(const BeamsShape& shape) const {
  const auto part = [&](const Tensor& all, int64_t dim, int64_t count) {
    return all.narrow(0, 0, shape.sentences).narrow(dim, 0, count);
  };
  const int64_t slots = shape.steps * beam();
  State out;
  out.memory = {part(padding_, 3, shape.source), part(source_, 2, shape.source),
                part(steps_, 2, slots)};
  out.carried = {part(sees_, 2, slots)};
  out.at = at_;
  out.end = shape.steps;
  return out;
}

}  // namespace heed::model
