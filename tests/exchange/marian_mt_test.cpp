// Models that MarianMT can be, and the files of one. That it computes the same is tested in
// tests/twins/test_huggingface.py.
#include "exchange/marian_mt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "engine/random_weights.h"
#include "exchange/arrays.h"
#include "exchange/plain_transformer.h"
#include "temporary_folder.h"
#include "text/vocabulary_training.h"

namespace heed::exchange {
namespace {

using engine::testing::random_transformer, engine::testing::small_transformer;
using model::ModelConfig, model::Tie;
using nlohmann::json;
using ::testing::ElementsAre, ::testing::HasSubstr;

ModelConfig small_marian() {
  ModelConfig config = small_transformer();
  config.norm = model::Norm::post;
  return config;
}

TEST(MarianMT, LacksWhatItsConfigurationCannotSay) {
  const auto missing = [](const auto& change) {
    ModelConfig config = small_marian();
    change(config);
    return missing_in_marian_mt(config);
  };
  EXPECT_EQ(missing([](ModelConfig&) {}), "");
  for (const Tie tie : {Tie::none, Tie::decoder, Tie::all})
    EXPECT_EQ(missing([&](ModelConfig& c) { c.tie = tie; }), "");
  EXPECT_EQ(missing([](ModelConfig& c) { c.attention_scale = model::AttentionScale::none; }), "");
  EXPECT_EQ(missing([](ModelConfig& c) { c.kv_heads = c.heads; }), "");
  EXPECT_THAT(missing([](ModelConfig& c) { c.kv_heads = 1; }), HasSubstr("(model.kv_heads is 1)"));
  EXPECT_THAT(missing([](ModelConfig& c) { c.norm = model::Norm::pre; }),
              HasSubstr("(model.norm is pre)"));
  EXPECT_THAT(missing([](ModelConfig& c) { c.embedding_norm = true; }),
              HasSubstr("(model.embedding_norm is true)"));
  EXPECT_THAT(missing([](ModelConfig& c) { c.norm_epsilon = 1e-6; }),
              HasSubstr("add 1e-05 to a variance (model.norm_epsilon is 1e-06)"));
  for (const char* positions : {"learned", "rotary", "none"})
    EXPECT_THAT(missing([&](ModelConfig& c) { c.positions = positions; }),
                HasSubstr(std::string("(model.positions is ") + positions + ")"));
  EXPECT_THAT(missing([](ModelConfig& c) { c.type = model::ModelType::rnn; }),
              HasSubstr("(model.type is rnn)"));
  EXPECT_THAT(missing([](ModelConfig& c) { c.sliding_window = 3; }),
              HasSubstr("(model.sliding_window is 3)"));
}

TEST(MarianMT, HasSinesBeforeCosines) {
  EXPECT_THAT(halves_from_pairs(6), ElementsAre(0, 2, 4, 1, 3, 5));
  EXPECT_THAT(pairs_from_halves(6), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(halves_from_pairs(5), ElementsAre(0, 2, 4, 1, 3));
  EXPECT_THAT(pairs_from_halves(5), ElementsAre(0, 3, 1, 4, 2));
}

TEST(HuggingFaceTensors, CoverEachRowOfTheModelOnce) {
  for (const Tie tie : {Tie::none, Tie::decoder, Tie::all}) {
    ModelConfig config = small_marian();
    config.tie = tie;
    if (tie == Tie::none) config.norm = model::Norm::pre;
    config.embedding_norm = tie == Tie::decoder;
    const engine::Weights weights = random_transformer(config, 7);
    std::map<std::string, int64_t> next;  // the first row that is not there yet
    std::set<std::string> names;
    for (const HuggingFaceTensor& tensor : hugging_face_tensors(config)) {
      EXPECT_TRUE(names.insert(tensor.name).second) << tensor.name;
      const engine::Array& own = weights.at(tensor.own);
      EXPECT_EQ(tensor.part * own.rows() / tensor.parts, next[tensor.own]) << tensor.name;
      EXPECT_EQ(own.rows() % tensor.parts, 0) << tensor.name;
      next[tensor.own] += own.rows() / tensor.parts;
      EXPECT_TRUE(!tensor.state_rows || own.rows() == config.width) << tensor.name;
      EXPECT_TRUE(!tensor.state_columns || own.columns() == config.width) << tensor.name;
    }
    next["output.bias"] = 7;
    for (const auto& [name, array] : weights.all()) EXPECT_EQ(next[name], array.rows()) << name;
    EXPECT_EQ(next.size(), weights.all().size());
  }
}

class MarianFolder : public ::testing::Test {
 protected:
  MarianFolder() {
    folder_.write("text", "a b c d\nb a\nd c\n");
    for (const char* symbols : {"", "<x>"}) {
      text::VocabularyTraining training{
          .files = {text::TextFile(folder_ / "text")}, .size = 12, .algorithm = "bpe"};
      if (*symbols != '\0') training.symbols = {symbols};
      vocabularies_.push_back(text::train_vocabulary(training));
    }
  }

  void write(const ModelConfig& model, const text::Vocabulary& source,
             const text::Vocabulary& target, const decode::DecodeConfig& decoding = {}) const {
    write_marian_mt({.model = model,
                     .decoding = decoding,
                     .weights = random_transformer(model, source.size()),
                     .source = source,
                     .target = target},
                    folder_ / "");
  }
  json read(const std::string& name) const { return json::parse(read_file(folder_ / name)); }

  TemporaryFolder folder_;
  std::vector<text::Vocabulary> vocabularies_;  // without a symbol, and with one
};

TEST_F(MarianFolder, SaysHowItIsTiedAndWhichIdsAreSpecial) {
  ModelConfig config = small_marian();
  config.tie = Tie::all;
  config.activation = model::Activation::silu;
  write(config, vocabularies_[0], vocabularies_[0]);
  json written = read("config.json");
  EXPECT_EQ(written["share_encoder_decoder_embeddings"], true);
  EXPECT_EQ(written["tie_word_embeddings"], true);
  EXPECT_EQ(written["activation_function"], "swish");
  EXPECT_EQ(written["decoder_start_token_id"], 2);
  EXPECT_EQ(read("vocab.json")["<s>"], 2);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "target_vocab.json"));
  EXPECT_EQ(read("tokenizer_config.json")["split_special_tokens"], true);

