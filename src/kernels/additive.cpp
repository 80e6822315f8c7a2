#include "kernels/additive.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "kernels/autograd.h"
#include "kernels/rows/additive.h"

namespace heed::kernels {
namespace {

float* row_of(const Tensor& table, int64_t i) {
  return table.data_ptr<float>() + i * table.stride(0);
}

}  // namespace

/// The tensors that the steps of a batch read and, in the backward pass, the gradients that they
/// have added up so far.
struct AdditiveMemory::Shared {
  Tensor keys, values, v;  // fp32, contiguous
  std::vector<int64_t> lengths;
  Tensor exponentials;                    // e^2k of the keys, kept where many steps ask for them
  std::vector<uint8_t> has_exponentials;  // whether each sentence's may be used

  Tensor to_keys, to_values, to_v;  // to_v [sentences, hidden]: no two threads add to one row
  at::ScalarType keys_type{}, values_type{};

  AdditiveSize size(int64_t sentence) const {
    return {lengths[static_cast<std::size_t>(sentence)], keys.size(2), values.size(2)};
  }

  void keep_exponentials() {
    exponentials = at::empty_like(keys);
    has_exponentials.resize(lengths.size());
    at::parallel_for(0, keys.size(0), 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        has_exponentials[i] =
            exp_2x(row_of(keys, i), row_of(exponentials, i), lengths[i] * keys.size(2));
    });
  }
};

namespace {

using Shared = AdditiveMemory::Shared;
using SharedPtr = std::shared_ptr<Shared>;

/// One thread's way to the scores of a sentence: by exponentials where that is possible and pays.
class Scores {
 public:
  explicit Scores(const Shared& memory) : memory_(memory) {}

  /// Begins a sentence of which `queries` queries ask for scores.
  void begin(int64_t sentence, int64_t queries) {
    sentence_ = sentence;
    keys_ = nullptr;
    if (memory_.exponentials.defined()) {
      if (memory_.has_exponentials[sentence]) keys_ = row_of(memory_.exponentials, sentence);
    } else if (queries > 1) {
      own_keys_.resize(static_cast<std::size_t>(memory_.keys.stride(0)));
      const int64_t count = memory_.lengths[sentence] * memory_.keys.size(2);
      if (exp_2x(row_of(memory_.keys, sentence), own_keys_.data(), count)) keys_ = own_keys_.data();
    }
  }

  AdditiveScore of(const float* query) {
    if (keys_ != nullptr) {
      own_query_.resize(static_cast<std::size_t>(memory_.keys.size(2)));
      if (exp_2x(query, own_query_.data(), memory_.keys.size(2)))
        return {own_query_.data(), keys_, /*exponentials=*/true};
    }
    return {query, row_of(memory_.keys, sentence_), /*exponentials=*/false};
  }

 private:
  const Shared& memory_;
  int64_t sentence_ = 0;
  const float* keys_ = nullptr;  // e^2k of this sentence
  std::vector<float> own_keys_, own_query_;
};

/// The attention of queries `query` [sentences, query, hidden], fp32 and contiguous.
AdditiveAttended attend(const Tensor& query, const Shared& memory) {
  const int64_t sentences = query.size(0), queries = query.size(1);
  const Tensor weights = at::zeros({sentences, queries, memory.keys.size(1)}, query.options());
  const Tensor answer = at::empty({sentences, queries, memory.values.size(2)}, query.options());
  at::parallel_for(0, sentences, 1, [&](int64_t begin, int64_t end) {
    Scores scores(memory);
    for (int64_t i = begin; i < end; ++i) {
      scores.begin(i, queries);
      for (int64_t t = 0; t < queries; ++t)
        additive_row(scores.of(row_of(query, i) + t * query.size(2)), memory.v.data_ptr<float>(),
                     row_of(memory.values, i), row_of(weights, i) + t * weights.size(2),
                     row_of(answer, i) + t * answer.size(2), memory.size(i));
    }
  });
  return {answer, weights, {}};
}

/// Hands the keys on, and the gradients that the steps have added up back: autograd runs it
/// backwards when all steps have run.
class AdditiveCollect : public torch::autograd::Function<AdditiveCollect> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& keys, const Tensor& values,
                        const Tensor& v, const SharedPtr& memory) {
    memory->keys = keys.to(at::kFloat).contiguous();
    memory->values = values.to(at::kFloat).contiguous();
    memory->v = v.contiguous();
    memory->keys_type = keys.scalar_type();
    memory->values_type = values.scalar_type();
    memory->keep_exponentials();
    carry(context, memory);
    context->set_materialize_grads(false);
    return keys.view_as(keys);
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& outer) {
    Shared& memory = carried<Shared>(context);
    // Code that used the keys outside the steps has sent a gradient of its own.
    if (!memory.to_keys.defined()) return {outer[0], Tensor(), Tensor(), Tensor()};
    Tensor to_keys = std::exchange(memory.to_keys, {}).to(memory.keys_type);
    if (outer[0].defined()) to_keys = to_keys + outer[0];
    return {to_keys, std::exchange(memory.to_values, {}).to(memory.values_type),
            std::exchange(memory.to_v, {}).sum(0), Tensor()};
  }
};

