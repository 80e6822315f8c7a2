#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "draw/pages.h"
#include "draw/well_formed.h"
#include "study/matrices.h"

namespace heed::draw {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// The weights of one sentence in ten-thousandths, as the page unpacks them; in a softmax each 0 is
/// followed by another number.
std::vector<unsigned> unpack(const std::string& base64, std::size_t count) {
  std::string packed;
  uint32_t bits = 0;
  int held = 0;
  for (const char c : base64) {
    const auto digit =
        std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
            .find(c);
    if (digit == std::string_view::npos) break;
    bits = bits << 6 | static_cast<uint32_t>(digit);
    if ((held += 6) >= 8) packed += static_cast<char>(bits >> (held -= 8) & 255);
  }
  std::vector<unsigned char> bytes(2 * count + 1);
  uLongf size = bytes.size();
  EXPECT_EQ(
      uncompress(bytes.data(), &size, reinterpret_cast<const Bytef*>(packed.data()), packed.size()),
      Z_OK);
  std::vector<unsigned> values;
  for (std::size_t at = 0; at < size; ++at) {
    const unsigned low = bytes[at];
    values.push_back(low < 128 ? low : low - 128 + 128 * bytes[++at]);
  }
  return values;
}

TEST(AttentionPage, PacksEachSentencesWeightsAndNamesEachLineOfTokensOnce) {
  study::AttentionMatrix other = study::example(), stranger = study::example();
  other.head = -1;
  other.softmax = true;
  other.weights[0] = 0.01275f;  // 127.5: two bytes
  other.weights[1] = 0.01274f;  // one
  other.weights[6] = 1e-6f;     // ln(1e-6 / 0.00005) = -3.912, 13 steps of -0.3
  other.weights[8] = 0;
  stranger.sentence = 2;
  stranger.kind = study::AttentionKind::encoder;
  stranger.target = stranger.source;
  stranger.weights.assign(16, 0.25f);
  stranger.weights[0] = 1.00001f;
  stranger.weights[1] = NAN;
  stranger.words = true;
  const study::AttentionMatrix all[] = {study::example(), stranger, other};
  const auto data = nlohmann::json::parse(attention_json(all));
  ASSERT_EQ(data.size(), 2u);
  EXPECT_EQ(data[0]["id"], 7);
  ASSERT_EQ(data[0]["views"].size(), 2u);
  EXPECT_EQ(data[0]["views"][1]["head"], -1);
  EXPECT_EQ(data[1]["views"][0]["kind"], "encoder");
  EXPECT_EQ(data[0]["views"][0]["unit"], "pieces");
  EXPECT_EQ(data[0]["views"][0]["softmax"], false);
  EXPECT_EQ(data[0]["views"][1]["softmax"], true);
  EXPECT_EQ(data[1]["views"][0]["unit"], "words");
  ASSERT_EQ(data[0]["lines"].size(), 2u);
  EXPECT_EQ(data[0]["lines"][data[0]["views"][1]["source"].get<std::size_t>()][2], "\u2581,\"");
  EXPECT_EQ(data[1]["lines"].size(), 1u);
  EXPECT_THAT(unpack(data[0]["weights"], 24),
              ElementsAre(5000, 2500, 1250, 1250, 2500, 5000, 0, 2500, 0, 1250, 1250, 7500,  //
                          128, 127, 1250, 1250, 2500, 5000, 0, 14, 2500, 0, 0, 1250, 1250, 7500));
  const auto encoder = unpack(data[1]["weights"], 16);
  ASSERT_EQ(encoder.size(), 16u);
  EXPECT_THAT((std::vector<unsigned>(encoder.begin(), encoder.begin() + 3)),
              ElementsAre(10000, 0, 2500));
}

TEST(AttentionPage, StaysSmallForManySentencesAndHeads) {
  std::vector<study::AttentionMatrix> all;
  const std::vector<std::string> tokens(25, "\u2581token");
  for (int64_t sentence = 1; sentence <= 10; ++sentence)
    for (int64_t head = 0; head < 8; ++head)
      all.push_back(
          {.sentence = sentence,
           .head = head,
           .target = tokens,
           .source = tokens,
           .weights = study::random_rows(25, 25, static_cast<unsigned>(8 * sentence + head))});
  // 50,000 weights that no order helps to pack; one that was written out would take 4 bytes.
  const std::size_t size = attention_json(all).size();
  EXPECT_LT(size, 2 * 50000);
}

TEST(AttentionPage, IsOneFileThatNoTokenCanBreak) {
  study::AttentionMatrix matrix = study::example();
  matrix.source = {"</script><script>alert(1)", "\xff", "@data@", "<!--"};
  const std::string page = attention_page({&matrix, 1}, "A <b> & @data@");
  EXPECT_EQ(occurrences(page, "</script>"), 2u);
  EXPECT_EQ(occurrences(page, "<script"), 2u);
  EXPECT_EQ(occurrences(page, "<!--"), 1u);
  EXPECT_EQ(occurrences(page, "A &lt;b&gt; &amp; @data@"), 2u);
  EXPECT_EQ(occurrences(page, "\"views\":"), 1u);
  EXPECT_THAT(page, HasSubstr("\\u003c/script>\\u003cscript>alert(1)"));
  for (const char* outside : {"http:", "https:", "src=", "@import", "url("}) {
    EXPECT_THAT(page, Not(HasSubstr(outside)));
  }
}

TEST(AttentionPage, NeedsAMatrix) {
  EXPECT_THROW(attention_page({}, "empty"), UserError);
}

}  // namespace
}  // namespace heed::draw