  config.tie = Tie::none;
  write(config, vocabularies_[1], vocabularies_[0]);
  written = read("config.json");
  EXPECT_EQ(written["share_encoder_decoder_embeddings"], false);
  EXPECT_EQ(written["tie_word_embeddings"], false);
  EXPECT_EQ(read("target_vocab.json").size(), 12U);
  const json tokenizer = read("tokenizer_config.json");
  EXPECT_FALSE(tokenizer.contains("source_lang"));
  EXPECT_EQ(tokenizer["split_special_tokens"], false);
  EXPECT_EQ(tokenizer["added_tokens_decoder"]["4"]["content"], "<x>");
}

TEST_F(MarianFolder, SearchesAsHeedDoes) {
  decode::DecodeConfig decoding;
  decoding.forbid = {"\u2581a"};
  decoding.min_length = 5;
  const auto search = [&] {
    write(small_marian(), vocabularies_[0], vocabularies_[0], decoding);
    return read("generation_config.json");
  };
  json written = search();
  const int32_t forbidden = *vocabularies_[0].id_of("\u2581a");
  EXPECT_EQ(written["bad_words_ids"],
            json::parse("[[0], [2], [" + std::to_string(forbidden) + "]]"));
  EXPECT_EQ(written["min_length"], 6);     // with bos
  EXPECT_EQ(written["max_length"], 1025);  // as many positions, and the piece of the last
  EXPECT_EQ(written["length_penalty"], 1.0);
  EXPECT_EQ(written["early_stopping"], true);
  decoding.length_penalty = decode::LengthPenalty::none;
  written = search();
  EXPECT_EQ(written["length_penalty"], 0.0);
  EXPECT_EQ(written["early_stopping"], "never");
  decoding.sampling.top_p = 0.5;
  written = search();
  EXPECT_EQ(written["num_beams"], 1);
  EXPECT_EQ(written["do_sample"], true);
  EXPECT_EQ(written["top_k"], 0);  // without a limit; theirs is 50 where none is given
  EXPECT_FALSE(written.contains("length_penalty"));
}

TEST_F(MarianFolder, HasTheNumbersInItsOwnOrder) {
  ModelConfig config = small_marian();
  config.attention_scale = model::AttentionScale::none;  // heads of 4 numbers: queries are doubled
  write(config, vocabularies_[0], vocabularies_[0]);
  const engine::Weights own = random_transformer(config, vocabularies_[0].size());
  const engine::Weights written =
      engine::weights_in(model::open_safetensors(folder_ / "model.safetensors"), "written");
  const engine::Array& queries = written.at("model.encoder.layers.0.self_attn.q_proj.weight");
  const engine::Array& keys = written.at("model.encoder.layers.0.self_attn.k_proj.weight");
  const engine::Array& joined = own.at("encoder.0.attention.projection.weight");
  EXPECT_EQ(queries.data[12 + 1], 2 * joined.data[12 + 2]);      // the sine after the first
  EXPECT_EQ(keys.data[12 + 6], joined.data[(12 + 1) * 12 + 1]);  // the first cosine
  EXPECT_EQ(written.at("model.decoder.layers.0.final_layer_norm.bias").data[11],
            own.at("decoder.0.around_feed_forward.norm.bias").data[11]);
  EXPECT_EQ(written.at("final_logits_bias").shape, (std::vector<int64_t>{1, 12}));
}

TEST_F(MarianFolder, IsOfNoModelThatItLacksSomethingFor) {
  EXPECT_THROW(write(small_transformer(), vocabularies_[0], vocabularies_[0]), Bug);
}

}  // namespace
}  // namespace heed::exchange
