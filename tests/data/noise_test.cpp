// Noise: what lines become, how often, and what their pieces and links are.
#include "data/noise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/strings.h"
#include "data/batches.h"
#include "data/corpus_reader.h"
#include "data/example.h"
#include "temporary_folder.h"
#include "text/utf8.h"

namespace heed::data {
namespace {

using testing::ElementsAre;
using testing::Pair;
using testing::UnorderedElementsAre;

NoisyPair noisy(const NoiseConfig& noise, const std::string& source, uint64_t seed = 1,
                const std::string& target = "The Dog.") {
  const IsSymbol tag = [](const std::string& word) { return word == "<bt>"; };
  return with_noise(noise, source, target, seed, tag);
}

/// The pairs that the noise makes of a line with the seeds 0 to 2999.
std::map<std::string, NoisyPair> all(const NoiseConfig& noise, const std::string& source) {
  std::map<std::string, NoisyPair> out;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    NoisyPair pair = noisy(noise, source, seed);
    out.emplace(pair.source, pair);
  }
  return out;
}

TEST(Noise, OfCaseIsOnBothSides) {
  const NoisyPair upper = noisy({.upper = 1}, "<bt> Ein „Hund“ läuft, Straße 7.");
  EXPECT_EQ(upper.source, "<bt> EIN „HUND“ LÄUFT, STRASSE 7.");
  EXPECT_EQ(upper.target, "THE DOG.");
  const NoisyPair title = noisy({.title = 1}, "<bt> ein (kleiner) hund, élan NATO", 1, "a <bt> b");
  EXPECT_EQ(title.source, "<bt> Ein (Kleiner) Hund, Élan NATO");
  EXPECT_EQ(title.target, "A <bt> B");
  int capitals = 0, titles = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    const NoisyPair pair = noisy({.upper = 0.2, .title = 0.3}, "ein", seed, "dog");
    capitals += pair.source == "EIN" && pair.target == "DOG";
    titles += pair.source == "Ein" && pair.target == "Dog";
    // A text and its translation get the same case as lines of two files, too.
    EXPECT_EQ(noisy({.upper = 0.2, .title = 0.3}, "dog", seed).source, pair.target);
  }
  EXPECT_NEAR(capitals, 200, 50);
  EXPECT_NEAR(titles, 300, 50);
}

TEST(Noise, HasNineKindsOfTypos) {
  std::map<std::string, int> seen;  // what "wort." becomes, by seeds
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    const NoisyPair pair = noisy({.typos = 1}, "<bt> 7 wort.", seed);
    EXPECT_EQ(pair.target, "The Dog.");
    ASSERT_THAT(pair.source, testing::StartsWith("<bt> 7"));
    ++seen[pair.source.substr(6)];
  }
  for (const char* kind : {" wrot.", " wrt.", " woort.", " woirt.", " wirt.", " w0rt.", " wort...",
                           "wort.", " wo rt."})
    EXPECT_GT(seen[kind], 0) << kind;
  EXPECT_NEAR(seen["wort."], 3000 / 9, 80);
  EXPECT_FALSE(seen.contains(" wort."));
}

TEST(Noise, MovesWordsAndSaysWhere) {
  const auto merged = all({.merged = 1}, "<bt> ein 7 alter hund");
  // A symbol is no part of a word, and a number is not written together with the word before.
  EXPECT_EQ(merged.size(), 1U);
  const NoisyPair& one = merged.begin()->second;
  EXPECT_EQ(one.source, "<bt> ein 7alterhund");
  EXPECT_THAT(one.words, ElementsAre(Pair(0, 1), Pair(1, 2), Pair(2, 3), Pair(2, 3), Pair(2, 3)));
  const auto split = all({.split = 1}, "der hund");
  ASSERT_EQ(split.size(), 3U);  // three letters are too few
  const NoisyPair& two = split.at("der hu nd");
  EXPECT_THAT(two.words, ElementsAre(Pair(0, 1), Pair(1, 3)));
}

TEST(Noise, ChangesTheEndOfALine) {
  std::set<std::string> ends;
  for (const auto& [line, pair] : all({.punctuation = 1}, "Ein Hund?")) ends.insert(line);
  EXPECT_THAT(ends, UnorderedElementsAre("Ein Hund", "Ein Hund??", "Ein Hund ?", "Ein Hund,"));
  const auto apart = all({.punctuation = 1}, "Hund .");
  EXPECT_THAT(apart.at("Hund").words, ElementsAre(Pair(0, 1), Pair(1, 1)));
  EXPECT_EQ(all({.punctuation = 1}, ".").size(), 1U);
  EXPECT_EQ(all({.punctuation = 1}, "Ein Hund").size(), 1U);
}

TEST(Noise, LeavesNumbersAndNeverLeavesNothing) {
  const NoiseConfig most{.typos = 1, .punctuation = 1};
  EXPECT_EQ(all({.typos = 1}, "1943 4x4 -").size(), 1U);
  for (const char* line : {"a", "ab", "!", "?!", "a.", "日本語。", "x y"})
    for (const auto& [noisy, pair] : all(most, line)) {
      EXPECT_FALSE(text::is_blank(noisy)) << line;
      EXPECT_TRUE(text::is_utf8(noisy)) << line;
      EXPECT_EQ(pair.words.size(), split_words(line).size());
    }
}

