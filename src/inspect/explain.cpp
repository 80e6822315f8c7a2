#include "inspect/explain.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <utility>

#include "base/random.h"
#include "config/attention_kind.h"
#include "data/batch.h"
#include "data/example.h"
#include "decode/search/batches.h"
#include "inspect/attention_maps.h"
#include "kernels/divide_work.h"
#include "model/device.h"
#include "model/model.h"
#include "model/source.h"

namespace heed::inspect {
namespace {

/// Returns how many copies of a pair are read together: a bound on memory, which holds their
/// [target, vocab].
int64_t copies_at_once(const data::Example& pair) {
  const int64_t length = decode::padded_length(std::ssize(pair.source), std::ssize(pair.target));
  return std::max<int64_t>(1, 1024 / (length + 1));
}

using at::Tensor;
using config::AttentionKind;

constexpr int64_t kRows = 32;  // most copies of a sentence that are read together
// Target pieces whose gradients are found together, of a long pair fewer. Their copies of the
// sentence end at the last of them: a decoder sees no later piece. With fewer at a time the
// products of matrices would be small.
constexpr int64_t kSteps = 8;

/// Computes log p of every target piece of one pair.
class Pair {
 public:
  Pair(model::Model& model, const at::Device& device, const data::Example& example)
      : model_(model), device_(device), example_(example) {}

  int64_t target() const { return std::ssize(example_.target) + 1; }
  int64_t source() const { return std::ssize(example_.source) + 1; }

  /// [target] of each of the examples, which have the same target: [examples, target].
  Tensor log_probabilities(const std::vector<data::Example>& examples) const {
    const at::NoGradGuard no_gradients;
    std::vector<Tensor> parts;
    const auto most = static_cast<std::size_t>(std::min(kRows, copies_at_once(example_)));
    for (std::size_t first = 0; first < examples.size(); first += most) {
      std::vector<const data::Example*> rows;
      for (std::size_t i = first; i < std::min(examples.size(), first + most); ++i)
        rows.push_back(&examples[i]);
      const data::Batch batch = data::make_batch(rows);
      const Tensor logits = model_.logits(model_.features(
          model::make_source(batch, device_), model::make_target_input(batch, device_)));
      const Tensor gold = gold_of(batch).unsqueeze(-1);
      parts.push_back(at::log_softmax(logits.to(at::kFloat), -1).gather(-1, gold).squeeze(-1));
    }
    return at::cat(parts).cpu();
  }

  /// Returns, with the word vectors times `share`: x(i) . d log p(y(t)) / d x(i) [target, source]
  /// for the whole vectors x, and log p [target].
  std::pair<Tensor, Tensor> gradients(double share) const {
    const at::AutoGradMode with_gradients(true);
    std::vector<Tensor> products, values;
    const int64_t steps_at_once = std::min(kSteps, copies_at_once(example_));
    for (int64_t first = 0; first < target(); first += steps_at_once) {
      const int64_t rows = std::min(steps_at_once, target() - first);
      data::Example begun = example_;
      begun.target.resize(std::min(std::ssize(begun.target), first + rows));
      const data::Batch batch = data::make_batch(std::vector<const data::Example*>(rows, &begun));
      model::Trace trace{.kinds = {}, .vectors = model::SourceVectors{.share = share}};
      const Tensor features = model_.features(model::make_source(batch, device_),
                                              model::make_target_input(batch, device_), &trace);
      // Row r tells of target piece first + r alone.
      const Tensor steps = at::arange(first, first + rows, at::kLong).to(device_);
      const Tensor own = features.index({at::arange(rows, steps.options()), steps});
      const Tensor gold = gold_of(batch)[0].index_select(0, steps);
      const Tensor value =
          at::log_softmax(model_.logits(own).to(at::kFloat), -1).gather(1, gold.unsqueeze(1));
      const Tensor leaf = trace.vectors->leaf;
      const Tensor gradient = torch::autograd::grad({value.sum()}, {leaf})[0];
      const Tensor whole = share == 0 ? leaf.detach() : leaf.detach() / share;
      products.push_back((gradient * whole).sum(-1));
      values.push_back(value.detach().squeeze(1));
    }
    return {at::cat(products).cpu(), at::cat(values).cpu()};
  }

