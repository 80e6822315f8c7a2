#include <gtest/gtest.h>

#include "model/description/traits.h"

namespace heed::model {
namespace {

ModelConfig small_transformer_config() {
  ModelConfig config;
  config.width = 128;
  config.heads = 4;
  config.encoder_layers = config.decoder_layers = 3;
  return config;
}

ModelConfig recurrent_config(const std::string& attention) {
  ModelConfig config;
  config.type = ModelType::rnn;
  config.hidden_size = 256;
  config.attention = attention;
  return config;
}

TEST(Description, OfATransformerHasItsSizesAlone) {
  ModelConfig config = small_transformer_config();
  EXPECT_EQ(describe_model(config), "Transformer, 3+3 layers, width 128, 4 heads");
  config.kv_heads = 4;  // as many as heads
  config.dropout = 0;
  config.tie = Tie::all;
  EXPECT_EQ(describe_model(config), "Transformer, 3+3 layers, width 128, 4 heads");
  config.heads = config.kv_heads = 1;
  config.decoder_layers = 1;
  EXPECT_EQ(describe_model(config), "Transformer, 3+1 layers, width 128, 1 head");
}

TEST(Description, NamesTheSelfAttentionThatIsNotSoftmaxOverAll) {
  const std::string sizes = "Transformer, 3+3 layers, width 128, 4 heads, ";
  ModelConfig config = small_transformer_config();
  config.sliding_window = 8;
  EXPECT_EQ(describe_model(config), sizes + "self-attention (window 8)");
  config.self_attention = "sparse";
  config.global_tokens = 2;
  EXPECT_EQ(describe_model(config), sizes + "sparse self-attention (window 8, 2 global tokens)");
  config.global_tokens = 1;
  config.attention_stride = 5;
  EXPECT_EQ(describe_model(config),
            sizes + "sparse self-attention (window 8, 1 global token, stride 5)");
  config = small_transformer_config();
  config.self_attention = "linear";
  EXPECT_EQ(describe_model(config), sizes + "linear self-attention");
}

TEST(Description, NamesWhatElseOfATransformerIsNotTheDefault) {
  ModelConfig config = small_transformer_config();
  config.attention_normaliser = "sparsemax";
  EXPECT_EQ(describe_model(config),
            "Transformer, 3+3 layers, width 128, 4 heads, sparsemax in cross-attention");
  config.attention_normaliser = "softmax";
  config.pruned_heads = {"encoder.0.2", "cross.2.1"};
  EXPECT_EQ(describe_model(config), "Transformer, 3+3 layers, width 128, 4 heads, 2 heads pruned");
  config.pruned_heads = {};
  config.kv_heads = 2;
  config.positions = "rotary";
  config.norm = Norm::post;
  config.norm_epsilon = 1e-6;  // said nowhere, as inner sizes
  config.embedding_norm = true;
  config.attention_scale = AttentionScale::none;
  config.activation = Activation::gelu;
  EXPECT_EQ(describe_model(config),
            "Transformer, 3+3 layers, width 128, 4 heads, 2 of keys and values, positions rotary, "
            "norm post, norm of embeddings, scores without a scale, gelu");
}

TEST(Description, OfARecurrentModelHasItsCellItsWidthAndItsAttention) {
  ModelConfig config = recurrent_config("bahdanau");
  EXPECT_EQ(describe_model(config), "GRU encoder-decoder, width 256, attention bahdanau");
  config = recurrent_config("none");
  config.cell = Cell::lstm;
  config.layers = 2;
  EXPECT_EQ(describe_model(config),
            "LSTM encoder-decoder, 2 layers, width 256, no attention: the encoder's last states "
            "are all it sees");
}

TEST(Description, NamesWhatElseOfARecurrentModelIsNotTheDefault) {
  ModelConfig config = recurrent_config("luong_general");
  config.input_feeding = true;
  EXPECT_EQ(describe_model(config),
            "GRU encoder-decoder, width 256, attention luong_general, input feeding");
  config = recurrent_config("luong_general");
  config.attention_heads = 4;
  config.window = Window::local_p;
  config.window_size = 7;
  config.attention_normaliser = "entmax15";
  EXPECT_EQ(describe_model(config),
            "GRU encoder-decoder, width 256, attention luong_general, 4 heads, window local_p of "
            "7, weights by entmax15");
  config = recurrent_config("bahdanau");
  config.coverage = Coverage::neural;
  config.readout = Readout::maxout;
  EXPECT_EQ(describe_model(config),
            "GRU encoder-decoder, width 256, attention bahdanau, coverage neural, readout maxout");
}

TEST(Description, LeavesOutWhatOnlyTheOtherTypeHas) {
  ModelConfig config = small_transformer_config();
  config.coverage = Coverage::linguistic;
  config.layers = 3;
  EXPECT_EQ(describe_model(config), "Transformer, 3+3 layers, width 128, 4 heads");
  config = recurrent_config("bahdanau");
  config.positions = "rotary";
  config.sliding_window = 8;
  EXPECT_EQ(describe_model(config), "GRU encoder-decoder, width 256, attention bahdanau");
}

}  // namespace
}  // namespace heed::model