TEST(Noise, IsInAShareOfTheWords) {
  std::string line;
  for (int i = 0; i < 10000; ++i) line += "hund ";
  const auto typos = split_words(noisy({.typos = 0.1}, line).source);
  // Some 110 of 1,000 mistakes merge two words, and some 110 make two of one.
  EXPECT_NEAR(static_cast<double>(std::ranges::count(typos, "hund")), 8890, 150);
  EXPECT_NEAR(static_cast<double>(split_words(noisy({.merged = 0.2}, line).source).size()), 8000,
              150);
  EXPECT_NEAR(static_cast<double>(split_words(noisy({.split = 0.2}, line).source).size()), 12000,
              150);
}

class NoisyCorpus : public testing::Test {
 protected:
  Corpus read(const std::string& source, const std::string& target, const std::string& links,
              int64_t max_length = 0) {
    CorpusFiles files{.source = folder.write("c.src", source),
                      .target = folder.write("c.tgt", target)};
    files.alignment = folder.write("c.align", links);
    return read_corpus({files}, letters, letters,
                       {.max_length = max_length, .keep_text = true, .aligned = true});
  }
  TemporaryFolder folder;
  text::Vocabulary letters = text::train_vocabulary(
      {.files = {folder.write("letters", "a b c d e f g h A B C D E F G H\nh g f e d c b a\n")},
       .size = 22,
       .algorithm = "bpe"});
};

TEST_F(NoisyCorpus, EncodesTheNoisyPair) {
  const Corpus corpus = read("ab c\n", "f gh\n", "0-1 1-0\n");
  const Example upper = corpus.sample(0, 0, 5, {.upper = 1});
  EXPECT_EQ(letters.decode(upper.source), "AB C");
  EXPECT_EQ(letters.decode(upper.target), "F GH");
  EXPECT_EQ(corpus.sample(0, 0, 5, {.upper = 0}).source, corpus.example(0).source);
}

TEST_F(NoisyCorpus, LinksFollowTheirWords) {
  // "a bcde f", where a - g, bcde - h: pieces are a word start and a letter each.
  const Corpus corpus = read("a bcde f\n", "g h\n", "0-0 1-1\n");
  for (uint64_t seed = 0; seed < 20; ++seed)
    for (const NoiseConfig& noise :
         {NoiseConfig{.merged = 0.5}, NoiseConfig{.split = 0.5}, NoiseConfig{.upper = 0.5}}) {
      const Example one = corpus.sample(0, 0, seed, noise);
      const std::string text = letters.decode(one.source);
      const auto source = text::words_of(letters, one.source).word_of,
                 target = text::words_of(letters, one.target).word_of;
      const auto words = split_words(text);
      std::vector<PieceLink> expected;
      for (std::size_t t = 0; t < target.size(); ++t)
        for (std::size_t s = 0; s < source.size(); ++s) {
          const std::string& word = words.at(source[s]);
          const bool has_a = word.find_first_of("aA") != std::string::npos,
                     has_b = word.find_first_of("bcdeBCDE") != std::string::npos;
          if (target[t] == 0 ? has_a : has_b)
            expected.push_back({static_cast<int32_t>(t), static_cast<int32_t>(s)});
        }
      EXPECT_EQ(one.links, expected) << text;
    }
}

TEST_F(NoisyCorpus, APairThatNoiseMakesTooLongHasNone) {
  const Corpus corpus = read("abab\n", "cdcd\n", "\n");
  const Example clean = corpus.example(0);
  const int64_t longest = std::max(std::ssize(clean.source), std::ssize(clean.target));
  const Corpus tight = read("abab\n", "cdcd\n", "\n", longest);
  int longer = 0;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    longer += std::ssize(corpus.sample(0, 0, seed, {.typos = 1}).source) > longest;
    EXPECT_LE(std::ssize(tight.sample(0, 0, seed, {.typos = 1}).source), longest);
  }
  EXPECT_GT(longer, 0);
}

TEST_F(NoisyCorpus, IsDrawnAnewInEveryEpochOnAnyNumberOfThreads) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += "abcab dcab efgh" + std::string(i % 3, 'a') + "\n";
  const auto corpus = std::make_shared<const Corpus>(read(text, text, std::string(40, '\n')));
  BatchOptions options{.batch_size = 100000, .epochs = 2, .noise = {.typos = 0.5}};
  BatchStream one(corpus, options);
  options.threads = 3;
  BatchStream three(corpus, options);
  const auto first = one.next(), again = three.next();
  EXPECT_EQ(first->batch.source, again->batch.source);
  EXPECT_NE(first->batch.source, one.next()->batch.source);
  BatchStream resumed(corpus, options);
  resumed.seek(first->after);
  EXPECT_EQ(resumed.next()->batch.source, three.next()->batch.source);
  options.noise.typos = 0.4;
  EXPECT_THROW(BatchStream(corpus, options).seek(first->after), UserError);
}

}  // namespace
}  // namespace heed::data
