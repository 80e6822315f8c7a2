// Recurrences written out as plain loops over numbers, against the model; cells against LibTorch's
// own; and models that must learn one batch by heart.
#include <gtest/gtest.h>
#include <torch/optim/adam.h>

#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "model/model.h"
#include "model/recurrent/cell.h"
#include "model/recurrent/support.h"

namespace heed::model {
namespace {

using namespace testing;
using Row = std::vector<double>;

// The model's weights as plain numbers.
class Numbers {
 public:
  explicit Numbers(const Model& model) {
    for (const auto& parameter : model.named_parameters())
      tensors_[parameter.key()] = parameter.value().detach().to(at::kDouble).contiguous();
  }
  Row row(const std::string& name, int64_t index) const {
    const Tensor row = tensors_.at(name)[index];
    return {row.data_ptr<double>(), row.data_ptr<double>() + row.numel()};
  }
  // W x, or W x + b.
  Row times(const std::string& name, const Row& x, const std::string& bias = "") const {
    const Tensor& matrix = tensors_.at(name);
    EXPECT_EQ(matrix.size(1), static_cast<int64_t>(x.size())) << name;
    Row result(matrix.size(0), 0.0);
    for (std::size_t i = 0; i < result.size(); ++i) {
      for (std::size_t j = 0; j < x.size(); ++j)
        result[i] += matrix.data_ptr<double>()[i * x.size() + j] * x[j];
      if (!bias.empty()) result[i] += tensors_.at(bias).data_ptr<double>()[i];
    }
    return result;
  }
  Row vector(const std::string& name) const {
    const Tensor& v = tensors_.at(name);
    return {v.data_ptr<double>(), v.data_ptr<double>() + v.numel()};
  }

