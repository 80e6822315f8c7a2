// For every kind of model, what must not matter does not: the search finds the same hypotheses with
// and without caches, fused or looked at, in a batch or alone, padded or not, and with options that
// say the same in other words.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "decode/toy_model.h"
#include "model/kinds.h"
#include "model/model.h"

namespace heed::decode {
namespace {

using Found = std::vector<std::vector<Hypothesis>>;

constexpr int64_t kPieces = 13;

const std::vector<std::vector<int64_t>>& sentences() {
  static const std::vector<std::vector<int64_t>> three{{4, 9, 12, 5, 8, 4}, {11}, {7, 4, 10}};
  return three;
}

/// The model without memory: each step reads the whole prefix again by teacher forcing.
class Forgetful : public model::Model {
 public:
  explicit Forgetful(model::ModelPtr inner) : inner_(std::move(inner)) {}

  at::Tensor features(const model::Source& source, const model::TargetInput& input,
                      model::Trace* trace) override {
    return inner_->features(source, input, trace);
  }
  at::Tensor logits(const at::Tensor& features) override { return inner_->logits(features); }

  model::State start(const model::Source& source, model::Trace*) override {
    model::State state;
    state.memory = {source.tokens, source.lengths, source.valid};
    state.carried = {at::zeros({source.tokens.size(0), 1, 0}, at::kLong)};  // the prefixes
    return state;
  }

  at::Tensor step(const at::Tensor& tokens, model::State& state, model::Trace* trace) override {
    const int64_t beam = tokens.size(1);
    at::Tensor& prefix = state.carried[0];  // [sentences, beam, steps]
    prefix = at::cat({prefix, tokens.unsqueeze(2)}, 2);
    ++state.position;
    const auto each = [&](std::size_t slot) {
      return state.memory[slot].repeat_interleave(beam, 0);
    };
    model::Trace whole;
    const at::Tensor all = inner_->features({each(0), each(1), each(2)}, prefix.flatten(0, 1),
                                            trace ? &whole : nullptr);
    for (const model::AttentionMap& map : whole.maps)
      trace->maps.push_back(
          {map.kind, map.layer,
           map.weights.select(2, -1).unflatten(0, {-1, beam}).transpose(1, 2).contiguous()});
    return inner_->logits(all.select(1, -1)).unflatten(0, {-1, beam});
  }

  int64_t longest() const override { return inner_->longest(); }
  bool attends() const override { return inner_->attends(); }

 private:
  model::ModelPtr inner_;
};

/// Random weights, scaled up so that no two pieces are nearly equal.
model::ModelPtr model_of_pieces(const model::ModelConfig& config) {
  const model::ModelPtr model = model::testing::model_of(config, kPieces, 5);
  const at::NoGradGuard no_gradients;
  for (at::Tensor& parameter : model->parameters())
    if (parameter.dim() > 1) parameter.mul_(1.5);
  model->eval();
  return model;
}

Found find(model::Model& model, const model::Source& source, int64_t beam, bool look = false) {
  SearchOptions options{.config = toy::config_of(beam), .keep_attention = look};
  options.config.n_best = beam;
  options.config.max_length_ratio = 0.5;
  return search({&model}, {source}, options);
}

Found one_by_one(model::Model& model, int64_t beam) {
  Found found;
  for (const auto& sentence : sentences())
    found.push_back(find(model, toy::make_source({sentence}), beam).at(0));
  return found;
}

/// Four more positions of padding, with something in it.
model::Source more_padding() {
  model::Source source = toy::make_source(sentences());
  const int64_t width = source.tokens.size(1) + 4;
  at::Tensor tokens = at::full({source.tokens.size(0), width}, 6, at::kLong);
  tokens.narrow(1, 0, width - 4).copy_(at::where(source.valid, source.tokens, 9));
  source.tokens = tokens;
  source.valid = at::arange(width).unsqueeze(0) < source.lengths.unsqueeze(1);
  return source;
}

/// The log-probability of a translation by teacher forcing, with the sentence alone in its batch.
double log_probability(model::Model& model, const std::vector<int64_t>& sentence,
                       const Hypothesis& one) {
  const model::Source source = toy::make_source({sentence});
  std::vector<int32_t> prefix;
  double sum = 0;
  for (const int32_t id : one.ids) {
    sum += toy::next_log_probabilities(model, source, prefix)[id];
    prefix.push_back(id);
  }
  return one.cut ? sum : sum + toy::next_log_probabilities(model, source, prefix)[text::kEnd];
}

/// The same hypotheses in the same order. Where two are equally good, as the same pieces in another
/// order can be for a model that sees but the last few, rounding decides which comes out.
void expect_equal(const Found& found, const Found& expected, model::Model& model,
                  const char* what) {
  SCOPED_TRACE(what);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].size(), expected[i].size());
    for (std::size_t n = 0; n < found[i].size(); ++n) {
      SCOPED_TRACE("sentence " + std::to_string(i) + ", hypothesis " + std::to_string(n));
      const Hypothesis &one = found[i][n], &other = expected[i][n];
      EXPECT_NEAR(one.score, other.score, 1e-5);
      ASSERT_EQ(one.ids.size(), other.ids.size());
      if (one.ids != other.ids) {
        EXPECT_NEAR(log_probability(model, sentences()[i], one),
                    log_probability(model, sentences()[i], other), 1e-5)
            << ::testing::PrintToString(one.ids) << " for " << ::testing::PrintToString(other.ids);
      }
    }
  }
}