/// The logarithms of weights. A weight that is 0 in fp32 keeps a logarithm, and its gradient, which
/// needs the weight alone.
Tensor logs_of(const Tensor& weights) {
  return weights.clamp_min(std::numeric_limits<float>::min()).log_();
}

class AdditiveStep : public torch::autograd::Function<AdditiveStep> {
 public:
  static tensor_list forward(AutogradContext* context, const Tensor& query, const Tensor&,
                             const SharedPtr& memory, bool logs) {
    const Tensor wide_query = query.to(at::kFloat).contiguous();
    const auto [answer, weights, none] = attend(wide_query, *memory);
    context->save_for_backward({wide_query, weights});
    carry(context, memory);
    context->saved_data["type"] = query.scalar_type();
    context->mark_non_differentiable({weights});
    if (logs) return {answer, weights, logs_of(weights)};
    return {answer, weights};
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& outer) {
    Shared& memory = carried<Shared>(context);
    if (!memory.to_keys.defined()) {
      memory.to_keys = at::zeros_like(memory.keys);
      memory.to_values = at::zeros_like(memory.values);
      memory.to_v = at::zeros({memory.keys.size(0), memory.keys.size(2)}, memory.v.options());
    }
    const auto saved = context->get_saved_variables();
    const Tensor &query = saved[0], &weights = saved[1];
    const Tensor from = outer[0].to(at::kFloat).contiguous(), to_query = at::empty_like(query);
    Tensor to_logs;
    if (outer.size() > 2) to_logs = outer[2].to(at::kFloat).contiguous();
    at::parallel_for(0, query.size(0), 1, [&](int64_t begin, int64_t end) {
      std::vector<float> scratch(static_cast<std::size_t>(weights.size(2)));
      Scores scores(memory);
      for (int64_t i = begin; i < end; ++i) {
        scores.begin(i, query.size(1));
        for (int64_t t = 0; t < query.size(1); ++t)
          additive_row_gradient(
              row_of(from, i) + t * from.size(2),
              to_logs.defined() ? row_of(to_logs, i) + t * to_logs.size(2) : nullptr,
              scores.of(row_of(query, i) + t * query.size(2)), memory.v.data_ptr<float>(),
              row_of(memory.values, i), row_of(weights, i) + t * weights.size(2),
              row_of(to_query, i) + t * query.size(2), row_of(memory.to_v, i),
              row_of(memory.to_keys, i), row_of(memory.to_values, i), scratch.data(),
              memory.size(i));
      }
    });
    return {to_query.to(context->saved_data["type"].toScalarType()), Tensor(), Tensor(), Tensor()};
  }
};

// One query at a time, so that the inner layer is never larger than [sentences, source, hidden].
struct AdditiveScores : torch::autograd::Function<AdditiveScores> {
  static Tensor inner(const Tensor& query, const Tensor& keys, int64_t t) {
    return (keys + query.select(1, t).unsqueeze(1)).tanh_();
  }

