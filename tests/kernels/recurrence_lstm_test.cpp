// The fused LSTM against its readable twin, the RecurrentCell in double, forward and gradient.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <optional>
#include <vector>

#include "kernels/distance.h"
#include "kernels/recurrence.h"
#include "model/model.h"
#include "model/recurrent/cell.h"

namespace heed::kernels {
namespace {

using model::Cell;
using model::CellState;
using model::RecurrentCell;

class LstmKernel : public ::testing::Test {
 protected:
  /// A tensor as the kernel takes it, in fp32, and as its twin does.
  struct Leaf {
    explicit Leaf(const Tensor& value)
        : fused(value.detach().to(at::kFloat).requires_grad_()),
          exact(fused.detach().to(at::kDouble).requires_grad_()) {}
    Tensor fused, exact;
  };

  LstmKernel() {
    at::manual_seed(8);
    twin.to(at::kDouble);
    weight = twin.named_parameters()["hidden_weight"];
    const at::NoGradGuard guard;
    weight.copy_(weight.to(at::kFloat));
    hidden.emplace(at::randn({rows.front(), 7}).mul(0.5));
    cell.emplace(at::randn({rows.front(), 7}));
    gates.emplace(at::randn({15, 4 * 7}));
  }

  /// Both states, and the gradients of a random weighting of both.
  static void expect_near(const LstmState& fused, const std::vector<Tensor>& fused_leaves,
                          const LstmState& exact, const std::vector<Tensor>& exact_leaves,
                          double forward, double relative) {
    EXPECT_EQ(fused.hidden.scalar_type(), at::kFloat);
    EXPECT_EQ(fused.cell.scalar_type(), at::kFloat);
    EXPECT_LT(distance(fused.hidden, exact.hidden), forward);
    EXPECT_LT(distance(fused.cell, exact.cell), forward);
    const Tensor a = at::randn_like(exact.hidden), b = at::randn_like(exact.cell);
    const auto weighted = [&](const LstmState& x) { return (x.hidden * a + x.cell * b).sum(); };
    const auto got = torch::autograd::grad({weighted(fused)}, fused_leaves);
    const auto want = torch::autograd::grad({weighted(exact)}, exact_leaves);
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i].scalar_type(), fused_leaves[i].scalar_type());
      EXPECT_LT((got[i] - want[i]).norm().item<double>(), relative * want[i].norm().item<double>())
          << i;
    }
  }

  const std::vector<int64_t> rows = {5, 5, 3, 1, 1};
  RecurrentCell twin{Cell::lstm, 4, 7};
  Tensor weight;
  std::optional<Leaf> hidden, cell, gates;
};

class LstmSequence : public LstmKernel, public ::testing::WithParamInterface<bool> {
 protected:
  /// Step by step, each step for those that have one.
  LstmState plain() const {
    std::vector<int64_t> begins = {0};
    for (const int64_t count : rows) begins.push_back(begins.back() + count);
    std::vector<Tensor> states(rows.size()), cells(rows.size());
    CellState state{hidden->exact, cell->exact};
    const RecurrentCell::SequenceWeights weights = twin.begin();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t t = GetParam() ? rows.size() - 1 - i : i;
      const int64_t count = rows[t];
      const CellState next =
          twin.step(gates->exact.narrow(0, begins[t], count),
                    {state.hidden.narrow(0, 0, count), state.cell.narrow(0, 0, count)}, weights);
      states[t] = next.hidden;
      cells[t] = next.cell;
      state = {at::cat({next.hidden, state.hidden.slice(0, count)}),
               at::cat({next.cell, state.cell.slice(0, count)})};
    }
    return {at::cat(states), at::cat(cells)};
  }

  void expect_equal(at::ScalarType type, double forward, double relative) const {
    const Leaf w(weight);
    const LstmState fused = lstm_sequence(gates->fused.to(type), {rows}, w.fused,
                                          {hidden->fused, cell->fused}, GetParam());
    expect_near(fused, {gates->fused, w.fused, hidden->fused, cell->fused}, plain(),
                {gates->exact, weight, hidden->exact, cell->exact}, forward, relative);
  }
};

TEST_P(LstmSequence, EqualsTheCellStepByStep) {
  expect_equal(at::kFloat, 2e-6, 2e-6);
}

TEST_P(LstmSequence, IsNearInBf16) {
  expect_equal(at::kBFloat16, 0.05, 0.03);
}

TEST_P(LstmSequence, NeedsNoGradientOfTheCells) {
  const LstmState fused = lstm_sequence(gates->fused, {rows}, weight.detach().to(at::kFloat),
                                        {hidden->fused, cell->fused}, GetParam());
  const auto got = torch::autograd::grad({fused.hidden.pow(2).sum()}, {gates->fused});
  const auto want = torch::autograd::grad({plain().hidden.pow(2).sum()}, {gates->exact});
  EXPECT_LT(distance(got[0], want[0]), 1e-5);
}

INSTANTIATE_TEST_SUITE_P(BothWays, LstmSequence, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "backward" : "forward"; });

TEST_F(LstmKernel, StepEqualsTheCells) {
  for (const auto type : {at::kFloat, at::kBFloat16}) {
    const Tensor now = gates->fused.narrow(0, 0, 5), exact_now = gates->exact.narrow(0, 0, 5);
    const Tensor recurrent = at::linear(hidden->fused, weight.detach().to(at::kFloat));
    const LstmState fused = lstm_step(now.to(type), recurrent, cell->fused);
    const CellState exact = twin.step(exact_now, {hidden->exact, cell->exact}, twin.begin());
    expect_near(fused, {gates->fused, hidden->fused, cell->fused}, {exact.hidden, exact.cell},
                {gates->exact, hidden->exact, cell->exact}, type == at::kFloat ? 2e-6 : 0.03,
                type == at::kFloat ? 2e-6 : 0.03);
  }
}

TEST_F(LstmKernel, RunsAnyWidthAndStridedStates) {
  for (const int64_t width : {1, 3, 5, 67}) {
    const Tensor x = at::randn({3, 4 * width}), u = at::randn({3, 4 * width});
    const Tensor c = at::randn({3, 2 * width}).narrow(1, width, width);  // as cut from a wider one
    const LstmState fused = lstm_step(x, u, c);
    const auto part = (x + u).chunk(4, 1);
    const Tensor next = at::sigmoid(part[1]) * c + at::sigmoid(part[0]) * at::tanh(part[2]);
    EXPECT_LT(distance(fused.cell, next), 1e-6) << width;
    EXPECT_LT(distance(fused.hidden, at::sigmoid(part[3]) * at::tanh(next)), 1e-6) << width;
  }
}

}  // namespace
}  // namespace heed::kernels
