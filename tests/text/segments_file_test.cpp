#include "text/segments_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sentencepiece_processor.h>

#include <string>
#include <vector>

#include "text/model_file.h"

namespace heed::text {
namespace {

using testing::ElementsAre;

std::vector<std::string> cut(const SegmentsParts& parts, const std::string& line) {
  sentencepiece::SentencePieceProcessor processor;
  EXPECT_TRUE(processor.LoadFromSerializedProto(segments_file(parts)).ok());
  return processor.EncodeAsPieces(line);
}

TEST(SegmentsFile, MergesTheHighestScoreFirst) {
  SegmentsParts parts{.pieces = {{"\u2581", -9}, {"a", -9}, {"b", -9}, {"ab", -1}, {"\u2581a", 0}}};
  EXPECT_THAT(cut(parts, "ab"), ElementsAre("\u2581a", "b"));
  parts.pieces[3].second = 1;
  EXPECT_THAT(cut(parts, " ab  c"), ElementsAre("\u2581", "ab", "\u2581", "c"));
  EXPECT_TRUE(is_sound_model(segments_file(parts)));
}

TEST(SegmentsFile, OfUnigramTakesTheMostProbablePieces) {
  const SegmentsParts parts{.is_bpe = false,
                            .pieces = {{"\u2581", -2}, {"a", -2}, {"\u2581a", -3}, {"aa", -5}}};
  EXPECT_THAT(cut(parts, "aa"), ElementsAre("\u2581a", "a"));
}

}  // namespace
}  // namespace heed::text
