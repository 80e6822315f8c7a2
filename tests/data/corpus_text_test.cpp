// The text that is kept for subword sampling, where pairs before it are left out.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "data/batch.h"
#include "data/corpus.h"
#include "data/corpus_reader.h"
#include "data/example.h"
#include "data/flaws.h"
#include "temporary_folder.h"

namespace heed::data {
namespace {

// Line 2 is blank, 3 and 7 are too long on one side, and 5 is there already.
TEST(CorpusText, IsThatOfThePairsThatAreKept) {
  const TemporaryFolder folder;
  const auto letters = text::train_vocabulary(
      {.files = {folder.write("letters", "a b c d e f g h\nh g f e d c b a\n")},
       .size = 13,
       .algorithm = "bpe"});
  DataConfig config;
  config.clean = {"duplicates"};
  CorpusFiles files;
  files.source = folder.write("text.src", "a\n\na b c d e\nb\nb\nc d\ng\nf\n");
  files.target = folder.write("text.tgt", "h\ng\nf\ne\ne\nd\nc c c c c\na b\n");
  const Corpus corpus =
      read_corpus({files}, letters, letters,
                  {.max_length = 4, .keep_text = true, .cleaning = cleaning_of(config)});
  const std::vector<int64_t> lines{1, 4, 6, 8};
  const std::vector<std::string> sources{"a", "b", "c d", "f"}, targets{"h", "e", "d", "a b"};
  ASSERT_EQ(corpus.size(), 4);
  for (int64_t i = 0; i < corpus.size(); ++i)
    for (uint64_t seed = 0; seed < 5; ++seed) {
      const Example drawn = corpus.sample(i, 0.5, seed);
      EXPECT_EQ(letters.decode(drawn.source), sources[i]);
      EXPECT_EQ(letters.decode(drawn.target), targets[i]);
      EXPECT_EQ(drawn.origin.line, lines[i]);
      EXPECT_EQ(drawn.origin.index, i);
    }
}

}  // namespace
}  // namespace heed::data
