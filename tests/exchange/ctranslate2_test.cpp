// Models that CTranslate2 can run, and the bytes of their files. That it computes the same is
// tested in tests/twins/test_export.py.
#include "exchange/ctranslate2.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "base/error.h"
#include "base/files.h"
#include "engine/random_weights.h"
#include "temporary_folder.h"

namespace heed::exchange {
namespace {

using model::ModelConfig;
using ::testing::HasSubstr;

TEST(CTranslate2, LacksWhatItsFormatCannotSay) {
  const ModelConfig known = engine::testing::small_transformer();
  const auto missing = [&](const auto& change) {
    ModelConfig config = known;
    change(config);
    return missing_in_ctranslate2(config);
  };
  EXPECT_EQ(missing([](ModelConfig&) {}), "");
  for (const char* positions : {"sinusoidal", "tensor2tensor", "learned", "rotary"})
    EXPECT_EQ(missing([&](ModelConfig& c) { c.positions = positions; }), "");
  EXPECT_EQ(missing([](ModelConfig& c) { c.embedding_norm = true; }), "");
  EXPECT_EQ(missing([](ModelConfig& c) { c.norm_epsilon = 1e-6; }), "");
  EXPECT_THAT(missing([](ModelConfig& c) { c.type = model::ModelType::rnn; }),
              HasSubstr("no recurrent models"));
  EXPECT_THAT(missing([](ModelConfig& c) { c.decoder = model::DecoderKind::ssru; }),
              HasSubstr("(model.decoder is ssru)"));
  EXPECT_THAT(missing([](ModelConfig& c) { c.sliding_window = 3; }),
              HasSubstr("(model.sliding_window is 3)"));
  EXPECT_THAT(missing([](ModelConfig& c) { c.self_attention = "linear"; }),
              HasSubstr("(model.self_attention is linear)"));
  EXPECT_THAT(missing([](ModelConfig& c) { c.positions = "alibi"; }),
              HasSubstr("(model.positions is alibi)"));
  EXPECT_THAT(missing([](ModelConfig& c) { c.pruned_heads = {"encoder.1.1"}; }),
              HasSubstr("model.pruned_heads is not empty"));
  EXPECT_THAT(missing([](ModelConfig& c) { c.attention_normaliser = "sparsemax"; }),
              HasSubstr("(model.attention_normaliser is sparsemax)"));
}

TEST(CTranslate2, TakesSentencesAsLongAsItsTableOfPositions) {
  ModelConfig config = engine::testing::small_transformer();
  config.max_positions = 77;
  config.positions = "sinusoidal";
  EXPECT_EQ(longest_in_ctranslate2(config), 4096);
  config.positions = "learned";
  EXPECT_EQ(longest_in_ctranslate2(config), 77);
  config.positions = "rotary";
  EXPECT_EQ(longest_in_ctranslate2(config), std::numeric_limits<int64_t>::max());
}

/// Reads the numbers and texts of a file one after the other.
class Reader {
 public:
  explicit Reader(std::string bytes) : bytes_(std::move(bytes)) {}
  template <class Number>
  Number number() {
    Number value{};
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string text() {
    std::string value = take(number<uint16_t>());
    EXPECT_EQ(value.back(), '\0');
    value.pop_back();
    return value;
  }
  std::string take(std::size_t count) {
    EXPECT_LE(at_ + count, bytes_.size());
    at_ += count;
    return bytes_.substr(at_ - count, count);
  }
  bool at_end() const { return at_ == bytes_.size(); }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

TEST(CTranslate2, ReadsVariablesInTheOrderOfTheirNamesAndAliasesOfThem) {
  const TemporaryFolder folder;
  for (const model::Tie tie : {model::Tie::none, model::Tie::all}) {
    ModelConfig config = engine::testing::small_transformer();
    config.tie = tie;
    config.embedding_norm = tie == model::Tie::none;
    write_ctranslate2(config, engine::testing::random_transformer(config, 23), {},
                      folder / "model.bin");
    Reader in(read_file(folder / "model.bin"));
    EXPECT_EQ(in.number<uint32_t>(), 6U);  // the format's version
    EXPECT_EQ(in.text(), "TransformerSpec");
    EXPECT_EQ(in.number<uint32_t>(), 7U);  // its revision
    std::map<std::string, std::vector<uint32_t>> shapes;
    const auto variables = in.number<uint32_t>();
    for (uint32_t i = 0; i < variables; ++i) {
      const std::string name = in.text();
      EXPECT_TRUE(shapes.empty() || shapes.rbegin()->first < name) << name;
      std::vector<uint32_t> shape(in.number<uint8_t>());
      uint32_t count = 1;
      for (uint32_t& extent : shape) count *= extent = in.number<uint32_t>();
      constexpr std::array<uint32_t, 4> kBytes = {4, 1, 2, 4};  // fp32, int8, int16, int32
      const uint32_t item = kBytes.at(in.number<uint8_t>());
      const auto bytes = in.number<uint32_t>();
      EXPECT_EQ(bytes, count * item) << name;
      in.take(bytes);
      shapes[name] = shape;
    }
    const auto width = static_cast<uint32_t>(config.width);
    EXPECT_EQ(shapes["decoder/embeddings/weight"], (std::vector<uint32_t>{23, width}));
    EXPECT_EQ(shapes.contains("decoder/projection/weight"), tie == model::Tie::none);
    for (const char* side : {"encoder", "decoder"})
      for (const char* part : {"gamma", "beta"}) {
        const std::string name = fmt::format("{}/layernorm_embedding/{}", side, part);
        EXPECT_EQ(shapes.contains(name), config.embedding_norm) << name;
        if (config.embedding_norm) {
          EXPECT_EQ(shapes[name], std::vector{width});
        }
      }
    const auto aliases = in.number<uint32_t>();
    for (uint32_t i = 0; i < aliases; ++i) {
      EXPECT_FALSE(shapes.contains(in.text()));
      EXPECT_TRUE(shapes.contains(in.text()));
    }
    EXPECT_TRUE(in.at_end());
  }
}

TEST(CTranslate2, GetsNoModelThatItLacksSomethingFor) {
  ModelConfig config = engine::testing::small_transformer();
  config.positions = "alibi";
  EXPECT_THROW(write_ctranslate2(config, engine::Weights({}), {}, "unwritten"), Bug);
}

}  // namespace
}  // namespace heed::exchange
