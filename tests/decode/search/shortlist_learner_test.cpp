#include "decode/search/shortlist_learner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "base/files.h"
#include "decode/search/engine_translator.h"
#include "engine/random_weights.h"
#include "temporary_folder.h"
#include "text/vocabulary_training.h"

namespace heed::decode {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

struct LearnedShortlist : ::testing::Test {
  TemporaryFolder folder;

  text::Vocabulary vocabulary_of(const std::string& text, int64_t size,
                                 const std::vector<std::string>& symbols = {},
                                 bool bytes = false) const {
    return text::train_vocabulary({.files = {folder.write("text", text)},
                                   .size = size,
                                   .algorithm = "bpe",
                                   .symbols = symbols,
                                   .byte_fallback = bytes});
  }

  static int32_t id(const text::Vocabulary& vocabulary, const std::string& name) {
    const auto found = vocabulary.id_of(name);
    EXPECT_TRUE(found) << name;
    return found.value_or(text::kUnknown);
  }

  static Shortlist learned(const PiecePairs& pairs, const text::Vocabulary& source,
                           const text::Vocabulary& target, const ShortlistSize& size = {1, 0}) {
    return {learn_shortlist(pairs, size, source, target), "file", source, target};
  }
};

TEST_F(LearnedShortlist, HasEveryPieceWhereNothingIsKnown) {
  const text::Vocabulary source = vocabulary_of("abc def\n", 13),
                         target = vocabulary_of("mno pqr\n", 13);
  const int32_t a = id(source, "a"), b = id(source, "b"), d = id(source, "d");
  const int32_t m = id(target, "m"), p = id(target, "p"), blank = id(target, "\u2581");
  // Model 1: a is always with m and b with p, so p(m|a) = p(p|b) = 1; </s> is more often with m.
  const Shortlist shortlist = learned({{{a}, {a}, {b}}, {{m}, {m}, {p}}}, source, target);
  PieceList of_a{0, 1, 2, 3, m, blank}, of_b{0, 1, 2, 3, m, p, blank};
  std::ranges::sort(of_a);
  std::ranges::sort(of_b);
  EXPECT_EQ(shortlist.pieces_for(std::vector{a}), of_a);
  EXPECT_EQ(shortlist.pieces_for(std::vector{b, a}), of_b);
  EXPECT_FALSE(shortlist.is_open(std::vector{a, b}));
  EXPECT_FALSE(shortlist.is_open({}));
  EXPECT_TRUE(shortlist.is_open(std::vector{a, d}));
  const PieceList all = shortlist.pieces_for(std::vector{a, d});
  ASSERT_EQ(std::ssize(all), target.size());
  for (int32_t piece = 0; piece < target.size(); ++piece) EXPECT_EQ(all[piece], piece);
}

TEST_F(LearnedShortlist, HasWhatIsCopied) {
  const text::Vocabulary source = vocabulary_of("anna anna anna xy\n", 13),
                         target = vocabulary_of("anna qx rs\n", 16);
  const int32_t whole = id(source, "\u2581anna"), y = id(source, "y");
  const int32_t q = id(target, "q");
  const Shortlist shortlist = learned({{{whole}, {y}}, {{q}, {q}}}, source, target);
  // The target has no piece for all of anna, but two that spell it.
  const std::vector<int32_t> spelled = target.encode("anna");
  ASSERT_GE(spelled.size(), 1U);
  EXPECT_THAT(shortlist.pieces_for(std::vector{whole}), IsSupersetOf(spelled));
  EXPECT_THAT(shortlist.pieces_for(std::vector{y}), Not(Contains(spelled.back())));
  const Shortlist same = learned({{{whole}}, {{y}}}, source, source);
  EXPECT_THAT(same.pieces_for(std::vector{whole}), Contains(whole));
}

TEST_F(LearnedShortlist, HasDigitsAndSigns) {
  const text::Vocabulary source = vocabulary_of("abc\n", 10),
                         target = vocabulary_of("m 7 , « » 42\n", 16);
  const int32_t a = id(source, "a");
  const int32_t m = id(target, "m"), opening = id(target, "«");
  const Shortlist shortlist = learned({{{a}, {a}}, {{m, m}, {opening}}}, source, target);
  const PieceList pieces = shortlist.pieces_for(std::vector{a});
  for (const char* sign : {"7", ",", "4", "2"}) EXPECT_THAT(pieces, Contains(id(target, sign)));
  EXPECT_THAT(pieces, Contains(opening));
  EXPECT_THAT(pieces, Not(Contains(id(target, "»"))));  // in no pair
}

TEST_F(LearnedShortlist, IsOfPiecesThatNoPairHas) {
  const text::Vocabulary source = vocabulary_of("abc def жук\n", 24, {"<term>"});
  const int32_t abc = id(source, "\u2581abc"), zhuk = id(source, "\u2581жук");
  const std::vector<std::string> lines = unseen_pieces({{{abc}}, {{4}}}, source, 100);
  EXPECT_THAT(lines, Contains("def"));
  for (const char* other : {"abc", "жук", "<term>", ""}) EXPECT_THAT(lines, Not(Contains(other)));
  EXPECT_THAT(unseen_pieces({{{abc, zhuk}}, {{4}}}, source, 100), Contains("ж"));
  const auto two = unseen_pieces({{{abc}}, {{4}}}, source, 2);
  EXPECT_EQ(two, (std::vector<std::string>{lines[0], lines[1]}));
}

TEST_F(LearnedShortlist, HasBytes) {
  const text::Vocabulary both = vocabulary_of("abc\n", 268, {}, /*bytes=*/true);
  const int32_t a = id(both, "a"), b = id(both, "b");
  const PieceList pieces = learned({{{a}}, {{b}}}, both, both).pieces_for(std::vector{a});
  for (const char* byte : {"<0x00>", "<0x7F>", "<0xFF>"})
    EXPECT_THAT(pieces, Contains(id(both, byte)));
  EXPECT_THAT(pieces, Not(Contains(id(both, "c"))));
}

TEST_F(LearnedShortlist, IsOfOneLanguage) {
  const text::Vocabulary plain = vocabulary_of("abc\n", 12, {"<de>", "<en>"}),
                         many = vocabulary_of("mno\n", 12, {"<de>", "<fr>"});
  const text::Vocabulary english = plain.beginning_with({"<en>"}),
                         german = many.beginning_with({"<de>"}),
                         french = many.beginning_with({"<fr>"});
  const int32_t en = id(plain, "<en>"), a = id(plain, "a"), m = id(many, "m");
  const std::string bytes = learn_shortlist({{{en, a}}, {{m}}}, {1, 0}, english, german);
  EXPECT_THAT(Shortlist(bytes, "file", english, german).pieces_for(std::vector{a}),
              Contains(id(many, "<de>")));
  const auto expect_refusal = [&](const text::Vocabulary& source, const text::Vocabulary& target) {
    try {
      const Shortlist other(bytes, "file", source, target);
      ADD_FAILURE() << "was read";
    } catch (const UserError& error) {
      EXPECT_THAT(error.what(), HasSubstr("file: was made for other languages"));
    }
  };
  expect_refusal(english, french);
  expect_refusal(plain.beginning_with({"<de>"}), german);
  // A file without symbols, as heed 0.1.0 made it, is of any language.
  const Shortlist old(learn_shortlist({{{a}}, {{m}}}, {1, 0}, plain, many), "file", plain, french);
  EXPECT_FALSE(old.is_open(std::vector{a}));
}

struct OwnShortlist : LearnedShortlist {
  static constexpr int64_t kPieces = 41;
  const text::Vocabulary vocabulary =
      vocabulary_of("abc def ghi jkl mno pqr stu vwx abc def ghi jkl mno pqr stu vwx\n", kPieces);