  /// The pair without the source pieces of this group.
  data::Example without(std::size_t group, const std::vector<std::size_t>& group_of) const {
    data::Example shorter = example_;
    shorter.source.clear();
    for (std::size_t i = 0; i < example_.source.size(); ++i)
      if (group_of[i] != group) shorter.source.push_back(example_.source[i]);
    return shorter;
  }

  const data::Example& example() const { return example_; }

 private:
  /// [batch, target]
  Tensor gold_of(const data::Batch& batch) const {
    return model::upload_numbers(batch.target_output, device_)
        .view({batch.size, batch.target_length});
  }

  model::Model& model_;
  const at::Device& device_;
  const data::Example& example_;
};

std::vector<float> numbers_of(const Tensor& x) {
  const Tensor flat = x.to(at::kFloat).contiguous();
  return {flat.const_data_ptr<float>(), flat.const_data_ptr<float>() + flat.numel()};
}

/// Integrated gradients of one pair. The shares of the vectors are u^2: the points lie closer
/// together near 0, where a layer norm turns quickly.
class Integral {
 public:
  Integral(const Pair& pair, int64_t steps) : pair_(pair) {
    const auto point_at = [steps](int64_t k) {
      return static_cast<double>(k) / static_cast<double>(steps);
    };
    point(0);
    point(1);
    for (int64_t k = 0; k < steps; ++k) add(by_midpoint(point_at(k), point_at(k + 1)));
    if (!worst_row()) return;
    sum_ = Tensor();
    for (Stretch& one : stretches_) one = by_simpson(one.from, one.to);
    for (const Stretch& one : stretches_) sum_ = plus(sum_, one.products);
    refine(kMostHalvings * steps);
  }

  void write(Explanation& out) const {
    out.matrix.weights = numbers_of(sum_);
    out.explained = numbers_of(log_p(1));
    out.unexplained = numbers_of(log_p(0));
    if (worst_row()) out.matrix.missing = numbers_of(missing());
  }

 private:
  static constexpr int64_t kMostHalvings = 8;  // for each of the steps

  /// A difference that is not explained within this is a jump. Several layer norms after each other
  /// change abruptly at very small vectors.
  static bool is_shortest(double from, double to) {
    return to - from < std::max(0x1p-30, to * 0x1p-14);
  }

  struct Point {
    Tensor log_p;  // [target]
    Tensor slope;  // [target, source]: the gradient times x, by u
  };
  /// A part of the way from zero vectors to x, between two values of u.
  struct Stretch {
    double from = 0, to = 0;
    Tensor products;  // [target, source]: the integral of the slope
    Tensor error;     // [target] the change of log p that `products` do not explain
  };

  const Point& point(double u) {
    const auto [found, is_new] = points_.try_emplace(u);
    if (is_new) {
      const auto [products, value] = pair_.gradients(u * u);
      found->second = {value, products * (2 * u)};
    }
    return found->second;
  }
  const Tensor& log_p(double u) const { return points_.at(u).log_p; }

  static Tensor plus(const Tensor& sum, const Tensor& one) {
    return sum.defined() ? sum + one : one;
  }

  Stretch by_midpoint(double from, double to) {
    return {from, to, point((from + to) / 2).slope * (to - from), {}};
  }

  Stretch by_simpson(double from, double to) {
    const Tensor sum = point(from).slope + 4 * point((from + to) / 2).slope + point(to).slope;
    const Tensor products = sum * ((to - from) / 6);
    return {from, to, products, log_p(to) - log_p(from) - products.sum(1)};
  }

  void add(Stretch one) {
    sum_ = plus(sum_, one.products);
    stretches_.push_back(std::move(one));
  }

  Tensor missing() const { return log_p(1) - log_p(0) - sum_.sum(1); }

  /// The row whose sum misses most of what it may not miss; none where all add up.
  std::optional<int64_t> worst_row() const {
    const Tensor may_miss = kMayMiss + kMayMissShare * (log_p(1) - log_p(0)).abs();
    const Tensor excess = missing().abs() - may_miss;
    const int64_t row = excess.argmax().item<int64_t>();
    return excess[row].item<float>() > 0 ? std::optional(row) : std::nullopt;
  }

