#include "kernels/attention.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>

#include "base/error.h"
#include "kernels/autograd.h"
#include "kernels/rows/matrix.h"
#include "kernels/rows/pattern.h"

namespace heed::kernels {
namespace {

/// The sentences of an unpadded tensor, in positions; empty for a padded one.
struct UnpaddedLayout {
  std::vector<int64_t> lengths, starts;

  UnpaddedLayout() = default;
  explicit UnpaddedLayout(const std::vector<int64_t>& of) : lengths(of) {
    for (int64_t start = 0; const int64_t length : lengths) {
      starts.push_back(start);
      start += length;
    }
  }
};

/// One side's tensor: padded [batch, heads, length, head] or unpadded [positions, heads, head].
struct SideTensor {
  const Tensor& x;
  const UnpaddedLayout& layout;

  bool unpadded() const { return !layout.lengths.empty(); }
  int64_t sentences() const {
    return unpadded() ? static_cast<int64_t>(layout.lengths.size()) : x.size(0);
  }
  int64_t heads() const { return x.size(1); }
  int64_t length(int64_t sentence) const {
    return unpadded() ? layout.lengths[sentence] : x.size(2);
  }

  /// Head `head` of a sentence; bf16 as 16 bits.
  template <class Number>
  Grid<Number> rows(int64_t sentence, int64_t head) const {
    auto* data = static_cast<std::remove_const_t<Number>*>(x.data_ptr()) + head * x.stride(1);
    return unpadded() ? Grid<Number>{data + layout.starts[sentence] * x.stride(0), x.stride(0)}
                      : Grid<Number>{data + sentence * x.stride(0), x.stride(2)};
  }

  /// An uninitialised tensor of this one's shape with the heads of one position side by side, as
  /// the next layer reads them.
  Tensor empty() const {
    if (unpadded()) return at::empty(x.sizes(), x.options());
    return at::empty({x.size(0), x.size(2), x.size(1), x.size(3)}, x.options()).transpose(1, 2);
  }
};

/// x with the same numbers, and each row contiguous.
Tensor with_rows(const Tensor& x) {
  return x.stride(-1) == 1 ? x : x.contiguous();
}

struct AttentionInputs {
  Tensor query, keys, values, valid;
  Pattern pattern;
  double scale;
  UnpaddedLayout query_layout, key_layout;
  ByDistance distances;

  SideTensor of_query(const Tensor& x) const { return {x, query_layout}; }
  SideTensor of_keys(const Tensor& x) const { return {x, key_layout}; }
  int64_t group() const { return query.size(1) / keys.size(1); }

  /// Whether each query has numbers of its own.
  bool each_has_distances() const { return distances.numbers.size(0) > 1; }

  /// The rows of `numbers` for a head of a sentence: one for each query, or one for all of them,
  /// which may be this sentence's own (its gradient) or that of all sentences.
  template <class Number>
  Distances<Number> distances_of(const Tensor& numbers, int64_t sentence, int64_t head) const {
    if (!numbers.defined()) return {};
    const bool each = each_has_distances();
    const int64_t first =
        each ? query_layout.starts[sentence] : std::min(sentence, numbers.size(0) - 1);
    return {
        .rows = {numbers.data_ptr<float>() + first * numbers.stride(0) + head * numbers.stride(1),
                 each ? numbers.stride(0) : 0},
        .reach = distances.reach()};
  }

  HeadSize size(int64_t sentence) const {
    return {.queries = of_query(query).length(sentence),
            .keys = of_keys(keys).length(sentence),
            .head = query.size(-1),
            .valid = valid.defined() ? valid.const_data_ptr<bool>() + sentence * valid.stride(0)
                                     : nullptr,
            .pattern = pattern,
            .scale = static_cast<float>(scale)};
  }

