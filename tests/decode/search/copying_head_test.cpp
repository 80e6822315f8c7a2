#include "decode/search/copying_head.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "base/error.h"
#include "data/batch.h"
#include "engine/random_weights.h"
#include "study/attention_matrix.h"
#include "temporary_folder.h"
#include "text/vocabulary_training.h"

namespace heed::decode {
namespace {

/// A vocabulary of numbers.
text::Vocabulary numbers() {
  const TemporaryFolder folder;
  std::mt19937 random(7);
  std::string lines;
  for (int line = 0; line < 400; ++line)
    for (int i = 0; i < 5; ++i) lines += std::to_string(random() % 1000) + (i < 4 ? " " : "\n");
  return text::train_vocabulary({.files = {folder.write("numbers", lines)}, .size = 32});
}

/// A model of two layers with three heads, of which one finds the word of the source that is the
/// word which it has read, or will write. The others attend to a place, or to all.
class ReaderOfNumbers : public LineTranslator {
 public:
  struct Copying {
    int64_t layer = -1, head = 0;
    bool reads = false;
  };
  explicit ReaderOfNumbers(Copying copying)
      : LineTranslator({{numbers(), numbers()}}, {}, engine::testing::kOneThread),
        copying_(copying) {}

  int64_t longest() const override { return 200; }
  const engine::Network* network() const override { return nullptr; }
  void with_steps(const std::vector<data::Batch>&, const SearchOptions&,
                  const std::function<void(Steps&)>&) const override {
    throw Bug("nothing is translated");
  }
  engine::LayerMaps attention_of(const data::Batch& pairs,
                                 const std::vector<config::AttentionKind>&) const override {
    engine::LayerMaps maps;
    for (int64_t layer = 0; layer < 2; ++layer) {
      engine::LayerMap& map = maps.emplace_back(
          engine::LayerMap{.layer = layer, .heads = 3, .keys = pairs.source_length});
      map.weights.assign(pairs.size * pairs.target_length * 3 * pairs.source_length, 0.01F);
      for (int64_t i = 0; i < pairs.size; ++i) {
        const auto source = words(pairs.source, i, pairs.source_length),
                   target = words(pairs.target_output, i, pairs.target_length);
        for (int64_t row = 0; row < pairs.target_length; ++row)
          for (int64_t head = 0; head < 3; ++head)
            for (int64_t key = 0; key < pairs.source_length; ++key)
              if (attends(layer, head, row, key, source, target))
                map.weights[((i * pairs.target_length + row) * 3 + head) * pairs.source_length +
                            key] = 0.9F;
      }
    }
    return maps;
  }

 private:
  /// The word that each piece of sentence `i` is a part of.
  std::vector<std::string> words(const std::vector<int64_t>& ids, int64_t i, int64_t length) const {
    std::vector<std::string> pieces;
    for (int64_t t = 0; t < length; ++t)
      pieces.push_back(first_text().source.piece(static_cast<int32_t>(ids[i * length + t])));
    const std::vector<std::size_t> of = study::words_of_tokens(pieces);
    std::vector<std::string> all(pieces.size()), out;
    for (std::size_t t = 0; t < pieces.size(); ++t) all[of[t]] += pieces[t];
    for (const std::size_t word : of) out.push_back(all[word]);
    return out;
  }

  bool attends(int64_t layer, int64_t head, int64_t row, int64_t key,
               const std::vector<std::string>& source,
               const std::vector<std::string>& target) const {
    if (layer != copying_.layer || head != copying_.head) return head == 0 ? key == row : head == 1;
    const int64_t read = copying_.reads ? row - 1 : row;
    return read >= 0 && source[key] == target[read];
  }

  Copying copying_;
};

TEST(CopyingHead, IsTheOneThatFindsNumbersInAnyOrder) {
  const study::AlignmentChoice usual{.layer = 0, .head = -1};
  for (const int64_t layer : {0, 1})
    for (const int64_t head : {0, 1, 2})
      for (const bool reads : {false, true})
        EXPECT_EQ(copying_head(ReaderOfNumbers({layer, head, reads}), usual),
                  (study::AlignmentChoice{layer, head, reads}));
}

TEST(CopyingHead, IsTheUsualOneWhereNoneFindsThem) {
  for (const int64_t head : {-1, 1}) {
    const study::AlignmentChoice usual{.layer = 1, .head = head};
    EXPECT_EQ(copying_head(ReaderOfNumbers({}), usual), usual);
  }
}

}  // namespace
}  // namespace heed::decode
