// Word alignments: lines, files, and links of pieces whatever becomes of the pair.
#include "data/alignment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "compressed.h"
#include "data/batches.h"
#include "data/corpus.h"
#include "data/corpus_reader.h"
#include "data/example.h"
#include "data/hygiene.h"
#include "message.h"
#include "temporary_folder.h"

namespace heed::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

PieceLink link(int32_t source, int32_t target) {
  return {.target = target, .source = source};
}

TEST(Alignment, ALineHasItsLinksByTarget) {
  EXPECT_THAT(parse_links("1-0 0-0 \t2-1 1-0", "f:1"),
              ElementsAre(link(0, 0), link(1, 0), link(2, 1)));
  EXPECT_THAT(parse_links("", "f:1"), IsEmpty());
  for (const char* wrong :
       {"1", "1-", "-1", "1-x", "1?2", "1-2-3", "1--2", "99999999999-0", "+1-2"})
    EXPECT_EQ(message_of<UserError>([&] { parse_links(std::string("0-0 ") + wrong, "f:7"); }),
              "f:7: '" + std::string(wrong) +
                  "' is no alignment link; write i-j, source word - target word, counting from 0");
}

// Source words of 2, 1 and 1 pieces, target words of 1 and 2.
TEST(Alignment, EachPieceOfAWordIsLinkedToEachOfTheOther) {
  const text::WordsOfPieces source{{0, 0, 1, 2}, {0, 0, 1, 2}, 3}, target{{0, 1, 1}, {0, 1, 1}, 2};
  EXPECT_THAT(links_of_pieces({link(0, 0), link(0, 1), link(2, 1)}, source, target),
              ElementsAre(link(0, 0), link(1, 0),              // word 0
                          link(0, 1), link(1, 1), link(3, 1),  // word 1, first piece
                          link(0, 2), link(1, 2), link(3, 2)));
  // Words after a cut have no pieces; a blank at the end belongs to no word.
  EXPECT_THAT(
      links_of_pieces({link(0, 0), link(5, 0), link(0, 7)}, {{0, 1}, {0, 1}, 1}, {{0}, {0}, 1}),
      ElementsAre(link(0, 0)));
}

// Source "我喜欢" in two pieces, "我喜" and "欢"; target "I like" in two.
TEST(Alignment, APieceOfSeveralCharactersHasTheLinksOfEach) {
  const text::WordsOfPieces source{{0, 2}, {1, 2}, 3}, target{{0, 1}, {0, 1}, 2};
  EXPECT_THAT(links_of_pieces({link(0, 0), link(1, 1), link(2, 1)}, source, target),
              ElementsAre(link(0, 0), link(0, 1), link(1, 1)));
  EXPECT_THAT(links_of_pieces({link(0, 0), link(1, 0)}, source, target), ElementsAre(link(0, 0)));
}

class AlignedCorpus : public testing::Test {
 protected:
  CorpusFiles files(const std::string& source, const std::string& target,
                    const std::string& alignment) {
    CorpusFiles files;
    files.source = folder.write("c.src", source);
    files.target = folder.write("c.tgt", target);
    files.alignment = folder.write("c.align", alignment);
    return files;
  }
  Corpus read(const std::vector<CorpusFiles>& list, CorpusReading reading = {}) {
    reading.aligned = true;
    return read_corpus(list, letters, letters, reading);
  }
  std::string wrong(const std::string& source, const std::string& target,
                    const std::string& alignment) {
    const CorpusFiles one = files(source, target, alignment);
    return message_of<UserError>([&] { read({one}); });
  }

  TemporaryFolder folder;
  // "ab" is three pieces, the word start among them.
  text::Vocabulary letters = text::train_vocabulary(
      {.files = {folder.write("letters", "a b c d e f g h\nh g f e d c b a\n")},
       .size = 14,
       .algorithm = "bpe",
       .symbols = {"<bt>"}});
};

