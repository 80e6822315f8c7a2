// Vocabularies with what heed's own never have: user-defined symbols and pieces for bytes.
#include "text/foreign_vocabulary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "message.h"

namespace heed::text {
namespace {

using testing::Gt;
using testing::SizeIs;

const std::string kLines =
    "abcab abc <b> abcab ab\nabc abcab <b> abc abcab ab\nabcab abcab abc abc ab\n";

int32_t id_of(const Vocabulary& vocabulary, const std::string& piece) {
  for (int32_t id = 0; id < vocabulary.size(); ++id)
    if (vocabulary.piece(id) == piece) return id;
  throw std::runtime_error("no piece " + piece);
}

class SymbolsOf : public testing::TestWithParam<const char*> {};

TEST_P(SymbolsOf, StayWholeWhateverIsSampledAroundThem) {
  const TemporaryFolder folder;
  // No character of <url> has a piece of its own; those of "ab" have.
  const Vocabulary vocabulary = foreign_vocabulary(
      folder, kLines,
      {{"model_type", GetParam()}, {"vocab_size", "16"}, {"user_defined_symbols", "<url>,ab"}});
  const auto best = vocabulary.encode("abc <url> abcab");
  const std::vector<int32_t> symbols = {id_of(vocabulary, "<url>"), id_of(vocabulary, "ab")};
  const auto count = [&](const std::vector<int32_t>& ids, int32_t id) {
    return std::ranges::count(ids, id);
  };
  ASSERT_EQ(count(best, symbols[0]), 1);
  ASSERT_EQ(count(best, symbols[1]), 3);
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const auto drawn = vocabulary.sample("abc <url> abcab", 0.5, seed);
    EXPECT_EQ(vocabulary.decode(drawn), "abc <url> abcab");
    for (const int32_t symbol : symbols) EXPECT_EQ(count(drawn, symbol), count(best, symbol));
  }
}

TEST_P(SymbolsOf, LeaveTheRestToChance) {
  const TemporaryFolder folder;
  const Vocabulary vocabulary = foreign_vocabulary(
      folder, kLines,
      {{"model_type", GetParam()}, {"vocab_size", "16"}, {"user_defined_symbols", "<url>"}});
  std::set<std::vector<int32_t>> draws;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const auto drawn = vocabulary.sample("abcab <url> abcab", 0.5, seed);
    EXPECT_EQ(vocabulary.decode(drawn), "abcab <url> abcab");
    draws.insert(drawn);
  }
  EXPECT_THAT(draws, SizeIs(Gt(3U)));
}

INSTANTIATE_TEST_SUITE_P(Algorithms, SymbolsOf, testing::Values("unigram", "bpe"),
                         [](const auto& info) { return std::string(info.param); });

TEST(BytePieces, AreSampledAround) {
  const TemporaryFolder folder;
  const Vocabulary vocabulary = foreign_vocabulary(
      folder, kLines, {{"model_type", "bpe"}, {"vocab_size", "300"}, {"byte_fallback", "true"}});
  for (uint64_t seed = 0; seed < 20; ++seed)
    EXPECT_EQ(vocabulary.decode(vocabulary.sample("abc Щ abcab", 0.5, seed)), "abc Щ abcab");
}

TEST(ForeignVocabulary, SaysWhetherItHasBytesAndOtherSegmentations) {
  const TemporaryFolder folder;
  for (const char* type : {"unigram", "bpe", "char", "word"}) {
    const Vocabulary vocabulary =
        foreign_vocabulary(folder, kLines, {{"model_type", type}, {"vocab_size", "16"}});
    const std::string name = type;
    EXPECT_EQ(vocabulary.can_sample(), name == "unigram" || name == "bpe") << type;
    EXPECT_FALSE(vocabulary.has_bytes()) << type;
  }
  EXPECT_TRUE(
      foreign_vocabulary(folder, kLines,
                         {{"model_type", "bpe"}, {"vocab_size", "300"}, {"byte_fallback", "true"}})
          .has_bytes());
}

TEST(BytePieces, NeverBreakALine) {
  const TemporaryFolder folder;
  const Vocabulary vocabulary = foreign_vocabulary(
      folder, kLines, {{"model_type", "bpe"}, {"vocab_size", "300"}, {"byte_fallback", "true"}});
  const auto byte = [&](int value) {
    char name[8];
    std::snprintf(name, sizeof name, "<0x%02X>", value);
    return id_of(vocabulary, name);
  };
  const int32_t a = id_of(vocabulary, "a");
  EXPECT_EQ(vocabulary.decode({a, byte('\n'), a}), "a a");
  EXPECT_EQ(vocabulary.decode({a, byte('\r'), byte('\n'), a}), "a  a");
  EXPECT_EQ(vocabulary.decode({a, byte(0), a}), "a a");
  EXPECT_EQ(vocabulary.decode({a, byte('\f'), a}), "a a");
  EXPECT_EQ(vocabulary.decode({a, byte(0xC2), byte(0x85), a}), "a a");              // next line
  EXPECT_EQ(vocabulary.decode({a, byte(0xE2), byte(0x80), byte(0xA8), a}), "a a");  // U+2028
  EXPECT_EQ(vocabulary.decode({a, byte(0xC2), byte(0xA0), a}), "a\u00A0a");         // no break
  EXPECT_EQ(vocabulary.decode({a, byte('\t'), a}), "a a");
  EXPECT_THAT(vocabulary.surfaces({a, byte('\t')}), testing::ElementsAre("a", " "));
}

TEST(Vocabulary, AForeignFileIsRefusedByName) {
  const TemporaryFolder folder;
  const std::string expected = ": no SentencePiece model; make one with heed vocab";
  for (const std::string& bytes :
       {std::string(), std::string("hello"), std::string(4096, '\x7F')}) {
    const std::string path = folder.write("joint.spm", bytes);
    EXPECT_EQ(message_of<UserError>([&] { Vocabulary::load(path); }), path + expected);
  }
  EXPECT_THROW(Vocabulary::load(folder / "none.spm"), UserError);
}

}  // namespace
}  // namespace heed::text