  /// Calls work(HeadWork, sentence, kv head) for each kv head of each sentence, after its keys and
  /// values were read.
  template <class Number, class Work>
  void for_each_head(const Work& work) const {
    const SideTensor key_side = of_keys(keys), value_side = of_keys(values);
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

Tensor forward_of(const AttentionInputs& in) {
  const Tensor context = in.of_query(in.query).empty();
  const SideTensor from = in.of_query(in.query), to = in.of_query(context);
  as_stored(in.query.scalar_type(), [&]<class Number>() {
    in.for_each_head<Number>([&](HeadWork<Number>& work, int64_t sentence, int64_t shared) {
      for (int64_t head = shared * in.group(); head < (shared + 1) * in.group(); ++head)
        work.attend(from.rows<const Number>(sentence, head),
                    in.distances_of<const float>(in.distances.numbers, sentence, head),
                    to.rows<Number>(sentence, head));
    });
  });
  return context;
}

/// Gradients, in the order and with the shapes of the inputs.
struct AttentionGradients {
  Tensor query, keys, values;
  Tensor distances;  // shaped as the numbers, or one row for each sentence where all share one
};

void backward_of(const AttentionInputs& in, const Tensor& outer, const AttentionGradients& to) {
  const Tensor rows = with_rows(outer);
  const SideTensor query = in.of_query(in.query), from = in.of_query(rows),
                   to_query = in.of_query(to.query), to_keys = in.of_keys(to.keys),
                   to_values = in.of_keys(to.values);
  as_stored(in.query.scalar_type(), [&]<class Number>() {
    in.for_each_head<Number>([&](HeadWork<Number>& work, int64_t sentence, int64_t shared) {
      for (int64_t head = shared * in.group(); head < (shared + 1) * in.group(); ++head)
        work.attend_backward(query.rows<const Number>(sentence, head),
                             in.distances_of<const float>(in.distances.numbers, sentence, head),
                             from.rows<const Number>(sentence, head),
                             to_query.rows<Number>(sentence, head),
                             in.distances_of<float>(to.distances, sentence, head));
      work.write_gradients(to_keys.rows<Number>(sentence, shared),
                           to_values.rows<Number>(sentence, shared));
    });
  });
}

/// The keys that a query sees, and the factor of scores.
struct Sight {
  Pattern pattern;
  double scale;
};

class PaddedAttention : public torch::autograd::Function<PaddedAttention> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& query, const Tensor& keys,
                        const Tensor& values, const std::optional<Tensor>& valid,
                        const Pattern& pattern, double scale) {
    const AttentionInputs in = inputs({with_rows(query), with_rows(keys), with_rows(values),
                                       valid ? valid->contiguous() : Tensor()},
                                      {pattern, scale});
    context->save_for_backward({in.query, in.keys, in.values, in.valid});
    carry(context, std::make_shared<Sight>(Sight{pattern, scale}));
    return forward_of(in);
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& outer) {
    const AttentionInputs in = inputs(context->get_saved_variables(), carried<Sight>(context));
    const AttentionGradients to{in.of_query(in.query).empty(),
                                in.of_keys(in.keys).empty(),
                                in.of_keys(in.values).empty(),
                                {}};
    // Trailing padding is never read, and has no gradient.
    to.keys.zero_();
    to.values.zero_();
    backward_of(in, outer[0], to);
    return {to.query, to.keys, to.values, Tensor(), Tensor(), Tensor()};
  }

 private:
  /// The inputs from query, keys, values and `valid`, in this order.
  static AttentionInputs inputs(const tensor_list& from, const Sight& sight) {
    return {.query = from[0],
            .keys = from[1],
            .values = from[2],
            .valid = from[3],
            .pattern = sight.pattern,
            .scale = sight.scale,
            .query_layout = {},
            .key_layout = {},
            .distances = {}};
  }
};

/// The columns of queries, keys and values in two projections, or in one.
struct ProjectionColumns {
  UnpaddedHeads heads;
  Sight sight;
  bool one = false;  // projection of all three
  bool to_distances = false;

  Tensor query(const Tensor& from) const {
    return from.narrow(1, 0, heads.heads * heads.head).unflatten(1, {heads.heads, heads.head});
  }
  Tensor keys(const Tensor& from) const { return shared(from, 2); }
  Tensor values(const Tensor& from) const { return shared(from, 1); }
  /// The `block`-th block of columns from the end.
  Tensor shared(const Tensor& from, int64_t block) const {
    const int64_t width = heads.kv_heads * heads.head;
    return from.narrow(1, from.size(1) - block * width, width)
        .unflatten(1, {heads.kv_heads, heads.head});
  }

