// The details of translations are the same in however many parts they are read, and without the
// attention of all of them at the same time.
#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "decode/random_models.h"
#include "inspect/attention_maps.h"

namespace {

// Bytes from operator new, which this program has its own of: attention weights are among them,
// tensors are not.
std::atomic<int64_t> held = 0, most_held = 0;

void note_bytes(int64_t bytes) {
  const int64_t now = held += bytes;
  int64_t most = most_held;
  while (now > most && !most_held.compare_exchange_weak(most, now)) {
  }
}

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t size) {
  void* block = std::malloc(size == 0 ? 1 : size);
  if (!block) throw std::bad_alloc();
  note_bytes(static_cast<int64_t>(malloc_usable_size(block)));
  return block;
}

[[gnu::noinline]] void operator delete(void* block) noexcept {
  note_bytes(-static_cast<int64_t>(malloc_usable_size(block)));  // 0 of a null pointer
  std::free(block);
}

[[gnu::noinline]] void operator delete(void* block, std::size_t) noexcept {
  ::operator delete(block);
}

namespace heed::inspect {
namespace {

void expect_equal(const Details& one, const Details& other) {
  EXPECT_EQ(one.text, other.text);
  EXPECT_EQ(one.end, other.end);
  EXPECT_EQ(study::pharaoh(one.alignment), study::pharaoh(other.alignment));
  EXPECT_EQ(one.other_words, other.other_words);
  ASSERT_EQ(one.words.size(), other.words.size());
  for (std::size_t i = 0; i < one.words.size(); ++i) {
    EXPECT_EQ(one.words[i].text, other.words[i].text);
    EXPECT_EQ(one.words[i].log_probability, other.words[i].log_probability);
  }
}

TEST(Details, AreTheSameInPartsOfAnySize) {
  const std::vector<std::string> lines = {
      "mira tolo", "sena kupo vadi rel nostra bahir glume", "", "quorz", "dyphe \u00df mira mira",
      "vadi"};
  const DetailOptions options{.words = true, .alignment = true, .replace_unknown = true};
  for (const std::size_t which : {0, 1}) {
    decode::Translator translator = decode::make_translator(
        decode::random_model(decode::small_models()[which]), {.beam_size = 3, .n_best = 3});
    std::vector<decode::Translation> found = translator.translate({.lines = lines}).translations;
    for (decode::Translation& one : found)  // each has something to replace
      for (decode::Hypothesis& hypothesis : one.hypotheses)
        if (!hypothesis.ids.empty()) hypothesis.ids.back() = text::kUnknown;
    const auto whole = details_of(translator, lines, found, options);
    std::size_t links = 0;
    for (const int64_t at_once : {1, 300}) {
      const auto parts = details_of(translator, lines, found, options, at_once);
      ASSERT_EQ(parts.size(), lines.size());
      for (std::size_t i = 0; i < lines.size(); ++i) {
        ASSERT_EQ(parts[i].size(), lines[i].empty() ? 0U : 3U);
        for (std::size_t n = 0; n < parts[i].size(); ++n) {
          expect_equal(parts[i][n], whole[i][n]);
          links += whole[i][n].alignment.size();
        }
      }
    }
    EXPECT_GT(links, 0U);
  }
}

TEST(Details, DoNotHoldTheAttentionOfAllTranslations) {
  decode::Translator translator =
      decode::make_translator(decode::random_model(decode::small_models()[0]));
  std::string line = "mira";
  for (int i = 0; i < 50; ++i) line += " tolo mira";
  const std::vector<int32_t> ids = decode::vocabulary().encode(line);
  const std::size_t pieces = ids.size() + 1;
  ASSERT_GT(pieces, 101U);
  decode::Translation one;
  one.source_pieces.resize(pieces);
  one.texts.resize(40);
  one.hypotheses.resize(40);
  for (decode::Hypothesis& hypothesis : one.hypotheses) {
    hypothesis.ids = ids;
    hypothesis.token_log_probabilities.resize(pieces);
  }
  const std::vector<std::string> lines = {line};
  const std::vector<decode::Translation> found = {one};
  const int64_t before = held;
  most_held = before;
  details_of(translator, lines, found, {.alignment = true}, /*at_once=*/1);
  const auto weights = static_cast<int64_t>(40 * pieces * pieces * sizeof(float));
  EXPECT_LT(most_held - before, weights / 2);
}

}  // namespace
}  // namespace heed::inspect