  /// Halves the stretch that explains the worst row least, again and again.
  void refine(int64_t halvings) {
    for (int64_t i = 0; i < halvings; ++i) {
      const auto row = worst_row();
      if (!row) return;
      const auto error_of = [&](const Stretch& one) {
        return is_shortest(one.from, one.to) ? 0 : std::abs(one.error[*row].item<float>());
      };
      const auto worst = std::ranges::max_element(stretches_, {}, error_of);
      if (error_of(*worst) == 0) return;
      const Stretch whole = *worst;
      stretches_.erase(worst);
      sum_ = sum_ - whole.products;
      const double middle = (whole.from + whole.to) / 2;
      add(by_simpson(whole.from, middle));
      add(by_simpson(middle, whole.to));
    }
  }

  const Pair& pair_;
  std::map<double, Point> points_;  // by u
  std::vector<Stretch> stretches_;
  Tensor sum_;  // [target, source] of their products
};

/// `group_of`: of each source piece.
void erase(const Pair& pair, const std::vector<std::size_t>& group_of, Explanation& out) {
  std::vector<data::Example> examples{pair.example()};
  std::vector<int64_t> firsts;  // of each group, its first piece
  std::set<std::size_t> known;
  for (std::size_t i = 0; i < pair.example().source.size(); ++i) {
    if (!known.insert(group_of.at(i)).second) continue;
    firsts.push_back(static_cast<int64_t>(i));
    examples.push_back(pair.without(group_of[i], group_of));
  }
  const Tensor values = pair.log_probabilities(examples);  // [1 + groups, target]
  const Tensor lost = values[0] - values.narrow(0, 1, values.size(0) - 1);
  Tensor all = at::zeros({pair.target(), pair.source()});  // nothing for </s>
  all.index_copy_(1, at::tensor(firsts, at::kLong), lost.t());
  out.matrix.weights = numbers_of(all);
  out.explained = numbers_of(values[0]);
}

/// Returns the group of each piece: itself where nobody groups them.
std::vector<std::size_t> groups_of(const ExplainOptions& options,
                                   const std::vector<std::string>& pieces) {
  if (options.groups) return options.groups(pieces);
  std::vector<std::size_t> each(pieces.size());
  std::iota(each.begin(), each.end(), std::size_t{0});
  return each;
}

constexpr uint64_t kSeed = 1;

/// A pair, several times.
struct Copies {
  model::Source source;
  model::TargetInput input;
  int64_t target = 0;
};

Copies copies_of(const data::Example& example, int64_t count, const at::Device& device) {
  const data::Batch batch = data::make_batch(std::vector<const data::Example*>(count, &example));
  return {model::make_source(batch, device), model::make_target_input(batch, device),
          batch.target_length};
}

/// Returns as many copies of the example as there are draws, in parts.
std::vector<Copies> all_copies_of(const data::Example& example, int64_t draws,
                                  const at::Device& device) {
  const int64_t most = copies_at_once(example);
  std::vector<Copies> parts;
  for (int64_t first = 0; first < draws; first += most)
    parts.push_back(copies_of(example, std::min(most, draws - first), device));
  return parts;
}

/// p [rows, target, vocab]
Tensor output_of(model::Model& model, const Copies& copies, model::Trace* trace) {
  return at::softmax(
      model.logits(model.features(copies.source, copies.input, trace)).to(at::kFloat), -1);
}

/// Another order of the keys for each row: indices [batch, query, keys].
Tensor random_orders(const Tensor& weights, uint64_t seed) {
  Random random(seed);
  const int64_t keys = weights.size(-1), rows = weights.size(0) * weights.size(2);
  std::vector<int64_t> all, order(keys);
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t i = 0; i < keys; ++i) order[i] = i;
    for (int64_t i = keys; i > 1; --i)
      std::swap(order[i - 1], order[static_cast<int64_t>(random.below(i))]);
    all.insert(all.end(), order.begin(), order.end());
  }
  return model::upload_numbers(all, weights.device())
      .view({weights.size(0), weights.size(2), keys});
}