  AttentionInputs inputs(const Tensor& queries, const Tensor& memory, const Tensor& numbers) const {
    return {.query = query(queries),
            .keys = keys(memory),
            .values = values(memory),
            .valid = {},
            .pattern = sight.pattern,
            .scale = sight.scale,
            .query_layout = UnpaddedLayout(heads.query_lengths),
            .key_layout = UnpaddedLayout(heads.key_lengths),
            .distances = {numbers}};
  }
};

class UnpaddedAttention : public torch::autograd::Function<UnpaddedAttention> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& queries, const Tensor& memory,
                        const UnpaddedHeads& heads, const Pattern& pattern, double scale,
                        const std::optional<Tensor>& distances) {
    const bool one = memory.is_same(queries);
    const Tensor from = with_rows(queries), to = one ? from : with_rows(memory);
    const Tensor numbers = distances ? with_rows(*distances) : Tensor();
    const auto columns = std::make_shared<ProjectionColumns>(
        ProjectionColumns{heads, {pattern, scale}, one, distances && distances->requires_grad()});
    context->save_for_backward({from, to, numbers});
    carry(context, columns);
    return forward_of(columns->inputs(from, to, numbers)).flatten(1);
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& outer) {
    const auto saved = context->get_saved_variables();
    const ProjectionColumns& columns = carried<ProjectionColumns>(context);
    const Tensor to_queries = at::empty_like(saved[0]),
                 to_memory = columns.one ? to_queries : at::empty_like(saved[1]);
    const AttentionInputs in = columns.inputs(saved[0], saved[1], saved[2]);
    const Tensor to_distances = columns.to_distances ? zeros_for_distances(in) : Tensor();
    backward_of(in, outer[0].unflatten(1, {columns.heads.heads, columns.heads.head}),
                {columns.query(to_queries), columns.keys(to_memory), columns.values(to_memory),
                 to_distances});
    const bool each = to_distances.defined() && in.each_has_distances();
    return {to_queries, columns.one ? Tensor() : to_memory,
            Tensor(),   Tensor(),
            Tensor(),   !to_distances.defined() || each ? to_distances : to_distances.sum(0, true)};
  }

 private:
  /// Zeros to which the gradients of the distances' numbers are added.
  static Tensor zeros_for_distances(const AttentionInputs& in) {
    const Tensor& numbers = in.distances.numbers;
    if (in.each_has_distances()) return at::zeros_like(numbers);
    return at::zeros(
        {static_cast<int64_t>(in.query_layout.lengths.size()), numbers.size(1), numbers.size(2)},
        numbers.options());
  }
};

}  // namespace

bool can_attend(const Tensor& query, const Tensor& keys, const Tensor& values) {
  const auto type = query.scalar_type();
  return query.is_cpu() && is_fp32_or_bf16(type) && keys.scalar_type() == type &&
         values.scalar_type() == type && query.size(2) > 1 &&
         std::max(query.size(2), keys.size(2)) <= kLongestAttention;
}

Tensor attention(const Tensor& query, const Tensor& keys, const Tensor& values, const Tensor& valid,
                 const Pattern& pattern, double scale) {
  return PaddedAttention::apply(query, keys, values, if_defined(valid), pattern, scale);
}

Tensor unpadded_attention(const Tensor& queries, const Tensor& memory, const UnpaddedHeads& heads,
                          const Pattern& pattern, double scale, const ByDistance& distances) {
  expect(queries.dim() == 2 && memory.dim() == 2 && !heads.query_lengths.empty() &&
             heads.query_lengths.size() == heads.key_lengths.size(),
         "unpadded sentences, each with queries and keys");
  return UnpaddedAttention::apply(queries, memory, heads, pattern, scale,
                                  if_defined(distances.numbers));
}

}  // namespace heed::kernels
