// Graphs on the simulated accelerator: what they compute again, and what cannot be recorded.
#include "kernels/graph.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/variable.h>

#include "accelerator/device.h"
#include "kernels/dropout.h"
#include "kernels/varlen_attention.h"
#include "model/device.h"

namespace heed::accelerator {
namespace {

using at::Tensor;
using kernels::Graph;

at::TensorOptions floats() {
  return at::TensorOptions(at::kFloat).device(device());
}

/// New numbers at the same address.
void refill(const Tensor& tensor, const Tensor& host) {
  tensor.detach().copy_(model::upload(host, device()));
}

Tensor numbers(at::IntArrayRef sizes, double first) {
  const int64_t count = c10::multiply_integers(sizes);
  return (at::arange(count, at::kFloat) * 0.37 + first).sin().view(sizes);
}

TEST(AcceleratorGraph, ComputesAgainWithNewNumbers) {
  ASSERT_EQ(Graph::why_not(device()), "");
  const auto chain = [](const Tensor& x) { return at::softmax((x * 2 + 1).t(), -1).exp().sum(0); };
  const Tensor x = model::upload(numbers({3, 5}, 0), device()), y = at::zeros({3}, floats());
  const Graph graph(device(), [&] { y.copy_(chain(x)); });
  EXPECT_TRUE(at::equal(y.cpu(), chain(numbers({3, 5}, 0))));
  for (const double first : {1.0, 2.0}) {
    refill(x, numbers({3, 5}, first));
    graph.replay();
    EXPECT_TRUE(at::equal(y.cpu(), chain(numbers({3, 5}, first))));
  }
}

TEST(AcceleratorGraph, WorkIsDoneOnceByTheRecordingAndOnceByEachReplay) {
  const Tensor sum = at::zeros({7}, floats()), step = at::ones({7}, floats());
  const Graph graph(device(), [&] { sum.add_(step); });
  EXPECT_EQ(sum[0].item<float>(), 1);
  graph.replay();
  graph.replay();
  EXPECT_EQ(sum[6].item<float>(), 3);
  step.fill_(10);
  graph.replay();
  EXPECT_EQ(sum[0].item<float>(), 13);
}

/// A linear layer's loss and gradient, written to where they were before.
struct Layer {
  Tensor x = model::upload(numbers({5, 3}, 1), device());
  Tensor weight = model::upload(numbers({7, 3}, 2), device()).set_requires_grad(true);
  Tensor loss = at::zeros({}, floats()), gradient = at::zeros({7, 3}, floats());

  void compute() {
    const Tensor now = at::matmul(x, weight.t()).tanh().square().sum();
    now.backward();
    const at::NoGradGuard no_grad;
    loss.copy_(now);
    gradient.copy_(weight.grad());
    weight.mutable_grad() = Tensor();
  }
};

TEST(AcceleratorGraph, DifferentiatesAgain) {
  Layer layer, plain;
  const Graph graph(device(), [&] { layer.compute(); });
  for (const double first : {3.0, 4.0}) {
    refill(layer.x, numbers({5, 3}, first));
    refill(layer.weight, numbers({7, 3}, first + 0.5));
    refill(plain.x, layer.x.cpu());
    refill(plain.weight, layer.weight.detach().cpu());
    graph.replay();
    plain.compute();
    EXPECT_TRUE(at::equal(layer.loss.cpu(), plain.loss.cpu()));
    EXPECT_TRUE(at::equal(layer.gradient.cpu(), plain.gradient.cpu()));
    EXPECT_GT(layer.gradient.abs().sum().item<float>(), 0);
  }
}

/// Self-attention over sentences without padding, its result and its gradient. A graph's lengths
/// are tensors: their count is fixed, sentences that are not there are empty, and a last one holds
/// the rows that are left over.
struct Attention {
  explicit Attention(at::ScalarType type) : type(type) {}

  void compute() {
    const kernels::VarlenSentences sentences{starts, kRows};
    const Tensor q = x.to(type), scaled = q * 2;
    const Tensor context = kernels::varlen_attention(
        q, scaled, q, sentences, sentences, {.pattern = {.causal = true}, .dropout = 0.25});
    context.to(at::kFloat).square().sum().backward();
    const at::NoGradGuard no_grad;
    result.copy_(context);
    gradient.copy_(x.grad());
    x.mutable_grad() = Tensor();
  }
  void set(const std::vector<int>& begins, double first) {
    refill(starts, at::tensor(begins, at::kInt));
    refill(x, numbers({kRows, 2, 8}, first));
  }