  static Tensor forward(AutogradContext* context, const Tensor& query, const Tensor& keys,
                        const Tensor& v) {
    Tensor scores = at::empty({keys.size(0), query.size(1), keys.size(1)}, keys.options());
    for (int64_t t = 0; t < query.size(1); ++t)
      scores.select(1, t).copy_(at::matmul(inner(query, keys, t), v));
    context->save_for_backward({query, keys, v});
    return scores;
  }

  // With x = tanh(q + k) and e = 1 - x^2: dv = sum g x, dq = v sum over i of g(i) e(i), dk(i) = v
  // g(i) e(i).
  static tensor_list backward(AutogradContext* context, const tensor_list& gradients) {
    const tensor_list saved = context->get_saved_variables();
    const Tensor &query = saved[0], &keys = saved[1], &v = saved[2];
    const Tensor gradient = gradients[0].contiguous();
    Tensor to_query = at::empty_like(query, at::MemoryFormat::Contiguous);
    Tensor to_keys, to_v = at::zeros_like(v);
    for (int64_t t = 0; t < query.size(1); ++t) {
      const Tensor weight = gradient.select(1, t);  // [sentences, source]
      Tensor slope = inner(query, keys, t);         // [sentences, source, hidden]
      to_v.add_(at::mv(slope.flatten(0, 1).t(), weight.reshape({-1})));
      slope.mul_(slope).neg_().add_(1);
      to_query.select(1, t).copy_(at::bmm(weight.unsqueeze(1), slope).squeeze(1));
      slope.mul_(weight.unsqueeze(-1));
      if (to_keys.defined())
        to_keys.add_(slope);
      else
        to_keys = slope;
    }
    return {to_query.mul_(v), to_keys.mul_(v), to_v};
  }
};

/// Returns the number of positions of each sentence that `bias` [sentences, 1, source] leaves;
/// nothing where it does more than hide the positions after them.
std::optional<std::vector<int64_t>> lengths_in(const Tensor& bias) {
  if (!bias.is_contiguous() || bias.scalar_type() != at::kFloat || bias.size(1) != 1)
    return std::nullopt;
  std::vector<int64_t> lengths;
  for (int64_t i = 0; i < bias.size(0); ++i) {
    const float *begin = row_of(bias, i), *end = begin + bias.size(2);
    const float* hidden = std::find_if(begin, end, [](float x) { return x != 0; });
    if (!std::all_of(hidden, end, [](float x) { return x == -INFINITY; })) return std::nullopt;
    lengths.push_back(hidden - begin);
  }
  return lengths;
}

}  // namespace

AdditiveMemory additive_memory(const Tensor& keys, const Tensor& values, const Tensor& v,
                               const Tensor& bias) {
  for (const Tensor* tensor : {&keys, &values})
    if (!tensor->is_cpu() || tensor->scalar_type() == at::kDouble) return {};
  if (v.scalar_type() != at::kFloat) return {};
  const bool gradient = at::GradMode::is_enabled();
  if (gradient && !keys.requires_grad()) return {};
  auto lengths = lengths_in(bias);
  if (!lengths) return {};
  const auto shared = std::make_shared<Shared>();
  shared->lengths = std::move(*lengths);
  if (gradient) return {shared, AdditiveCollect::apply(keys, values, v, shared)};
  shared->keys = keys.to(at::kFloat).contiguous();
  shared->values = values.to(at::kFloat).contiguous();
  shared->v = v.contiguous();
  return {shared, keys};
}

AdditiveAttended additive_attention(const Tensor& query, const AdditiveMemory& memory, bool logs) {
  expect(memory.defined(), "a memory to attend to");
  if (at::GradMode::is_enabled()) {
    const auto attended = AdditiveStep::apply(query, memory.keys, memory.shared, logs);
    return {attended[0], attended[1], logs ? attended[2] : Tensor()};
  }
  AdditiveAttended attended = attend(query.to(at::kFloat).contiguous(), *memory.shared);
  if (logs) attended.logs = logs_of(attended.weights);
  return attended;
}

Tensor additive_scores(const Tensor& query, const Tensor& keys, const Tensor& v) {
  return AdditiveScores::apply(query, keys, v);
}

}  // namespace heed::kernels
