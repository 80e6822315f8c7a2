// The number of parameters of a model, by the formulas of its parts.
#include <gtest/gtest.h>

#include "model/kinds.h"
#include "model/model.h"
#include "model/transformer/blocks.h"
#include "model/transformer/multi_head.h"

namespace heed::model {
namespace {

using namespace testing;

int64_t count(const torch::nn::Module& module) {
  int64_t numbers = 0;
  for (const Tensor& parameter : module.parameters()) numbers += parameter.numel();
  return numbers;
}

MultiHeadOptions bare(int64_t width, int64_t heads, int64_t kv_heads = 0) {
  return {.width = width, .heads = heads, .kv_heads = kv_heads, .bias = false};
}

TEST(Parameters, OfMultiHeadAttentionAreFourSquaresOfTheWidth) {
  EXPECT_EQ(count(*make_self_attention(bare(512, 8))), 1'048'576);
  EXPECT_EQ(count(CrossAttention(bare(512, 8))), 1'048'576);
  EXPECT_EQ(count(*make_self_attention(bare(768, 12))), 2'359'296);
  // Queries and output whole, keys and values of one head in eight: 2 512^2 + 2 512 64.
  EXPECT_EQ(count(*make_self_attention(bare(512, 8, 1))), 589'824);
  EXPECT_EQ(count(CrossAttention(bare(512, 8, 2))), 2 * 512 * 512 + 2 * 512 * 128);
}

TEST(Parameters, OfSixEncoderBlocksAreThoseOfThePaper) {
  // 6 (4 512^2 + 2 512 2048 + 2048 + 512 + 4 512): attention, feed-forward, its biases, two norms.
  EXPECT_EQ(6 * count(EncoderBlock({.feed_forward = 2048, .self = bare(512, 8)}, {})), 18'902'016);
}

/// The parameters of one head's scores, for states of width d and the inner layer as wide.
int64_t score_parameters(const ModelConfig& config, int64_t d) {
  const std::string& name = config.attention;
  const int64_t window = config.window == Window::local_p ? d * d + d : 0;  // of equation 9
  if (name == "bahdanau" || name == "luong_concat") return window + 2 * d * d + d;
  if (name == "luong_general") return window + d * d;
  if (name == "luong_dot" || name == "none") return window;
  if (name == "luong_location") return config.max_positions * d;
  return window + count(*attention_maker(name)({d, d, d, {}}));
}

/// V, and u or a GRU whose input is a weight and two states.
int64_t coverage_parameters(const ModelConfig& config, int64_t d) {
  if (config.coverage == Coverage::none) return 0;
  if (config.coverage == Coverage::linguistic) return d + d;
  const int64_t c = config.coverage_size;
  return d * c + 3 * c * (1 + d + d + c + 1);
}

int64_t attention_parameters(const ModelConfig& config) {
  const int64_t d = config.hidden_size, heads = config.attention_heads;
  const int64_t projections = heads == 1 ? 0 : 2 * d * d;
  return projections +
         heads * (score_parameters(config, d / heads) + coverage_parameters(config, d / heads));
}

int64_t formula_of_recurrent(const ModelConfig& c, int64_t pieces) {
  const int64_t e = c.embedding_size, d = c.hidden_size, half = d / 2;
  const bool lstm = c.cell == Cell::lstm;
  const int64_t gates = lstm ? 4 : 3;
  const Timing timing = attention_info(c.attention).timing;
  // Both directions of the encoder, two biases each; above the first layer they read 2 half.
  int64_t encoder = 0;
  for (int64_t layer = 0; layer < c.layers; ++layer)
    encoder += 2 * gates * half * ((layer == 0 ? e : d) + half + 2);
  // The bottom layer reads a word and, but for Luong without feeding, a context or an attentional
  // state; a second bias is the GRU's alone.
  const int64_t extra = timing == Timing::kAfter ? (c.input_feeding ? e : 0) : d;
  int64_t decoder = gates * d * extra;
  for (int64_t layer = 0; layer < c.layers; ++layer)
    decoder += gates * d * ((layer == 0 ? e : d) + d + (lstm ? 1 : 2));
  // Bahdanau's start from the backward direction alone.
  const int64_t summary = timing == Timing::kBefore ? half : d;
  const int64_t first_states = c.layers * (lstm ? 2 : 1) * d * (summary + 1);
  const int64_t inner = c.readout == Readout::maxout ? 2 * e : e;
  const int64_t read_out = inner * (d + d + (timing == Timing::kAfter ? 0 : e) + 1);
  const int64_t tied = c.tie == Tie::none ? 0 : c.tie == Tie::decoder ? 1 : 2;
  return (3 - tied) * pieces * e + pieces + encoder + decoder + first_states + read_out +
         attention_parameters(c);
}

TEST(Parameters, OfEveryRecurrentModelAreThoseOfTheFormula) {
  for (const NamedConfig& kind : recurrent_kinds())
    for (const Tie tie : {Tie::none, Tie::decoder, Tie::all}) {
      ModelConfig config = kind.config;
      config.tie = tie;
      EXPECT_EQ(count_parameters(*make_model(config, {13, 13})), formula_of_recurrent(config, 13))
          << kind.name << ", tie " << config::name_of(tie);
    }
}

int64_t formula_of_transformer(const ModelConfig& c, int64_t pieces) {
  const int64_t d = c.width, f = c.feed_forward;
  const int64_t shared = (c.kv_heads == 0 ? c.heads : c.kv_heads) * (d / c.heads);
  const int64_t attention = 2 * d * (d + 1) + 2 * shared * (d + 1);
  const int64_t feed_forward = f * (d + 1) + d * (f + 1), norm = 2 * d;
  const int64_t encoder = c.encoder_layers * (attention + feed_forward + 2 * norm);
  const int64_t earlier = c.decoder == DecoderKind::attention ? attention
                          : c.decoder == DecoderKind::ssru    ? d * d + d * (d + 1)
                                                              : feed_forward + 2 * d * (2 * d + 1);
  const int64_t decoder = c.decoder_layers * (earlier + attention + feed_forward + 3 * norm);
  const int64_t other_norms =
      (c.norm == Norm::pre ? 2 * norm : 0) + (c.embedding_norm ? 2 * norm : 0);
  const bool attends = c.decoder == DecoderKind::attention;  // the decoder to itself
  const int64_t layers = c.encoder_layers + (attends ? c.decoder_layers : 0);
  const int64_t stacks = attends ? 2 : 1;
  const int64_t positions = c.positions == "learned"    ? 2 * c.max_positions * d
                            : c.positions == "relative" ? layers * 33 * (d / c.heads)
                            : c.positions == "t5"
                                ? stacks * 32 * c.heads
                                : 2 * count(*make_positions(c.positions, {d, c.heads}));
  const MultiHeadOptions softmax{.width = d, .heads = c.heads};
  MultiHeadOptions kind = softmax;
  kind.kind = c.self_attention;
  const int64_t own =
      layers * (count(*make_self_attention(kind)) - count(*make_self_attention(softmax)));
  const int64_t tied = c.tie == Tie::none ? 0 : c.tie == Tie::decoder ? 1 : 2;
  return (3 - tied) * pieces * d + pieces + encoder + decoder + other_norms + positions + own;
}

TEST(Parameters, OfEveryTransformerAreThoseOfTheFormula) {
  for (const auto& [name, config] : transformer_kinds())
    EXPECT_EQ(count_parameters(*make_model(config, {13, 13})), formula_of_transformer(config, 13))
        << name;
}

// Embedding 7, hidden 10, one GRU layer, vocabularies 13 and 11, bahdanau:
// embeddings 13*7 + 11*7 = 168; output 11*7 + 11 = 88; encoder, each direction 3*5*(7+5) + 2*15 =
// 210: 420; decoder: cell 30*(7+10+10) + 60 = 870, attention 10*10*2 + 10 = 210, first state 10*5
// + 10 = 60, read-out 7*(10+10+7) + 7 = 196. Sum 2012.
TEST(Parameters, OfASmallBahdanauModelByHand) {
  EXPECT_EQ(count_parameters(*small_model({"bahdanau"})), 2012);
}

}  // namespace
}  // namespace heed::model
