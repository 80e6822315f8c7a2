// Vocabularies whose lines begin with symbols of languages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "temporary_folder.h"
#include "text/foreign_vocabulary.h"
#include "text/vocabulary.h"

namespace heed::text {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Beginning : public testing::TestWithParam<const char*> {
 protected:
  Beginning()
      : plain(foreign_vocabulary(folder, "abc ab abcab\nab abc abc ab\nabcab abc\n",
                                 {{"model_type", GetParam()},
                                  {"vocab_size", "16"},
                                  {"user_defined_symbols", "<de>,<fr>"}})) {}
  int32_t id(const std::string& symbol) const { return plain.id_of(symbol).value(); }

  TemporaryFolder folder;
  Vocabulary plain;
};

TEST_P(Beginning, IsBeforeEachLineThatHasPieces) {
  const Vocabulary german = plain.beginning_with({"<de>"});
  EXPECT_THAT(german.beginning(), ElementsAre(id("<de>")));
  EXPECT_EQ(german.fingerprint(), plain.fingerprint());
  for (const std::string line : {"abc", "ab abcab", "x", "<fr> ab"}) {
    auto ids = plain.encode(line);
    auto names = plain.spell(line);
    ids.insert(ids.begin(), id("<de>"));
    names.insert(names.begin(), "<de>");
    EXPECT_EQ(german.encode(line), ids) << line;
    EXPECT_EQ(german.spell(line), names) << line;
    EXPECT_EQ(german.sample(line, 0.5, 7).front(), id("<de>"));
    EXPECT_EQ(german.decode(ids), plain.decode(plain.encode(line))) << line;
    EXPECT_EQ(german.symbols_before(ids), 1);
    EXPECT_EQ(german.symbols_before(plain.encode(line)), 0);
    const auto surfaces = german.surfaces(ids);
    ASSERT_EQ(surfaces.size(), ids.size());
    EXPECT_EQ(surfaces[0], "");
    EXPECT_EQ(surfaces[1], plain.surfaces(plain.encode(line))[0]);
  }
  for (const std::string blank : {"", "  "}) {
    EXPECT_THAT(german.encode(blank), IsEmpty());
    EXPECT_THAT(german.spell(blank), IsEmpty());
  }
  EXPECT_EQ(german.beginning_with({}).encode("abc"), plain.encode("abc"));
  EXPECT_EQ(plain.decode(german.encode("abc")), "<de> abc");
}

TEST_P(Beginning, CountsAmongThePiecesThatAreWanted) {
  const Vocabulary german = plain.beginning_with({"<de>"});
  const auto all = german.encode("abc ab abc ab");
  for (std::size_t most = 0; most < all.size(); ++most) {
    const std::vector<int32_t> first(all.begin(), all.begin() + static_cast<int>(most) + 1);
    EXPECT_EQ(german.encode("abc ab abc ab", static_cast<int64_t>(most)), first);
    EXPECT_EQ(german.spell("abc ab abc ab", static_cast<int64_t>(most)).size(), first.size());
  }
}

TEST_P(Beginning, IsNoWord) {
  const Vocabulary both = plain.beginning_with({"<de>", "<fr>"});
  const WordsOfPieces of = words_of(both, both.encode("abc ab")),
                      without = words_of(plain, plain.encode("abc ab"));
  ASSERT_EQ(without.words, 2);
  EXPECT_EQ(of.words, 2);
  ASSERT_EQ(of.word_of.size(), without.word_of.size() + 2);
  EXPECT_EQ(std::vector(of.word_of.begin(), of.word_of.begin() + 2), (std::vector{2, 2}));
  EXPECT_EQ(std::vector(of.word_of.begin() + 2, of.word_of.end()), without.word_of);
  EXPECT_EQ(std::vector(of.last_of.begin() + 2, of.last_of.end()), without.last_of);
}

INSTANTIATE_TEST_SUITE_P(Algorithms, Beginning, testing::Values("unigram", "bpe"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace heed::text