  EngineTranslator translator(const DecodeConfig& config = {}) const {
    const model::ModelConfig model = engine::testing::small_transformer();
    return {{{.text = {vocabulary, vocabulary},
              .network =
                  engine::make_network(model, engine::testing::random_transformer(model, kPieces),
                                       engine::WeightFormat::fp32),
              .longest = 9,
              .attends = true}},
            config,
            engine::WeightFormat::fp32,
            engine::testing::kOneThread};
  }
};

TEST_F(OwnShortlist, IsLearnedFromAllHypotheses) {
  const std::vector<std::string> lines{"abc", "", "def abc"};
  PiecePairs pairs;
  const EngineTranslator own = translator();
  add_translations(own, {.lines = lines}, {}, pairs);
  const auto best = own.translate({.lines = lines}).translations;
  ASSERT_EQ(best[0].hypotheses.size(), 1U);
  ASSERT_EQ(pairs.source.size(), pairs.target.size());
  std::vector<std::size_t> first;  // pair of each line that has one
  for (std::size_t i = 0; i < pairs.source.size(); ++i)
    if (i == 0 || pairs.source[i] != pairs.source[i - 1]) first.push_back(i);
  ASSERT_EQ(first.size(), 2U);
  EXPECT_GT(first[1], 1U);  // a beam of 5 has several hypotheses
  EXPECT_EQ(pairs.source[0], vocabulary.encode("abc"));
  EXPECT_EQ(pairs.source[first[1]], vocabulary.encode("def abc"));
  EXPECT_EQ(pairs.target[0], best[0].hypotheses[0].ids);
  EXPECT_EQ(pairs.target[first[1]], best[2].hypotheses[0].ids);
}

TEST_F(OwnShortlist, LeavesALineWithAnotherPieceAsItIs) {
  PiecePairs pairs;
  add_translations(translator(), {.lines = {"abc", "def abc"}}, {}, pairs);
  DecodeConfig config;
  config.shortlist =
      folder.write("shortlist.bin", learn_shortlist(pairs, {3, 1}, vocabulary, vocabulary));
  const EngineTranslator with = translator(config), without = translator();
  const std::vector<std::string> lines{"abc", "ghi abc", "def", "jkl", "abc abc"};
  const auto batches = with.batches_of({.lines = lines});
  EXPECT_EQ(batches, (std::vector<std::vector<int64_t>>{{4, 0, 2}, {1, 3}}));
  const auto listed = with.translate({.lines = lines}).translations,
             plain = without.translate({.lines = lines}).translations;
  for (const std::size_t i : {1, 3}) {
    EXPECT_EQ(listed[i].hypotheses[0].ids, plain[i].hypotheses[0].ids);
    EXPECT_EQ(listed[i].hypotheses[0].log_probability, plain[i].hypotheses[0].log_probability);
  }
  const Shortlist shortlist(read_file(config.shortlist), "file", vocabulary, vocabulary);
  for (const std::size_t i : {0, 2, 4}) {
    const auto alone = with.translate({.lines = {lines[i]}}).translations[0].hypotheses[0];
    EXPECT_EQ(listed[i].hypotheses[0].ids, alone.ids);
    EXPECT_EQ(listed[i].hypotheses[0].log_probability, alone.log_probability);
    const PieceList pieces = shortlist.pieces_for(vocabulary.encode(lines[i]));
    EXPECT_LT(std::ssize(pieces), kPieces);
    for (const int32_t id : alone.ids) EXPECT_TRUE(std::ranges::binary_search(pieces, id)) << id;
  }
}

}  // namespace
}  // namespace heed::decode