  static constexpr int64_t kRows = 11;
  at::ScalarType type;
  Tensor x = at::zeros({kRows, 2, 8}, floats()).set_requires_grad(true);
  Tensor starts = model::upload(at::tensor({0, 3, 8, 8, 11}, at::kInt), device());
  Tensor result = at::zeros({kRows, 2, 8}, floats()), gradient = at::zeros_like(result);
};

TEST(AcceleratorGraph, AttendsAgainToSentencesOfOtherLengths) {
  for (const at::ScalarType type : {at::kFloat, at::kBFloat16}) {
    Attention attention(type), plain(type);
    const Graph graph(device(), [&] { attention.compute(); });
    for (const std::vector<int>& begins :
         {std::vector<int>{0, 3, 8, 8, 11}, {0, 1, 2, 9, 11}, {0, 7, 7, 7, 11}}) {
      attention.set(begins, begins[1]);
      plain.set(begins, begins[1]);
      {
        const kernels::Draws draws(3, device());
        graph.replay();
      }
      const kernels::Draws draws(3, device());
      plain.compute();
      EXPECT_TRUE(at::equal(attention.result.cpu(), plain.result.cpu()));
      EXPECT_TRUE(at::equal(attention.gradient.cpu(), plain.gradient.cpu()));
      EXPECT_GT(plain.gradient.abs().sum().item<float>(), 0);
    }
  }
}

TEST(AcceleratorGraph, NumbersOfTheHostStayAsTheyWere) {
  const Tensor x = at::zeros({3}, floats()), rate = at::full({}, 0.5, floats());
  double number = 0.5;
  Tensor of_host = at::scalar_tensor(0.5);
  const Graph graph(device(), [&] { x.add_(number).add_(of_host).add_(rate); });
  EXPECT_EQ(x[0].item<float>(), 1.5);
  number = 8;
  of_host.fill_(8);
  graph.replay();
  EXPECT_EQ(x[0].item<float>(), 3);  // both are frozen
  rate.fill_(8);
  graph.replay();
  EXPECT_EQ(x[0].item<float>(), 12);  // and this one lies on the device
}

TEST(AcceleratorGraph, DrawsAsTheWorkItselfWould) {
  const Tensor x = at::ones({35}, floats()), y = at::zeros({35}, floats());
  const auto work = [&] { y.copy_(std::get<0>(at::native_dropout(x, 0.5, true))); };
  const Graph graph(device(), work);
  const Tensor first = y.cpu();
  graph.replay();
  EXPECT_FALSE(at::equal(y.cpu(), first));
  const kernels::Draws draws(7, device());
  graph.replay();
  const Tensor seeded = y.cpu();
  const kernels::Draws again(7, device());
  work();
  EXPECT_TRUE(at::equal(y.cpu(), seeded));
}

TEST(AcceleratorGraph, MemoryMadeInsideIsGoneAfterwards) {
  const Tensor x = at::ones({3}, floats());
  Tensor kept;
  const Graph graph(device(), [&] { kept = x + 1; });
  EXPECT_TRUE(kept.cpu().isnan().all().item<bool>());
  graph.replay();
  EXPECT_TRUE(kept.cpu().isnan().all().item<bool>());
}

TEST(AcceleratorGraph, WhatWaitsForTheDeviceIsRefusedAndChangesNothing) {
  const Tensor x = at::ones({3}, floats());
  const Tensor pinned = at::ones({3}, at::TensorOptions().pinned_memory(true));
  const std::vector<std::pair<std::string, std::function<void()>>> all = {
      {"a number is read", [&] { x.sum().item<float>(); }},
      {"a copy to the host", [&] { x.cpu(); }},
      {"a copy to pinned memory", [&] { Tensor(pinned).copy_(x, true); }},
      {"a copy from the host", [&] { at::ones({3}).to(device()); }},
      {"a copy from pinned memory", [&] { pinned.to(device(), at::kFloat, true); }},
      {"a shape that depends on values", [&] { at::nonzero(x); }},
      {"another seed",
       [] { at::Generator(at::globalContext().defaultGenerator(device())).set_current_seed(3); }},
  };
  for (const auto& [what, work] : all) {
    SCOPED_TRACE(what);
    x.fill_(1);
    int calls = 0;
    EXPECT_THROW(Graph(device(),
                       [&] {
                         x.add_(1);
                         ++calls;
                         work();
                       }),
                 c10::Error);
    EXPECT_EQ(calls, 2);  // it is done, and cannot be recorded
    EXPECT_EQ(x[0].item<float>(), 2);
  }
}

}  // namespace
}  // namespace heed::accelerator