TEST_F(AlignedCorpus, LinksPieces) {
  const Corpus corpus = read({files("ab c\nd\ne\n", "f g\nh\na\n", "0-1 1-0\n\n0-0\n")});
  ASSERT_TRUE(corpus.has_links());
  EXPECT_THAT(corpus.example(0).links,
              ElementsAre(link(3, 0), link(4, 0), link(3, 1), link(4, 1),  // g - c
                          link(0, 2), link(1, 2), link(2, 2), link(0, 3), link(1, 3), link(2, 3)));
  EXPECT_THAT(corpus.example(1).links, IsEmpty());
  EXPECT_THAT(corpus.example(2).links, ElementsAre(link(0, 0), link(1, 0), link(0, 1), link(1, 1)));
  EXPECT_THAT(corpus.report(), HasSubstr("c.align: 3 links of words, none in 1 pairs"));
}

TEST_F(AlignedCorpus, StaysAlignedWherePairsAreLeftOut) {
  const Corpus corpus =
      read({files("a\n\nb\nc d e f\ng\n", "a\nb\nb\nc d e f\ng\n", "0-0\n\n\n3-3\n0-0\n")},
           {.max_length = 4});
  ASSERT_EQ(corpus.size(), 3);
  EXPECT_EQ(corpus.example(0).links.size(), 4U);
  EXPECT_THAT(corpus.example(1).links, IsEmpty());
  EXPECT_EQ(corpus.example(2).links.size(), 4U);
  EXPECT_THAT(corpus.report(), HasSubstr("2 links of words"));
}

TEST_F(AlignedCorpus, LinksBehindACutVanish) {
  const Corpus corpus = read({files("a b c\n", "d e f\n", "0-0 2-1 1-2\n")},
                             {.max_length = 4, .long_sentences = LongSentences::truncate});
  EXPECT_THAT(corpus.example(0).links, ElementsAre(link(0, 0), link(1, 0), link(0, 1), link(1, 1)));
}

TEST_F(AlignedCorpus, ATagShiftsTheSource) {
  CorpusFiles tagged = files("a b\n", "c d\n", "0-1\n");
  tagged.tag = "<bt>";
  const Corpus corpus = read({tagged});
  EXPECT_THAT(corpus.example(0).links, ElementsAre(link(1, 2), link(2, 2), link(1, 3), link(2, 3)));
}

TEST_F(AlignedCorpus, DrawnPiecesHaveTheLinksOfTheirWords) {
  letters = text::train_vocabulary(
      {.files = {folder.write("words", "abc abd bcd abc abd bcd acd\n")}, .size = 13});
  const Corpus corpus =
      read({files("abc abd bcd\n", "bcd acd abc\n", "0-2 1-1 2-0\n")}, {.keep_text = true});
  std::set<std::size_t> lengths;
  for (uint64_t seed = 0; seed < 30; ++seed) {
    const Example drawn = corpus.sample(0, 0.1, seed);
    lengths.insert(drawn.source.size());
    const auto source = text::words_of(letters, drawn.source).word_of,
               target = text::words_of(letters, drawn.target).word_of;
    std::vector<PieceLink> expected;
    for (std::size_t t = 0; t < target.size(); ++t)
      for (std::size_t s = 0; s < source.size(); ++s)
        if (source[s] + target[t] == 2)
          expected.push_back(link(static_cast<int32_t>(s), static_cast<int32_t>(t)));
    EXPECT_EQ(drawn.links, expected) << seed;
  }
  EXPECT_GT(lengths.size(), 1U);
}

TEST_F(AlignedCorpus, IsOneFileBesideATsvAndMayBeCompressed) {
  const Corpus plain = read({files("ab c\nd\n", "f g\nh\n", "0-1 1-0\n0-0\n")});
  CorpusFiles tsv;
  tsv.source = folder.write("c.tsv", "ab c\tf g\nd\th\n");
  tsv.alignment = folder.write("c.align.gz", gzip("0-1 1-0\n0-0\n"));
  EXPECT_EQ(read({tsv}).fingerprint(), plain.fingerprint());
  // Other links are other training data, and so are none.
  EXPECT_NE(read({files("ab c\nd\n", "f g\nh\n", "0-1 1-0\n\n")}).fingerprint(),
            plain.fingerprint());
  CorpusFiles without = files("ab c\nd\n", "f g\nh\n", "");
  without.alignment.clear();
  EXPECT_NE(read({without}).fingerprint(), plain.fingerprint());
  EXPECT_FALSE(read({without}).has_links());
}