/// Returns the heads of the model's cross-attention, and its layers of several heads.
std::vector<study::PermutedHead> heads_of(model::Model& model, const Copies& one) {
  model::Trace trace;  // of cross-attention
  model.features(one.source, one.input, &trace);
  std::vector<study::PermutedHead> heads;
  for (const auto& map : trace.maps)
    for (int64_t head = map.weights.size(1) > 1 ? -1 : 0; head < map.weights.size(1); ++head)
      heads.push_back({map.layer, head});
  return heads;
}

}  // namespace

std::vector<Explanation> explain(decode::Translator& translator,
                                 const std::vector<std::string>& sources,
                                 const std::optional<std::vector<std::string>>& targets,
                                 const ExplainOptions& options, int64_t first_line) {
  model::Model& model = *translator.first().model;
  std::vector<Reading> readings = readings_of(translator, sources, targets, first_line);
  std::vector<Explanation> out(readings.size());
  const model::EvaluationMode mode({&model});
  kernels::divide_work(translator.device(), std::ssize(readings), [&](int64_t i, int64_t) {
    Reading& reading = readings[i];
    Explanation& one = out[i];
    one.matrix.sentence = first_line + i;
    one.matrix.kind = options.evidence;
    if (reading.readable) {
      const Pair pair(model, translator.device(), reading.example);
      if (options.evidence == AttentionKind::erasure) {
        erase(pair, groups_of(options, reading.sentence.source_pieces), one);
      } else if (options.evidence == AttentionKind::integrated) {
        Integral(pair, options.steps).write(one);
      } else {
        const auto [products, values] = pair.gradients(1);
        one.matrix.weights = numbers_of(products);
        one.explained = numbers_of(values);
      }
    }
    one.target_text = std::move(reading.sentence.target_text);
    one.matrix.source = std::move(reading.sentence.source_pieces);
    one.matrix.target = std::move(reading.sentence.target_pieces);
  });
  return out;
}

model::Exchange permuting(int64_t of_layer, int64_t of_head, uint64_t seed) {
  // Shared by its copies: each step of a recurrent model may ask another one.
  const auto calls = std::make_shared<uint64_t>(0);
  return [=](const Tensor& weights, int64_t layer, int64_t first_head) {
    const int64_t own = of_head - first_head;
    const bool whole = of_head < 0;
    if (layer != of_layer || (!whole && (own < 0 || own >= weights.size(1)))) return weights;
    Tensor changed = weights.clone();
    const Tensor heads =
        whole ? changed : changed.narrow(1, own, 1);  // [batch, heads, query, keys]
    const Tensor orders = random_orders(weights, mix({seed, (*calls)++})).unsqueeze(1);
    heads.copy_(heads.gather(3, orders.expand_as(heads)));
    return changed;
  };
}

std::vector<std::vector<study::PermutedHead>> permuted_outputs(
    decode::Translator& translator, const std::vector<std::string>& sources,
    const std::optional<std::vector<std::string>>& targets, int64_t draws, int64_t first_line) {
  model::Model& model = *translator.first().model;
  const std::vector<Reading> readings = readings_of(translator, sources, targets, first_line);
  std::vector<std::vector<study::PermutedHead>> out(readings.size());
  if (!model.attends()) return out;
  const at::NoGradGuard no_gradients;
  const model::EvaluationMode mode({&model});
  kernels::divide_work(translator.device(), std::ssize(readings), [&](int64_t i, int64_t) {
    const Reading& reading = readings[i];
    if (!reading.readable) return;
    const Copies one = copies_of(reading.example, 1, translator.device());
    const auto parts = all_copies_of(reading.example, draws, translator.device());
    const Tensor usual = output_of(model, one, nullptr);
    for (study::PermutedHead& head : heads_of(model, one)) {
      const auto number = static_cast<uint64_t>(first_line + i);
      model::Trace trace{.kinds = {},
                         .exchange = permuting(head.layer, head.head, mix({kSeed, number}))};
      double sum = 0;
      for (const Copies& part : parts)
        sum += (output_of(model, part, &trace) - usual).abs().sum().item<double>();
      const auto steps = static_cast<double>(draws * one.target);
      head.moved = sum / steps / 2;
      out[i].push_back(head);
    }
  });
  return out;
}

}  // namespace heed::inspect
