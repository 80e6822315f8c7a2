#include "engine/source_attention.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "engine/threads.h"
#include "kernels/rows/additive.h"
#include "kernels/rows/loops.h"
#include "kernels/rows/numbers.h"

namespace heed::engine {
namespace {

using model::ScoresOf;

constexpr float kLargestFertility = 2, kSmallestFertility = 0.001F;  // as model::make_covered()

float dot(const float* x, const float* y, int64_t count) {
  float sum = 0;
  kernels::dot_rows(x, y, 1, count, &sum);
  return sum;
}

/// Copies the columns [first, first + width) of x [rows, columns].
void copy_columns(const float* x, int64_t rows, int64_t columns, int64_t first, int64_t width,
                  float* to) {
  for (int64_t r = 0; r < rows; ++r, to += width) std::copy_n(x + r * columns + first, width, to);
}

/// to [count] += x [width] V^T, where V [count, width] has the rows [first, first + count) of
/// `matrix`.
void add_product(const Array& matrix, int64_t first, int64_t count, const float* x, float* to) {
  const int64_t width = matrix.columns();
  for (int64_t i = 0; i < count; ++i) to[i] += dot(matrix.data + (first + i) * width, x, width);
}

}  // namespace

HeadAttention::HeadAttention(const RecurrentAttention& kind, const HeadWeights& weights,
                             const float* values, std::span<const Span> sources,
                             const Threads& threads)
    : kind_(kind), weights_(weights), values_(values), products_(threads) {
  const int64_t width = kind_.head(), pieces = sources.back().begin + sources.back().count;
  if (kind_.score == ScoresOf::kGeneral || kind_.score == ScoresOf::kAdditive) {
    keys_.resize(pieces * width);
    products_.product(weights_.key, values_, pieces, keys_.data());
  }
  if (kind_.coverage == model::Coverage::linguistic) {
    facts_.resize(pieces);
    kernels::dot_rows(weights_.fertility.data(), values_, pieces, width, facts_.data());
    for (float& fact : facts_)
      fact = std::max(kLargestFertility * kernels::logistic(fact), kSmallestFertility);
  } else if (kind_.coverage == model::Coverage::neural) {
    facts_.resize(pieces * 3 * kind_.coverage_width);
    products_.product(weights_.from_memory, values_, pieces, facts_.data());
  }
  if (kind_.score != ScoresOf::kAdditive || kind_.coverage != model::Coverage::none) return;
  exponentials_.resize(keys_.size());
  for (const Span& source : sources) {
    const int64_t first = source.begin * width;
    const bool small =
        kernels::exp_2x(keys_.data() + first, exponentials_.data() + first, source.count * width);
    is_small_key_.insert(is_small_key_.end(), source.count, small);
  }
}

void HeadAttention::take_queries(const float* queries, const QueryRows& query_rows) {
  const int64_t width = kind_.head(), rows = query_rows.rows();
  queries_ = queries;
  if (weights_.query.matrix.columns() > 0) {
    projected_.resize(rows * weights_.query.matrix.columns());
    products_.product(weights_.query, queries, rows, projected_.data());
  }
  if (!exponentials_.empty()) {
    projected_exponentials_.resize(projected_.size());
    is_small_query_.resize(rows);
    for (int64_t row = 0; row < rows; ++row)
      is_small_query_[row] = kernels::exp_2x(projected_.data() + row * width,
                                             projected_exponentials_.data() + row * width, width);
  }
  if (kind_.window == model::Window::local_p) {
    Floats inner(rows * width);
    products_.product(weights_.center, queries, rows, inner.data());
    kernels::tangents(inner.data(), std::ssize(inner));
    centers_.resize(rows);
    kernels::dot_rows(weights_.center_score.data(), inner.data(), rows, width, centers_.data());
    for (int64_t row = 0; row < rows; ++row)
      centers_[row] =
          static_cast<float>(query_rows.source(row).count) * kernels::logistic(centers_[row]);
  }
  if (kind_.coverage == model::Coverage::neural) {
    gates_.resize(rows * 3 * kind_.coverage_width);
    products_.product(weights_.from_query, queries, rows, gates_.data());
  }
}

Span HeadAttention::seen_by(int64_t row, const QueryRows& query_rows) const {
  int64_t begin = 0, end = query_rows.source(row).count;
  if (kind_.score == ScoresOf::kLocation) end = std::min(end, weights_.query.matrix.columns());
  if (kind_.window == model::Window::global) return {begin, end};
  const float center = kind_.window == model::Window::local_p
                           ? centers_[row]
                           : static_cast<float>(std::min(query_rows.position, end - 1));
  const auto is_far = [&](int64_t i) {
    return std::abs(static_cast<float>(i) - center) > kind_.half_width;
  };
  while (begin < end && is_far(begin)) ++begin;
  while (begin < end && is_far(end - 1)) --end;
  return {begin, end - begin};
}

void HeadAttention::score(int64_t row, const Span& seen, int64_t first, const float* covered,
                          float* scores) const {
  const int64_t width = kind_.head();
  const float* keys = covered != nullptr ? covered : keys_from(first);
  if (kind_.score == ScoresOf::kLocation) {
    std::copy_n(projected_.data() + row * weights_.query.matrix.columns() + seen.begin, seen.count,
                scores);
  } else if (kind_.score == ScoresOf::kAdditive) {
    const bool small = covered == nullptr && is_small_query_[row] && is_small_key_[first];
    const float* query = (small ? projected_exponentials_ : projected_).data() + row * width;
    kernels::additive_row_scores({.query = query,
                                  .keys = small ? exponentials_.data() + first * width : keys,
                                  .exponentials = small},
                                 weights_.score.data(), scores,
                                 {.source = seen.count, .hidden = width, .memory = 0});
  } else {
    kernels::dot_rows(queries_ + row * width, keys, seen.count, width, scores);
  }
}

void HeadAttention::tell(const Span& source, const Span& seen, const float* covered,
                         const float* scores, HeadNumbers& numbers, int64_t head) const {
  const int64_t width = kind_.head();
  const auto put = [&](const float* from, int64_t rows, int64_t first, Floats& to) {
    std::copy_n(from, rows * width, to.begin() + first * width);
  };
  const bool additive = kind_.score == ScoresOf::kAdditive;
  put(additive ? projected_.data() : queries_, 1, head, numbers.queries);
  if (additive) put(weights_.score.data(), 1, head, numbers.vectors);
  put(values_, source.count, head * source.count, numbers.values);
  if (kind_.score == ScoresOf::kLocation) {  // its keys are the rows of W, whatever the source
    for (int64_t i = 0; i < width; ++i) {
      Floats unit(width), column(weights_.query.matrix.columns());
      unit[i] = 1;
      Products(kOneThread).product(weights_.query, unit.data(), 1, column.data());
      for (int64_t k = 0; k < seen.count; ++k)
        numbers.keys[(head * source.count + k) * width + i] = column[k];
    }
  } else {
    put(covered != nullptr ? covered : keys_from(0), source.count, head * source.count,
        numbers.keys);
  }
  std::copy_n(scores, seen.count, numbers.scores.begin() + head * source.count + seen.begin);
}

void HeadAttention::attend(int64_t row, const QueryRows& query_rows, float* context, float* weights,
                           float* coverage, HeadNumbers* numbers, int64_t head) const {
  const int64_t width = kind_.head();
  const Span source = query_rows.source(row), seen = seen_by(row, query_rows);
  const int64_t first = source.begin + seen.begin;
  // Numbers are of the whole source, of what the row does not see, too.
  const Span told = numbers != nullptr ? Span{0, source.count} : seen;
  Floats all_covered;  // the keys of `told` with coverage
  if (coverage != nullptr) {
    const float* keys = keys_from(source.begin + told.begin);
    all_covered.assign(keys, keys + told.count * width);
    for (int64_t i = 0; i < told.count; ++i)
      for (int64_t c = 0; c < kind_.coverage_width; ++c)
        kernels::scale_and_add(weights_.added.data() + c * width,
                               coverage[(told.begin + i) * kind_.coverage_width + c],
                               all_covered.data() + i * width, width,
                               all_covered.data() + i * width);
  }
  const float* covered = coverage != nullptr ? all_covered.data() : nullptr;
  std::fill_n(weights, source.count, 0.0F);
  float* looked = weights + seen.begin;
  score(row, seen, first,
        covered != nullptr ? covered + (seen.begin - told.begin) * width : nullptr, looked);
  if (numbers != nullptr) tell(source, seen, covered, looked, *numbers, head);
  kind_.weigh(looked, seen.count);
  const auto gauss = [&](int64_t i) {
    const float away = (static_cast<float>(i) - centers_[row]) / kind_.half_width;
    return std::exp(-2 * away * away);
  };
  const bool gaussian = kind_.window == model::Window::local_p;
  if (gaussian)
    for (int64_t i = 0; i < seen.count; ++i) looked[i] *= gauss(seen.begin + i);
  if (numbers != nullptr) {
    std::copy_n(weights, source.count, numbers->weights.begin() + head * source.count);
    for (int64_t i = 0; gaussian && i < source.count; ++i)
      numbers->gauss[head * source.count + i] = gauss(i);
  }
  kernels::mix_rows(looked, values_ + first * width, seen.count, width, context);
  if (gaussian) {  // the weights that are reported add up to 1
    float sum = 0;
    for (int64_t i = 0; i < seen.count; ++i) sum += looked[i];
    for (int64_t i = 0; i < seen.count; ++i) looked[i] /= sum;
  }
  if (coverage != nullptr) cover(row, source, weights, coverage);
}

void HeadAttention::cover(int64_t row, const Span& source, const float* weights,
                          float* coverage) const {
  if (kind_.coverage == model::Coverage::linguistic) {
    for (int64_t i = 0; i < source.count; ++i) coverage[i] += weights[i] / facts_[source.begin + i];
    return;
  }
  // A GRU's step for each piece, whose input is its weight, its state and the query.
  const int64_t width = kind_.coverage_width;
  Floats gates(3 * width), reset(width);
  for (int64_t i = 0; i < source.count; ++i, coverage += width) {
    const float* facts = facts_.data() + (source.begin + i) * 3 * width;
    for (int64_t j = 0; j < 3 * width; ++j)
      gates[j] = weights[i] * weights_.from_weight[j] + facts[j] + gates_[row * 3 * width + j];
    add_product(weights_.recurrent, 0, 2 * width, coverage, gates.data());
    for (int64_t j = 0; j < width; ++j)
      reset[j] = kernels::logistic(gates[width + j]) * coverage[j];
    add_product(weights_.recurrent, 2 * width, width, reset.data(), gates.data() + 2 * width);
    for (int64_t j = 0; j < width; ++j) {
      const float fresh = kernels::hyperbolic_tangent(gates[2 * width + j]);
      coverage[j] += kernels::logistic(gates[j]) * (fresh - coverage[j]);
    }
  }
}

SourceAttention::SourceAttention(const RecurrentAttention& kind, const Floats& states,
                                 std::span<const Span> sources, const Threads& threads)
    : kind_(kind), threads_(threads), products_(threads) {
  const int64_t heads = std::ssize(kind.heads), head = kind.head();
  const int64_t pieces = std::ssize(states) / kind.width;
  const float* values = states.data();
  if (heads > 1) {
    Floats all(states.size());
    products_.product(kind.memory, values, pieces, all.data());
    values_.resize(states.size());
    for (int64_t h = 0; h < heads; ++h)
      copy_columns(all.data(), pieces, kind.width, h * head, head,
                   values_.data() + h * pieces * head);
    values = values_.data();
  }
  for (int64_t h = 0; h < heads; ++h)
    heads_.emplace_back(kind, kind.heads[h], values + h * pieces * head, sources, threads);
  if (kind.coverage == model::Coverage::none) return;
  for (const Span& source : sources)
    coverage_.emplace_back(heads * source.count * kind.coverage_width, 0.0F);
}

namespace {

/// The HeadNumbers of one row that looks at `keys` pieces, not filled in yet.
HeadNumbers empty_numbers(const RecurrentAttention& kind, int64_t keys) {
  const int64_t heads = std::ssize(kind.heads);
  HeadNumbers numbers{.width = kind.head()};
  numbers.queries.resize(kind.width);
  numbers.keys.resize(keys * kind.width);
  numbers.values.resize(keys * kind.width);
  if (kind.score == ScoresOf::kAdditive) numbers.vectors.resize(kind.width);
  numbers.scores.assign(heads * keys, -std::numeric_limits<float>::infinity());
  if (kind.window == model::Window::local_p) numbers.gauss.resize(heads * keys);
  numbers.weights.resize(heads * keys);
  return numbers;
}

}  // namespace

void SourceAttention::step(const float* query, const QueryRows& query_rows, float* context,
                           LayerMap* map, bool with_numbers) {
  const int64_t heads = std::ssize(heads_), head = kind_.head(), rows = query_rows.rows();
  if (heads > 1) {
    projected_.resize(rows * kind_.width);
    queries_.resize(rows * kind_.width);
    products_.product(kind_.query, query, rows, projected_.data());
    for (int64_t h = 0; h < heads; ++h)
      copy_columns(projected_.data(), rows, kind_.width, h * head, head,
                   queries_.data() + h * rows * head);
    query = queries_.data();
  }
  for (int64_t h = 0; h < heads; ++h) heads_[h].take_queries(query + h * rows * head, query_rows);
  if (map != nullptr) {
    map->heads = heads;
    map->weights.assign(rows * heads * map->keys, 0.0F);
    if (with_numbers) map->numbers = empty_numbers(kind_, map->keys);
  }
  HeadNumbers* numbers = map != nullptr && with_numbers ? &map->numbers : nullptr;
  threads_(rows, kRowsWorthAThread, [&](int64_t first, int64_t last) {
    Floats looked;
    for (int64_t row = first; row < last; ++row) {
      const int64_t pieces = query_rows.source(row).count;
      looked.resize(pieces);
      for (int64_t h = 0; h < heads; ++h) {
        float* coverage =
            coverage_.empty() ? nullptr : coverage_[row].data() + h * pieces * kind_.coverage_width;
        heads_[h].attend(row, query_rows, context + row * kind_.width + h * head, looked.data(),
                         coverage, numbers, h);
        if (map != nullptr)
          std::copy_n(looked.data(), pieces, map->weights.data() + (row * heads + h) * map->keys);
      }
    }
  });
  if (numbers != nullptr) numbers->context.assign(context, context + kind_.width);
}

void SourceAttention::reorder(std::span<const int64_t> hypotheses) {
  if (!coverage_.empty()) choose(coverage_, hypotheses);
}

}  // namespace heed::engine
