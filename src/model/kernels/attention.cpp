#include "model/kernels/attention.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

#include "base/error.h"
#include "model/kernels/attention_rows.h"

namespace heed::model::kernels {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

/// Where the sentences of a tensor begin, in positions of its first or of all its rows, and their
/// lengths.
struct Layout {
  std::vector<int64_t> lengths;  // packed; empty: padded
  std::vector<int64_t> starts;   // packed

  explicit Layout(const std::vector<int64_t>& of) : lengths(of) {
    for (int64_t start = 0; const int64_t length : lengths) {
      starts.push_back(start);
      start += length;
    }
  }
};

/// One side's tensor: padded [batch, heads, length, head] or packed [positions, heads, head].
struct Side {
  const Tensor& x;
  const Layout& layout;

  bool packed() const { return !layout.lengths.empty(); }
  int64_t sentences() const {
    return packed() ? static_cast<int64_t>(layout.lengths.size()) : x.size(0);
  }
  int64_t heads() const { return x.size(1); }
  int64_t length(int64_t sentence) const { return packed() ? layout.lengths[sentence] : x.size(2); }

  /// Head `head` of a sentence; bf16 as 16 bits.
  template <class Number>
  Grid<Number> rows(int64_t sentence, int64_t head) const {
    auto* data = static_cast<std::remove_const_t<Number>*>(x.data_ptr()) + head * x.stride(1);
    return packed() ? Grid<Number>{data + layout.starts[sentence] * x.stride(0), x.stride(0)}
                    : Grid<Number>{data + sentence * x.stride(0), x.stride(2)};
  }

  /// An uninitialised tensor of this one's shape with the heads of one position side by side, as
  /// the next layer reads them.
  Tensor empty() const {
    if (packed()) return at::empty(x.sizes(), x.options());
    return at::empty({x.size(0), x.size(2), x.size(1), x.size(3)}, x.options()).transpose(1, 2);
  }
};

/// The same numbers with each row contiguous.
Tensor with_rows(const Tensor& x) {
  return x.stride(-1) == 1 ? x : x.contiguous();
}

struct Inputs {
  Tensor query, keys, values, valid;
  Layout query_layout, key_layout;
  bool causal;
  double scale;

  Side of_query(const Tensor& x) const { return {x, query_layout}; }
  Side of_keys(const Tensor& x) const { return {x, key_layout}; }
  int64_t group() const { return query.size(1) / keys.size(1); }

  HeadSize size(int64_t sentence) const {
    return {.queries = of_query(query).length(sentence),
            .keys = of_keys(keys).length(sentence),
            .head = query.size(-1),
            .valid = valid.defined() ? valid.const_data_ptr<bool>() + sentence * valid.stride(0)
                                     : nullptr,
            .causal = causal,
            .scale = static_cast<float>(scale)};
  }

  /// Calls work(HeadWork, sentence, kv head) for each, with that one's keys and values read.
  template <class Number, class Work>
  void for_each_head(const Work& work) const {
    const Side key_side = of_keys(keys), value_side = of_keys(values);
    const int64_t heads = key_side.heads();
    at::parallel_for(0, key_side.sentences() * heads, 1, [&](int64_t begin, int64_t end) {
      HeadWork<Number> room;
      for (int64_t i = begin; i < end; ++i) {
        const int64_t sentence = i / heads, head = i % heads;
        room.read(key_side.rows<const Number>(sentence, head),
                  value_side.rows<const Number>(sentence, head), size(sentence));
        work(room, sentence, head);
      }
    });
  }
};

template <class Number>
Tensor run_forward(const Inputs& in) {
  const Tensor context = in.of_query(in.query).empty();
  const Side from = in.of_query(in.query), to = in.of_query(context);
  in.for_each_head<Number>([&](HeadWork<Number>& work, int64_t sentence, int64_t shared) {
    for (int64_t head = shared * in.group(); head < (shared + 1) * in.group(); ++head)
      work.attend(from.rows<const Number>(sentence, head), to.rows<Number>(sentence, head));
  });
  return context;
}

template <class Number>
tensor_list run_backward(const Inputs& in, const Tensor& outer) {
  const Tensor to_query = in.of_query(in.query).empty();
  const Tensor to_keys = in.of_keys(in.keys).empty(), to_values = in.of_keys(in.values).empty();
  if (in.valid.defined()) {  // trailing padding is never read, and has no gradient
    to_keys.zero_();
    to_values.zero_();
  }
  const Side query = in.of_query(in.query), from = in.of_query(outer),
             query_gradient = in.of_query(to_query), key_gradient = in.of_keys(to_keys),
             value_gradient = in.of_keys(to_values);
  in.for_each_head<Number>([&](HeadWork<Number>& work, int64_t sentence, int64_t shared) {
    for (int64_t head = shared * in.group(); head < (shared + 1) * in.group(); ++head)
      work.attend_backward(query.rows<const Number>(sentence, head),
                           from.rows<const Number>(sentence, head),
                           query_gradient.rows<Number>(sentence, head));
    work.write_gradients(key_gradient.rows<Number>(sentence, shared),
                         value_gradient.rows<Number>(sentence, shared));
  });
  return {to_query, to_keys, to_values};
}

class Attention : public torch::autograd::Function<Attention> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& query, const Tensor& keys,
                        const Tensor& values, const std::optional<Tensor>& valid,
                        const PackedLengths& lengths, bool causal, double scale) {
    const Inputs in{with_rows(query),
                    with_rows(keys),
                    with_rows(values),
                    valid.value_or(Tensor()),
                    Layout(lengths.queries),
                    Layout(lengths.keys),
                    causal,
                    scale};
    context->save_for_backward({in.query, in.keys, in.values, in.valid});
    context->saved_data["queries"] = lengths.queries;
    context->saved_data["keys"] = lengths.keys;
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
                    Layout(context->saved_data["queries"].toIntVector()),
                    Layout(context->saved_data["keys"].toIntVector()),
                    context->saved_data["causal"].toBool(),
                    context->saved_data["scale"].toDouble()};
    const Tensor from = with_rows(outer[0]);
    tensor_list gradients = in.query.scalar_type() == at::kFloat ? run_backward<float>(in, from)
                                                                 : run_backward<uint16_t>(in, from);
    gradients.resize(7);
    return gradients;
  }
};

}  // namespace

bool can_attend(const Tensor& query, const Tensor& keys, const Tensor& values) {
  const auto type = query.scalar_type();
  return query.is_cpu() && (type == at::kFloat || type == at::kBFloat16) &&
         keys.scalar_type() == type && values.scalar_type() == type && query.size(2) > 1 &&
         std::max(query.size(2), keys.size(2)) <= kLongestAttention;
}

Tensor attention(const Tensor& query, const Tensor& keys, const Tensor& values, const Tensor& valid,
                 bool causal, double scale) {
  const auto mask = valid.defined() ? std::optional(valid.contiguous()) : std::nullopt;
  return Attention::apply(query, keys, values, mask, PackedLengths{}, causal, scale);
}

Tensor packed_attention(const Tensor& query, const Tensor& keys, const Tensor& values,
                        const PackedLengths& lengths, bool causal, double scale) {
  expect(
      query.dim() == 3 && !lengths.queries.empty() && lengths.queries.size() == lengths.keys.size(),
      "packed sentences, each with queries and keys");
  return Attention::apply(query, keys, values, std::optional<Tensor>(), lengths, causal, scale);
}

}  // namespace heed::model::kernels