void expect_equal_attention(const Found& found, const Found& expected) {
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto &rows = found[i].at(0).attention, &others = expected[i].at(0).attention;
    ASSERT_EQ(rows.size(), others.size());
    for (std::size_t t = 0; t < rows.size(); ++t)
      for (std::size_t k = 0; k < rows[t].size(); ++k) EXPECT_NEAR(rows[t][k], others[t][k], 1e-5);
  }
}

/// The same network said in other words: windows as wide as any sentence, kv_heads: heads.
std::vector<model::ModelConfig> synonyms(const model::ModelConfig& config) {
  std::vector<model::ModelConfig> others;
  if (config.type == model::ModelType::rnn) {
    const bool luong = model::attention_info(config.attention).timing == model::Timing::kAfter;
    if (luong && config.window == model::Window::global && config.attention != "luong_location") {
      others.push_back(config);
      others.back().window = model::Window::local_m;
      others.back().window_size = 100;
    }
    return others;
  }
  if (config.sliding_window == 0) {
    others.push_back(config);
    others.back().sliding_window = 100;
  }
  if (config.kv_heads == 0) {
    others.push_back(config);
    others.back().kv_heads = config.heads;
  }
  return others;
}

void expect_equalities(const std::vector<model::testing::NamedConfig>& kinds) {
  const model::Source source = toy::make_source(sentences());
  for (const auto& [name, config] : kinds) {
    SCOPED_TRACE(name);
    const model::ModelPtr model = model_of_pieces(config);
    Forgetful forgetful(model);
    for (const int64_t beam : {1, 3}) {
      SCOPED_TRACE("beam " + std::to_string(beam));
      const Found found = find(*model, source, beam), looked = find(*model, source, beam, true);
      const Found again = find(forgetful, source, beam, true);
      expect_equal(looked, found, *model, "looking at the attention");
      expect_equal(again, found, *model, "without caches");
      expect_equal_attention(again, looked);
      expect_equal(one_by_one(*model, beam), found, *model, "one by one");
      expect_equal(find(*model, more_padding(), beam), found, *model, "more padding");
      for (const model::ModelConfig& other : synonyms(config))
        expect_equal(find(*model_of_pieces(other), source, beam), found, *model, "a synonym");
    }
  }
}

TEST(Equalities, OfEveryRecurrentModel) {
  expect_equalities(model::testing::recurrent_kinds());
}

TEST(Equalities, OfEveryTransformer) {
  expect_equalities(model::testing::transformer_kinds());
}

}  // namespace
}  // namespace heed::decode
