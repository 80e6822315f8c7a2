#include "decode/search/shortlist.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "data/batch.h"
#include "data/example.h"
#include "decode/search/engine_translator.h"
#include "engine/random_weights.h"
#include "temporary_folder.h"
#include "text/vocabulary_training.h"

namespace heed::decode {
namespace {

using ::testing::HasSubstr;

text::Vocabulary vocabulary_of(const std::string& text) {
  const TemporaryFolder folder;
  return text::train_vocabulary(
      {.files = {folder.write("text", text)}, .size = 16, .algorithm = "bpe"});
}

struct ShortlistFile : ::testing::Test {
  text::Vocabulary source = vocabulary_of("abc def gh\n"), target = vocabulary_of("mno pqr st\n");
  std::vector<PieceList> lists{16};

  ShortlistFile() {
    lists[5] = {7, 9};
    lists[6] = {9, 14};
    lists[text::kEnd] = {11};
  }
  std::string bytes() const { return shortlist_bytes(lists, 2, source, target); }
};

TEST_F(ShortlistFile, HasTheListsOfASourcesPieces) {
  const Shortlist shortlist(bytes(), "file", source, target);
  EXPECT_EQ(shortlist.pieces_for(std::vector{5, 6}), PieceList({0, 1, 2, 3, 7, 9, 11, 14}));
  EXPECT_EQ(shortlist.pieces_for(std::vector{8}), PieceList({0, 1, 2, 3, 11}));
  EXPECT_EQ(shortlist.pieces_for(std::vector{8}, std::vector{12, 4}),
            PieceList({0, 1, 2, 3, 4, 11, 12}));
}

TEST_F(ShortlistFile, OfOneVocabularyHasTheSourcesPieces) {
  const Shortlist shortlist(shortlist_bytes(lists, 2, source, source), "file", source, source);
  EXPECT_EQ(shortlist.pieces_for(std::vector{5, 8}), PieceList({0, 1, 2, 3, 5, 7, 8, 9, 11}));
}

TEST_F(ShortlistFile, IsThatOfBergamot) {
  const std::string bytes = this->bytes();
  const auto* words = reinterpret_cast<const uint64_t*>(bytes.data());
  EXPECT_EQ(words[0], 0xF11A48D5013417F5U);
  EXPECT_EQ(std::vector<uint64_t>(words + 2, words + 6), std::vector<uint64_t>({4, 2, 17, 21}));
  EXPECT_EQ(std::vector<uint64_t>(words + 6, words + 6 + 8),
            std::vector<uint64_t>({0, 16, 16, 16, 17, 17, 19, 21}));
  EXPECT_EQ(bytes.size(), 8U * (6 + 17) + 4 * 21);
  uint64_t sum = 0;  // of whole words: the last piece of an odd number has no part in it
  for (std::size_t i = 2; i < bytes.size() / 8; ++i)
    sum ^= words[i] + 0x9E3779B9 + (sum << 6) + (sum >> 2);
  EXPECT_EQ(words[1], sum);
}

TEST_F(ShortlistFile, IsRefusedWhereItIsNone) {
  const auto message = [&](const std::string& bytes, const text::Vocabulary& of) {
    try {
      const Shortlist shortlist(bytes, "file", source, of);
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string bytes = this->bytes();
  EXPECT_EQ(message("", target), "file: is no shortlist; `heed shortlist` makes one");
  for (std::size_t length = 8; length < bytes.size(); ++length)
    EXPECT_THAT(message(bytes.substr(0, length), target), HasSubstr("file: is damaged"));
  for (std::size_t i = 8; i < bytes.size() - 4; ++i) {
    std::string other = bytes;
    other[i] ^= 0x10;
    EXPECT_THAT(message(other, target), HasSubstr("file: is damaged")) << i;
  }
  EXPECT_THAT(message(bytes, source), HasSubstr("file: belongs to other vocabularies"));
}

/// Hypotheses of sentences of small random networks, by beam search over lists.
std::vector<std::vector<Hypothesis>> found(const std::vector<std::vector<int64_t>>& sentences,
                                           const SearchOptions& options, int networks = 1) {
  const model::ModelConfig config = engine::testing::small_transformer();
  std::vector<std::shared_ptr<const engine::Network>> all;
  std::vector<data::Batch> sources;
  for (int i = 0; i < networks; ++i) {
    all.push_back(engine::make_network(config, engine::testing::random_transformer(config, 41),
                                       engine::WeightFormat::int8));
    std::vector<data::Example> examples;
    for (const auto& ids : sentences) examples.push_back({.source = {ids.begin(), ids.end()}});
    std::vector<const data::Example*> rows;
    for (const data::Example& example : examples) rows.push_back(&example);
    sources.push_back(data::make_batch(rows));
  }
  std::vector<std::vector<Hypothesis>> hypotheses;
  with_steps(all, sources, options, engine::testing::kOneThread, [&](Steps& steps) {
    hypotheses = search(steps, sources[0].source_lengths, options, 8);
  });
  return hypotheses;
}

TEST(ShortlistSearch, GivesASentenceTheBitsThatItHasAlone) {
  const std::vector<std::vector<int64_t>> sentences = {{4, 5, 6}, {7, 8}, {9}};
  const std::vector<PieceList> lists = {{1, 2, 3, 9, 17, 30, 31, 32, 33},
                                        {2, 3, 5, 6, 40},
                                        {0, 3, 4, 12, 13, 14, 15, 16, 18, 19, 20}};
  for (const int64_t beam : {1, 3}) {
    SearchOptions options{.config = {}, .lists = lists};
    options.config.beam_size = options.config.n_best = beam;
    for (const int networks : {1, 2}) {
      const auto together = found(sentences, options, networks);
      for (std::size_t i = 0; i < sentences.size(); ++i) {
        SearchOptions own = options;
        own.lists = {lists[i]};
        const auto alone = found({sentences[i]}, own, networks).front();
        ASSERT_EQ(alone.size(), together[i].size());
        for (std::size_t j = 0; j < alone.size(); ++j) {
          EXPECT_EQ(alone[j].ids, together[i][j].ids);
          EXPECT_EQ(alone[j].log_probability, together[i][j].log_probability);
          EXPECT_EQ(alone[j].token_log_probabilities, together[i][j].token_log_probabilities);
          for (const int32_t id : alone[j].ids)
            EXPECT_TRUE(std::ranges::binary_search(lists[i], id) && id > text::kBegin) << id;
        }
      }
    }
  }
}

TEST(ShortlistSearch, OfAllPiecesIsTheOneWithout) {
  PieceList all(41);
  for (int32_t i = 0; i < 41; ++i) all[i] = i;
  SearchOptions options;
  options.prefixes = {{8}};
  options.config.no_repeat_ngram = 2;
  options.config.min_length = 3;
  const auto without = found({{4, 5, 6}}, options).front().front();
  options.lists = {all};
  const auto with = found({{4, 5, 6}}, options).front().front();
  EXPECT_EQ(with.ids, without.ids);
  EXPECT_EQ(with.token_log_probabilities, without.token_log_probabilities);
  EXPECT_EQ(with.ids.front(), 8);
  options.lists = {{1, 2, 3, 5, 8, 33}};
  options.config.sampling.top_p = 1;
  options.config.n_best = 5;
  const auto drawn = found({{4, 5, 6}}, options).front();
  ASSERT_EQ(drawn.size(), 5U);
  for (const Hypothesis& draw : drawn) {
    EXPECT_EQ(draw.ids.front(), 8);
    for (const int32_t id : draw.ids) EXPECT_TRUE(std::ranges::binary_search(options.lists[0], id));
  }
}

}  // namespace
}  // namespace heed::decode
