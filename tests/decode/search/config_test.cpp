#include "decode/search/config.h"

#include <gtest/gtest.h>

#include "config/sound_schema.h"
#include "message.h"

namespace heed::decode {
namespace {

std::string wrong(const DecodeConfig& config) {
  return message_of<config::ConfigError>([&] { check(config); });
}

TEST(DecodeConfig, IsASoundSchemaWhoseDefaultsPass) {
  config::expect_sound_schema<DecodeConfig>("decoding");
  EXPECT_EQ(wrong({}), "(nothing thrown)");
}

TEST(DecodeConfig, ABeamHoldsItsNBest) {
  DecodeConfig config;
  config.n_best = 5;
  EXPECT_EQ(wrong(config), "(nothing thrown)");
  config.n_best = 7;
  EXPECT_EQ(
      wrong(config),
      "decoding.n_best: got 7, but a beam of 5 holds no more than that; raise decoding.beam_size");
  config.sampling.top_k = 3;  // as many draws as one likes
  EXPECT_EQ(wrong(config), "(nothing thrown)");
}

TEST(DecodeConfig, MinimumBayesRiskChoosesAmongWhatTheBeamOrTheDrawsGive) {
  DecodeConfig config;
  config.mbr = 5;
  EXPECT_EQ(wrong(config), "(nothing thrown)");
  config.mbr = 6;
  EXPECT_EQ(wrong(config),
            "decoding.mbr: got 6, but a beam of 5 holds no more than that; raise "
            "decoding.beam_size, or draw the candidates with decoding.sampling.top_p: 1");
  config.sampling.top_p = 1;
  EXPECT_EQ(wrong(config), "(nothing thrown)");
  config.n_best = 7;
  EXPECT_EQ(wrong(config),
            "decoding.n_best: got 7, but decoding.mbr chooses among 6 candidates; raise "
            "decoding.mbr");
}

TEST(DecodeConfig, TheEndIsNotForbidden) {
  DecodeConfig config;
  config.forbid = {"<unk>", "<s>"};
  EXPECT_EQ(wrong(config), "(nothing thrown)");
  config.forbid = {"</s>"};
  EXPECT_EQ(wrong(config),
            "decoding.forbid: without '</s>' no translation would end; leave it out, or set "
            "decoding.min_length");
}

TEST(DecodeConfig, SamplingReplacesTheSearch) {
  DecodeConfig config;
  config.coverage_penalty = 0.2;
  EXPECT_EQ(wrong(config), "(nothing thrown)");
  config.sampling.top_p = 0.9;
  EXPECT_EQ(wrong(config),
            "decoding.coverage_penalty: ranks hypotheses of a search, and decoding.sampling "
            "replaces the search; set "
            "one of them to 0");
}

}  // namespace
}  // namespace heed::decode