 private:
  std::map<std::string, Tensor> tensors_;
};

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

Row plus(Row a, const Row& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

// r, z, n below each other in both sums.
Row gru(const Row& from_input, const Row& from_state, const Row& state) {
  const std::size_t n = state.size();
  Row next(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double r = sigmoid(from_input[i] + from_state[i]);
    const double z = sigmoid(from_input[n + i] + from_state[n + i]);
    const double candidate = std::tanh(from_input[2 * n + i] + r * from_state[2 * n + i]);
    next[i] = (1 - z) * candidate + z * state[i];
  }
  return next;
}

std::vector<Row> encode(const Numbers& w, const std::vector<int64_t>& tokens, Row& summary) {
  const std::size_t length = tokens.size();
  std::vector<Row> states(length);
  summary.clear();
  for (const std::string direction : {"forward", "backward"}) {
    const std::string layer = "encoder.layer0_" + direction + "_";
    Row state(5, 0.0);
    for (std::size_t step = 0; step < length; ++step) {
      const std::size_t i = direction == "forward" ? step : length - 1 - step;
      const Row x = w.row("source_embedding.weight", tokens[i]);
      state = gru(w.times(layer + "input_weight", x, layer + "input_bias"),
                  w.times(layer + "hidden_weight", state, layer + "hidden_bias"), state);
      states[i].insert(states[i].end(), state.begin(), state.end());
    }
    summary.insert(summary.end(), state.begin(), state.end());
  }
  return states;
}

Row attend(const Numbers& w, const Row& s, const std::vector<Row>& h) {
  const Row query = w.times("decoder.attention.query", s), v = w.vector("decoder.attention.score");
  Row weights;
  double sum = 0;
  for (const Row& state : h) {
    const Row inner = plus(w.times("decoder.attention.key", state), query);
    double score = 0;
    for (std::size_t k = 0; k < v.size(); ++k) score += v[k] * std::tanh(inner[k]);
    weights.push_back(std::exp(score));
    sum += weights.back();
  }
  Row context(h[0].size(), 0.0);
  for (std::size_t i = 0; i < h.size(); ++i)
    for (std::size_t k = 0; k < context.size(); ++k) context[k] += weights[i] / sum * h[i][k];
  return context;
}

// Bahdanau et al. 2015, appendix A, one sentence, loops and nothing else: logits of every step.
std::vector<Row> bahdanau(const Numbers& w, const std::vector<int64_t>& source,
                          const std::vector<int64_t>& target, bool maxout) {
  Row summary;
  const std::vector<Row> h = encode(w, source, summary);
  const Row backward(summary.begin() + static_cast<std::ptrdiff_t>(summary.size() / 2),
                     summary.end());
  Row s = w.times("decoder.initial_weight", backward, "decoder.initial_bias");
  for (double& x : s) x = std::tanh(x);
  std::vector<Row> logits;
  for (const int64_t token : target) {
    const Row y = w.row("target_embedding.weight", token), before = s;
    const Row c = attend(w, before, h);
    const Row input = plus(w.times("decoder.layer0.input_weight", y, "decoder.layer0.input_bias"),
                           w.times("decoder.layer0.extra_weight", c));
    s = gru(input, w.times("decoder.layer0.hidden_weight", s, "decoder.layer0.hidden_bias"), s);
    Row t = plus(plus(w.times("decoder.read_input", y, "decoder.read_bias"),
                      w.times("decoder.read_state", maxout ? before : s)),
                 w.times("decoder.read_context", c));
    if (maxout) {
      for (std::size_t i = 0; i < t.size() / 2; ++i) t[i] = std::max(t[2 * i], t[2 * i + 1]);
      t.resize(t.size() / 2);
    } else {
      for (double& x : t) x = std::tanh(x);
    }
    logits.push_back(w.times("output.weight", t, "output.bias"));
  }
  return logits;
}

TEST(BahdanauRecurrence, EqualsPlainLoopsInDouble) {
  for (const Readout readout : {Readout::linear, Readout::maxout}) {
    const ModelPtr model = small_model({"bahdanau", Cell::gru, 1, false, readout});
    model->to(at::kDouble);
    {
      at::NoGradGuard guard;  // biases start at zero: give them something to do
      for (Tensor& parameter : model->parameters())
        if (parameter.dim() == 1) parameter.normal_(0, 0.5);
    }
    const Tensor logits =
        model->logits(model->features(source_of(three_sources()), padded(three_targets())));
    const Numbers numbers(*model);
    for (int64_t i = 0; i < 3; ++i) {
      const auto expected =
          bahdanau(numbers, three_sources()[i], three_targets()[i], readout == Readout::maxout);
      for (std::size_t t = 0; t < expected.size(); ++t)
        for (std::size_t k = 0; k < expected[t].size(); ++k)
          EXPECT_NEAR(logits[i][t][k].item<double>(), expected[t][k], 1e-12)
              << i << " " << t << " " << k;
    }
  }
}

// In double the readable operations, in fp32 the fused kernels.
TEST(RecurrentCell, EqualsLibTorchsOwnLayers) {
  at::manual_seed(4);
  at::NoGradGuard guard;
  for (const auto& [type, tolerance] : {std::pair{at::kDouble, 1e-12}, {at::kFloat, 2e-6}})
    for (const Cell kind : {Cell::gru, Cell::lstm}) {
      RecurrentCell cell(kind, 5, 7);
      cell.to(type);
      auto w = cell.named_parameters();
      for (Tensor& parameter : cell.parameters()) parameter.normal_(0, 0.5);
      const Tensor input_bias = w["input_bias"];
      const Tensor hidden_bias = kind == Cell::gru ? w["hidden_bias"] : at::zeros_like(input_bias);
      const std::vector<Tensor> weights = {w["input_weight"], w["hidden_weight"], input_bias,
                                           hidden_bias};
      const Tensor x = at::randn({3, 4, 5}, type);
      CellState state{at::randn({3, 1, 7}, type), at::randn({3, 1, 7}, type)};
      const Tensor hidden = state.hidden.transpose(0, 1), memory = state.cell.transpose(0, 1);
      Tensor expected, last_cell;
      if (kind == Cell::gru)
        std::tie(expected, std::ignore) =
            at::gru(x, hidden, weights, true, 1, 0, false, false, true);
      else
        std::tie(expected, std::ignore, last_cell) =
            at::lstm(x, {hidden, memory}, weights, true, 1, 0, false, false, true);
      EXPECT_LT(distance(cell.unroll(x, {}, state), expected), tolerance);
      EXPECT_LT(distance(state.hidden.squeeze(1), expected.select(1, 3)), tolerance);
      if (kind == Cell::lstm) {
        EXPECT_LT(distance(state.cell.squeeze(1), last_cell.squeeze(0)), tolerance);
      }
    }
}

TEST(RecurrentCell, ForgetGatesStartOpen) {
  const Tensor bias = gate_bias(Cell::lstm, 3);
  EXPECT_TRUE(
      bias.equal(at::tensor({0., 0., 0., 1., 1., 1., 0., 0., 0., 0., 0., 0.}).to(at::kFloat)));
}

TEST(RecurrentCell, RecurrentMatricesStartOrthogonal) {
  at::manual_seed(2);
  const Tensor gates = orthogonal_gates(3, 5);
  for (int64_t gate = 0; gate < 3; ++gate) {
    const Tensor matrix = gates.narrow(0, gate * 5, 5);
    EXPECT_LT(distance(at::mm(matrix, matrix.t()), at::eye(5)), 1e-5);
  }
}

class Overfits : public ::testing::TestWithParam<Kind> {};

const std::vector<std::vector<int64_t>>& lesson() {
  static const std::vector<std::vector<int64_t>> sentences = {
      {kBos, 3, 4, 5, 6, kEos}, {kBos, 10, 9, 8, 7, kEos}, {kBos, 3, 3, 10, 4, kEos}};
  return sentences;
}

TEST_P(Overfits, OneBatchAndThenDecodesItByHeart) {
  at::manual_seed(9);
  ModelConfig config = small_config(GetParam());
  config.embedding_size = 16;
  config.hidden_size = 24;
  const ModelPtr model = make_model(config, {kSourceVocabulary, kTargetVocabulary});
  torch::optim::Adam optimizer(model->parameters(), torch::optim::AdamOptions(0.02));
  const Source source = source_of(three_sources());
  const Tensor rows = padded(lesson());
  const Tensor input = rows.narrow(1, 0, 5), output = rows.narrow(1, 1, 5).unsqueeze(-1);
  double last = 0;
  for (int update = 0; update < 60; ++update) {
    const Tensor scores = at::log_softmax(model->logits(model->features(source, input)), -1);
    const Tensor loss = -scores.gather(-1, output).mean();
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    last = loss.item<double>();
  }
  EXPECT_LT(last, 0.1);
  at::NoGradGuard guard;
  model->eval();
  State state = model->start(source);
  Tensor token = at::full({3, 1}, kBos, at::kLong);
  for (int64_t t = 0; t < 5; ++t) {
    token = model->step(token, state).argmax(-1);
    EXPECT_TRUE(token.equal(output.select(1, t))) << t;
  }
}

std::vector<Kind> lesson_kinds() {
  std::vector<Kind> kinds;
  for (const std::string& attention : attention_names()) kinds.push_back({attention});
  kinds.push_back({"bahdanau", Cell::lstm, 1, false, Readout::maxout});
  kinds.push_back({"luong_general", Cell::lstm, 2, true});
  kinds.push_back({"luong_dot", Cell::gru, 1, true, Readout::linear, Window::local_p});
  return kinds;
}

INSTANTIATE_TEST_SUITE_P(Kinds, Overfits, ::testing::ValuesIn(lesson_kinds()),
                         [](const auto& info) { return name_of_kind(info.param); });

}  // namespace
}  // namespace heed::model
