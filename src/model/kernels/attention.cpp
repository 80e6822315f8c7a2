#include "model/kernels/attention.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

#include "model/kernels/attention_rows.h"

namespace heed::model::kernels {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

// Longer ones are for ATen's kernel, whose library products are then large enough.
constexpr int64_t kLongest = 512;

/// Numbers as the rows' code takes them: bf16 as 16 bits.
template <class Number>
Number* data_of(const Tensor& x) {
  return static_cast<Number*>(x.data_ptr());
}

/// Head `head` of sentence `batch` of x [batch, heads, length, head].
template <class Number>
Grid<Number> rows_of(const Tensor& x, int64_t batch, int64_t head) {
  return {data_of<std::remove_const_t<Number>>(x) + batch * x.stride(0) + head * x.stride(1),
          x.stride(2)};
}

/// The same numbers with each row contiguous.
Tensor with_rows(const Tensor& x) {
  return x.stride(-1) == 1 ? x : x.contiguous();
}

/// [batch, heads, length, head] with the heads of one position side by side, as the next layer
/// reads them.
Tensor empty_heads(const Tensor& like) {
  return at::empty({like.size(0), like.size(2), like.size(1), like.size(3)}, like.options())
      .transpose(1, 2);
}

struct Inputs {
  Tensor query, keys, values, valid;
  bool causal;
  double scale;

  int64_t group() const { return query.size(1) / keys.size(1); }
  HeadSize size(int64_t batch) const {
    return {
        .queries = query.size(2),
        .keys = keys.size(2),
        .head = query.size(3),
        .valid = valid.defined() ? valid.const_data_ptr<bool>() + batch * valid.stride(0) : nullptr,
        .causal = causal,
        .scale = static_cast<float>(scale)};
  }

  /// Calls work(HeadWork, sentence, kv head) for each, with that one's keys and values read.
  template <class Number, class Work>
  void for_each_head(const Work& work) const {
    const int64_t heads = keys.size(1);
    at::parallel_for(0, query.size(0) * heads, 1, [&](int64_t begin, int64_t end) {
      HeadWork<Number> room;
      for (int64_t i = begin; i < end; ++i) {
        const int64_t batch = i / heads, head = i % heads;
        room.read(rows_of<const Number>(keys, batch, head),
                  rows_of<const Number>(values, batch, head), size(batch));
        work(room, batch, head);
      }
    });
  }
};

template <class Number>
Tensor run_forward(const Inputs& in) {
  const Tensor context = empty_heads(in.query);
  in.for_each_head<Number>([&](HeadWork<Number>& work, int64_t batch, int64_t shared) {
    for (int64_t head = shared * in.group(); head < (shared + 1) * in.group(); ++head)
      work.attend(rows_of<const Number>(in.query, batch, head),
                  rows_of<Number>(context, batch, head));
  });
  return context;
}

template <class Number>
tensor_list run_backward(const Inputs& in, const Tensor& outer) {
  const Tensor to_query = empty_heads(in.query);
  // Trailing padding is never read, and has no gradient.
  const Tensor to_keys = empty_heads(in.keys).zero_(), to_values = empty_heads(in.values).zero_();
  in.for_each_head<Number>([&](HeadWork<Number>& work, int64_t batch, int64_t shared) {
    for (int64_t head = shared * in.group(); head < (shared + 1) * in.group(); ++head)
      work.attend_backward(rows_of<const Number>(in.query, batch, head),
                           rows_of<const Number>(outer, batch, head),
                           rows_of<Number>(to_query, batch, head));
    work.write_gradients(rows_of<Number>(to_keys, batch, shared),
                         rows_of<Number>(to_values, batch, shared));
  });
  return {to_query, to_keys, to_values};
}

class Attention : public torch::autograd::Function<Attention> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& query, const Tensor& keys,
                        const Tensor& values, const std::optional<Tensor>& valid, bool causal,
                        double scale) {
    const Inputs in{with_rows(query),         with_rows(keys), with_rows(values),
                    valid.value_or(Tensor()), causal,          scale};
    context->save_for_backward({in.query, in.keys, in.values, in.valid});
    context->saved_data["causal"] = causal;
    context->saved_data["scale"] = scale;
    return query.scalar_type() == at::kFloat ? run_forward<float>(in) : run_forward<uint16_t>(in);
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& outer) {
    const auto saved = context->get_saved_variables();
    const Inputs in{saved[0],
                    saved[1],
                    saved[2],
                    saved[3],
                    context->saved_data["causal"].toBool(),
                    context->saved_data["scale"].toDouble()};
    const Tensor from = with_rows(outer[0]);
    tensor_list gradients = in.query.scalar_type() == at::kFloat ? run_backward<float>(in, from)
                                                                 : run_backward<uint16_t>(in, from);
    gradients.resize(6);
    return gradients;
  }
};

}  // namespace

bool can_attend(const Tensor& query, const Tensor& keys, const Tensor& values) {
  const auto type = query.scalar_type();
  return query.is_cpu() && (type == at::kFloat || type == at::kBFloat16) &&
         keys.scalar_type() == type && values.scalar_type() == type && query.size(2) > 1 &&
         std::max(query.size(2), keys.size(2)) <= kLongest;
}

Tensor attention(const Tensor& query, const Tensor& keys, const Tensor& values, const Tensor& valid,
                 bool causal, double scale) {
  const auto mask = valid.defined() ? std::optional(valid.contiguous()) : std::nullopt;
  return Attention::apply(query, keys, values, mask, causal, scale);
}

}  // namespace heed::model::kernels
