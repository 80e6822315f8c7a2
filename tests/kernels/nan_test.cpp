// NaN in is NaN out, for every kernel over tensors: what it gives, and its gradients.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "kernels/additive.h"
#include "kernels/attention.h"
#include "kernels/dropout.h"
#include "kernels/layer_norm.h"
#include "kernels/output_loss.h"
#include "kernels/product.h"
#include "kernels/recurrence.h"
#include "kernels/rows/nan_contract.h"
#include "model/device.h"

namespace heed::kernels {
namespace {

using Tensors = std::vector<Tensor>;

void append(Floats& to, const Tensor& x) {
  const Tensor plain = x.detach().to(at::kFloat).contiguous();
  to.insert(to.end(), plain.const_data_ptr<float>(), plain.const_data_ptr<float>() + plain.numel());
}

/// Holds `run`, which makes tensors of tensors, and the gradients by its inputs.
template <class Run>
void expect_contract(const std::vector<std::vector<int64_t>>& shapes, const Run& run) {
  at::manual_seed(5);
  std::vector<Floats> inputs;
  for (const auto& shape : shapes) append(inputs.emplace_back(), at::randn(shape));
  expect_nan_in_is_nan_out(inputs, [&](const std::vector<Floats>& numbers) {
    Tensors leaves;
    for (std::size_t i = 0; i < shapes.size(); ++i)
      leaves.push_back(at::tensor(numbers[i]).view(shapes[i]).requires_grad_());
    Floats out;
    Tensor sum = at::zeros({});
    at::manual_seed(6);  // of dropout
    for (const Tensor& result : run(leaves)) {
      append(out, result);
      if (result.requires_grad()) sum = sum + (result * result).sum();
    }
    for (const Tensor& gradient : torch::autograd::grad({sum}, leaves, {}, {}, false, true))
      if (gradient.defined()) append(out, gradient);
    return out;
  });
}

/// The same in both types of products.
template <class Run>
void expect_contract_in_both_types(const std::vector<std::vector<int64_t>>& shapes,
                                   const Run& run) {
  expect_contract(shapes, run);
  expect_contract(shapes, [&](const Tensors& in) {
    const model::Autocast autocast(at::kCPU, at::kBFloat16);
    return run(in);
  });
}

TEST(NanInIsNanOutOfTensors, Products) {
  expect_contract_in_both_types({{3, 5}, {7, 5}, {7}}, [](const Tensors& in) {
    return Tensors{linear(in[0], in[1], in[2])};
  });
  expect_contract_in_both_types({{3, 5}, {7, 5}, {7}}, [](const Tensors& in) {
    return Tensors{collected_linear(in[0], collected(in[1], in[2]))};
  });
  expect_contract({{3, 5}}, [](const Tensors& in) {
    const Tensor x = in[0].detach();
    return Tensors{in[0] * 1, transposed(x), column_sums(x)};
  });
}

TEST(NanInIsNanOutOfTensors, LayerNormAndDropout) {
  expect_contract_in_both_types({{3, 5}, {5}, {5}}, [](const Tensors& in) {
    return Tensors{layer_norm(in[0], in[1], in[2], 1e-5)};
  });
  expect_contract({{3, 5}, {3, 5}}, [](const Tensors& in) {
    return Tensors{dropout(in[0], 0.3), add_dropped(in[1], in[0], 0.3)};
  });
}

// Two sentences of three and one steps, three numbers of state.
TEST(NanInIsNanOutOfTensors, Recurrences) {
  const Packing packing{{2, 1, 1}};
  for (const bool backward : {false, true})
    for (const auto type : {at::kFloat, at::kBFloat16}) {
      expect_contract({{4, 9}, {9, 3}, {9}, {2, 3}}, [&](const Tensors& in) {
        return Tensors{gru_sequence(in[0].to(type), packing, in[1], in[2], in[3], backward),
                       gru_step(in[0].narrow(0, 0, 2).to(type), in[0].narrow(0, 2, 2), in[3])};
      });
      expect_contract({{4, 12}, {12, 3}, {2, 3}, {2, 3}}, [&](const Tensors& in) {
        const LstmState all =
            lstm_sequence(in[0].to(type), packing, in[1], {in[2], in[3]}, backward);
        const LstmState one =
            lstm_step(in[0].narrow(0, 0, 2).to(type), in[0].narrow(0, 2, 2), in[3]);
        return Tensors{all.hidden, all.cell, one.hidden, one.cell};
      });
    }
}

TEST(NanInIsNanOutOfTensors, SimplerRecurrence) {
  for (const auto type : {at::kFloat, at::kBFloat16})
    expect_contract({{4, 3}, {4, 3}}, [&](const Tensors& in) {
      return Tensors{ssru(in[0].to(type), in[1].to(type), {3, 1})};
    });
}

// The second sentence has a position of padding.
TEST(NanInIsNanOutOfTensors, AdditiveAttention) {
  const Tensor bias = at::zeros({2, 1, 3});
  bias[1][0][2] = -INFINITY;
  expect_contract({{2, 3, 5}, {2, 3, 3}, {5}, {2, 1, 5}, {2, 1, 5}}, [&](const Tensors& in) {
    const AdditiveMemory memory = additive_memory(in[0], in[1], in[2], bias);
    const auto first = additive_attention(in[3], memory),
               second = additive_attention(in[4], memory);
    return Tensors{first.context, first.weights, second.context, second.weights};
  });
}

TEST(NanInIsNanOutOfTensors, DotProductAttention) {
  const Tensor valid = at::tensor({1, 1, 0}).to(at::kBool).view({1, 1, 1, 3});
  for (const auto type : {at::kFloat, at::kBFloat16})
    for (const bool causal : {false, true}) {
      expect_contract({{1, 2, 3, 5}, {1, 1, 3, 5}, {1, 1, 3, 5}}, [&](const Tensors& in) {
        return Tensors{attention(in[0].to(type), in[1].to(type), in[2].to(type),
                                 causal ? Tensor() : valid, {.causal = causal}, 0.5)};
      });
      const UnpaddedHeads heads{
          .query_lengths = {1, 2}, .key_lengths = {1, 2}, .heads = 2, .head = 3};
      expect_contract({{3, 12}}, [&](const Tensors& in) {
        const Tensor projection = in[0].to(type);
        return Tensors{unpadded_attention(projection, projection, heads, {.causal = causal}, 0.5)};
      });
    }
}

TEST(NanInIsNanOutOfTensors, OutputLoss) {
  const Tensor gold = at::tensor({2, 0, 6}, at::kLong);
  for (const auto type : {at::kFloat, at::kBFloat16})
    for (const double smoothing : {0.0, 0.1})
      expect_contract({{3, 5}, {7, 5}, {7}}, [&](const Tensors& in) {
        const OutputLossSum sum = output_loss(in[0], in[1], in[2], gold, smoothing, type);
        return Tensors{sum.smoothed.to(at::kFloat), sum.nll.to(at::kFloat)};
      });
}

}  // namespace
}  // namespace heed::kernels
