// Terms in sources: which words get their translation after them, and where words are then.
#include "data/terms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/format.h"
#include "base/strings.h"
#include "data/batch.h"
#include "data/corpus.h"
#include "data/corpus_reader.h"
#include "data/example.h"
#include "temporary_folder.h"
#include "text/words.h"

namespace heed::data {
namespace {

using testing::ElementsAre;
using testing::Pair;
using testing::UnorderedElementsAre;

NoisyPair pair_of(const std::string& source, const std::string& target) {
  NoisyPair pair{source, target, {}};
  for (int32_t word = 0; word < text::count_words(source); ++word)
    pair.words.emplace_back(word, word + 1);
  return pair;
}

std::vector<PieceLink> links(const std::string& text) {
  return parse_links(text, "test");
}

TEST(Terms, StandBehindWordsOfOneLink) {
  // "Eine" is short of nothing, but "Frau" and "sieht" are linked to two words and to a shared one.
  const NoisyPair pair =
      with_terms(pair_of("Eine Frau sieht ihren Hund.", "A wo man sees her dog."),
                 links("0-0 1-1 1-2 2-3 3-4 4-5"), 1, 7);
  EXPECT_EQ(pair.source,
            "Eine <term> A </term> Frau sieht <term> sees </term> ihren <term> her </term> Hund "
            "<term> dog </term>.");
  EXPECT_EQ(pair.target, "A wo man sees her dog.");
  EXPECT_THAT(pair.words,
              ElementsAre(Pair(0, 1), Pair(4, 5), Pair(5, 6), Pair(9, 10), Pair(13, 14)));
  const std::vector<std::string> words = text::words_in(pair.source);
  EXPECT_EQ(words.at(13), "Hund");
  EXPECT_EQ(words.size(), 17U);
}

TEST(Terms, AreNotOfSharedShortOrUnlinkedWords) {
  for (const char* of : {"0-0 1-0", "", "0-1 0-2"})
    EXPECT_EQ(with_terms(pair_of("Hund bellt", "dog barks x"), links(of), 1, 1).source,
              "Hund bellt");
  EXPECT_EQ(with_terms(pair_of("der Hut .", "the hat ."), links("0-0 1-1 2-2"), 1, 1).source,
            "der Hut .");
  EXPECT_EQ(with_terms(pair_of("我看见一只狗", "dog"), links("5-0"), 1, 1).source, "我看见一只狗");
}

TEST(Terms, AreASharesWorthAndFollowFromTheSeed) {
  std::string source, target, alignment;
  for (int i = 0; i < 10000; ++i) {
    source += "hund ";
    target += "dog ";
    alignment += fmt::format("{}-{} ", i, i);
  }
  const auto drawn = [&](uint64_t seed) {
    return with_terms(pair_of(source, target), links(alignment), 0.1, seed).source;
  };
  EXPECT_EQ(drawn(1), drawn(1));
  EXPECT_NE(drawn(1), drawn(2));
  EXPECT_NEAR(static_cast<double>(std::ranges::count(split_words(drawn(1)), kTermBegin)), 1000,
              100);
}

TEST(Terms, FollowTheNoise) {
  // The noise has made one word of two, two of one, and left a word as it was.
  NoisyPair noisy{"einhund be llt laut", "a dog barks loudly", {}};
  noisy.words = {{0, 1}, {0, 1}, {1, 3}, {3, 4}};
  const NoisyPair pair = with_terms(noisy, links("0-0 1-1 2-2 3-3"), 1, 1);
  EXPECT_EQ(pair.source, "einhund be llt laut <term> loudly </term>");
  EXPECT_THAT(pair.words, ElementsAre(Pair(0, 1), Pair(0, 1), Pair(1, 3), Pair(3, 4)));
}

TEST(Terms, AreDrawnAnewForACorpus) {
  TemporaryFolder folder;
  CorpusFiles files{.source = folder.write("c.src", "abcd efgh\n"),
                    .target = folder.write("c.tgt", "hgfe dcba\n")};
  files.alignment = folder.write("c.align", "0-1 1-0\n");
  const text::Vocabulary letters = text::train_vocabulary(
      {.files = {folder.write("letters", "a b c d e f g h\nabcd efgh hgfe dcba\n")},
       .size = 24,
       .algorithm = "bpe",
       .symbols = {kTermBegin, kTermEnd}});
  const Corpus corpus =
      read_corpus({files}, letters, letters, {.keep_text = true, .aligned = true});
  std::set<std::string> seen;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const Example one = corpus.sample(0, 0, seed, {}, 0.5);
    seen.insert(letters.decode(one.source));
    // Links are those of the words' own pieces: as many as before.
    EXPECT_EQ(one.links.size(), corpus.example(0).links.size());
    EXPECT_EQ(one.target, corpus.example(0).target);
  }
  EXPECT_THAT(seen, UnorderedElementsAre("abcd efgh", "abcd <term> dcba </term> efgh",
                                         "abcd efgh <term> hgfe </term>",
                                         "abcd <term> dcba </term> efgh <term> hgfe </term>"));
}

}  // namespace
}  // namespace heed::data