TEST_F(AlignedCorpus, SomeCorporaMayHaveNone) {
  CorpusFiles without = files("a\n", "b\n", "");
  without.alignment.clear();
  const CorpusFiles with = files("a\n", "b\n", "0-0\n");
  const Corpus corpus = read({without, with});
  EXPECT_THAT(corpus.example(0).links, IsEmpty());
  EXPECT_EQ(corpus.example(1).links.size(), 4U);
}

TEST_F(AlignedCorpus, MistakesNameFileAndLine) {
  const std::string path = folder / "c.align";
  EXPECT_EQ(wrong("a b\nc\n", "d\ne\n", "0-0\n1-0\n"),
            path + ":2: link 1-0, but the source sentence has 1 word, counted from 0");
  EXPECT_EQ(wrong("a b\nc\n", "d e\ne\n", "0-2\n\n"),
            path + ":1: link 0-2, but the target sentence has 2 words, counted from 0");
  EXPECT_THAT(wrong("a b\nc\n", "d\ne\n", "0:0\n\n"), HasSubstr(path + ":1: '0:0'"));
  for (const auto& [lines, count] : {std::pair("0-0\n", 1), {"0-0\n\n\n\n", 4}, {"", 0}})
    EXPECT_EQ(wrong("a b\nc\n", "d\ne\n", lines),
              path + " has " + std::to_string(count) +
                  " lines, and its corpus has 2 pairs; line i must have the links of pair i");
}

TEST_F(AlignedCorpus, LinksAreLeftOutWhereTheVocabularyFindsOtherWords) {
  // U+2581 is SentencePiece's own mark of a blank.
  const Corpus corpus = read({files("a\u2581b c\nd\n", "e f\ng\n", "0-0\n0-0\n")});
  EXPECT_THAT(corpus.example(0).links, IsEmpty());
  EXPECT_EQ(corpus.example(1).links.size(), 4U);
  EXPECT_THAT(corpus.report(), HasSubstr("links left out, the vocabulary finds other words than "
                                         "the text has: 1 (line 1)"));
}

TEST_F(AlignedCorpus, AnotherProcessFindsTheLinks) {
  CorpusReading reading{.keep_text = true, .scratch = {folder.path(), /*shared=*/true}};
  const Corpus corpus = read({files("ab c\nd\n", "f g\nh\n", "0-1 1-0\n0-0\n")}, reading);
  const Corpus mapped = Corpus::at(corpus.address(), letters, letters);
  EXPECT_TRUE(mapped.has_links());
  for (const int64_t i : {0, 1}) {
    EXPECT_EQ(mapped.example(i).links, corpus.example(i).links);
    EXPECT_EQ(mapped.sample(i, 0.5, 7).links, corpus.sample(i, 0.5, 7).links);
  }
}

TEST_F(AlignedCorpus, RowsOfABatchKeepTheirLinks) {
  const Corpus corpus = read({files("a\nb c\nd\n", "e\nf g\nh\n", "0-0\n\n0-0\n")});
  const auto batches = fixed_batches(corpus, 100);
  ASSERT_EQ(batches.size(), 1U);
  const Batch& batch = batches[0];
  ASSERT_EQ(batch.links.size(), 3U);
  for (int64_t row = 0; row < 3; ++row) {
    const Batch one = rows_of(batch, row, row + 1);
    EXPECT_THAT(one.links, ElementsAre(corpus.example(batch.origins[row].index).links));
  }
  std::size_t links = 0;
  for (const Batch& part : parts_of(batch, 2))
    for (const auto& row : part.links) links += row.size();
  EXPECT_EQ(links, 8U);
}

TEST_F(AlignedCorpus, IsCheckedWithTheOtherFlaws) {
  DataConfig config;
  config.train = {files("a\nb c\n", "e\nf g\n", "0-0\n1-0 0-1\n")};
  EXPECT_THAT(check_hygiene(config).text()[0], HasSubstr("2 pairs, 3 links of words, Latin"));
  config.train = {files("a\nb c\n", "e\nf g\n", "0-0\n1-2\n")};
  EXPECT_THAT(message_of<UserError>([&] { check_hygiene(config); }), HasSubstr("c.align:2"));
}

}  // namespace
}  // namespace heed::data
