// The likeliest next words, and what a translator says about the batches of its models.
#include "decode/search/next_words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/strings.h"
#include "decode/random_models.h"

namespace heed::decode {
namespace {

TEST(NextWords, HaveTheProbabilitiesOfTheModel) {
  for (const model::ModelConfig& config : small_models()) {
    Translator translator = make_translator(random_model(config));
    const text::Vocabulary& target = translator.first_text().target;
    const auto before = target.encode("sena");
    const auto words = next_words(translator, "mira tolo", "sena", 6);
    ASSERT_GT(words.size(), 2U);
    double last = 1;
    int compared = 0;
    for (const NextWord& word : words) {
      EXPECT_LE(word.probability, last);
      last = word.probability;
      if (word.ends) {
        EXPECT_EQ(word.prefix, "sena");
        continue;
      }
      EXPECT_EQ(word.prefix, "sena" + std::string(word.continues ? "" : " ") + word.word);
      // The model's probability of the pieces when it reads them; other spellings of the word add
      // to it.
      const auto pieces = target.encode(word.prefix);
      if (pieces.size() <= before.size() ||
          !std::equal(before.begin(), before.end(), pieces.begin()))
        continue;
      const auto scores = translator.score({"mira tolo"}, {word.prefix})[0].tokens;
      double sum = 0;
      for (std::size_t i = before.size(); i < pieces.size(); ++i) sum += scores[i];
      EXPECT_GE(word.probability, std::exp(sum) - 1e-5) << word.prefix;
      ++compared;
    }
    EXPECT_GT(compared, 0);
  }
}

TEST(NextWords, HaveNoForbiddenPieces) {
  Translator free = make_translator(random_model(small_models()[0]));
  const NextWord likeliest = next_words(free, "kupo vadi rel", "", 1).at(0);
  ASSERT_FALSE(likeliest.ends);
  const char letter = likeliest.word[0];
  DecodeConfig config;
  for (int32_t id = text::kEnd + 1; id < vocabulary().size(); ++id)
    if (vocabulary().piece(id).find(letter) != std::string::npos)
      config.forbid.push_back(vocabulary().piece(id));
  Translator without = make_translator(random_model(small_models()[0]), config);
  const auto words = next_words(without, "kupo vadi rel", "", 5);
  ASSERT_FALSE(words.empty());
  for (const NextWord& word : words) EXPECT_EQ(word.word.find(letter), std::string::npos);
}

TEST(NextWords, TheFirstOneIsThatOfGreedySearch) {
  DecodeConfig greedy;
  greedy.beam_size = 1;
  for (const model::ModelConfig& config : small_models()) {
    Translator translator = make_translator(random_model(config), greedy);
    const Translation own = translator.translate({.lines = {"kupo vadi rel"}}).translations[0];
    const auto words = next_words(translator, "kupo vadi rel", "", 1);
    ASSERT_EQ(words.size(), 1U);
    if (words[0].ends) continue;
    if (own.hypotheses[0].cut) {  // inside of the word perhaps
      const std::size_t both = std::min(own.text.size(), words[0].word.size());
      EXPECT_EQ(own.text.substr(0, both), words[0].word.substr(0, both));
      continue;
    }
    EXPECT_TRUE(own.text.starts_with(words[0].word)) << own.text << ": " << words[0].word;
  }
}

TEST(NextWords, AnyOfThemMayBeForced) {
  for (const model::ModelConfig& config : small_models()) {
    Translator translator = make_translator(random_model(config));
    for (const NextWord& word : next_words(translator, "kupo vadi rel", "sena", 5)) {
      if (word.ends) continue;
      // A model that has learned nothing may say blanks in a row; a prefix has one.
      const std::string prefix = join(split_words(word.prefix), " ");
      const std::string text =
          translator.translate({.lines = {"kupo vadi rel"}, .prefixes = {word.prefix}})
              .translations[0]
              .text;
      EXPECT_TRUE(text.starts_with(prefix)) << text << ": " << prefix;
    }
  }
}

TEST(NextWords, TheirNumberChangesNoProbability) {
  std::string prefix;
  for (int i = 0; i < 150; ++i) prefix += "sena ";
  int compared = 0;
  for (const model::ModelConfig& config : small_models()) {
    Translator translator = make_translator(random_model(config));
    if (translator.longest() < 1000) continue;
    ++compared;
    const auto few = next_words(translator, "mira tolo", prefix, 3),
               many = next_words(translator, "mira tolo", prefix, 30);
    ASSERT_FALSE(few.empty());
    for (const NextWord& word : few) {
      const auto same = std::ranges::find_if(many, [&](const NextWord& one) {
        return one.prefix == word.prefix && one.ends == word.ends;
      });
      ASSERT_NE(same, many.end()) << word.word;
      EXPECT_GE(same->probability, word.probability * (1 - 1e-4));  // other spellings add
    }
  }
  EXPECT_GT(compared, 0);
}

TEST(NextWords, OfALineWithoutPiecesThereAreNone) {
  Translator translator = make_translator(random_model(small_models()[0]));
  EXPECT_TRUE(next_words(translator, " ", "", 5).empty());
}

TEST(LogProbability, IsThatOfAGivenPair) {
  DecodeConfig config;
  config.forbid = {vocabulary().piece(vocabulary().encode("tolo")[0])};
  const model::ModelPtr transformer = random_model(small_models()[0]);
  for (const model::ModelPtr& model :
       {transformer, random_model(small_models()[1]), random_model(many_models()[4]),
        without_engine(transformer)}) {
    Translator translator = make_translator(model, config);
    EXPECT_NEAR(log_probability_of(translator, "mira sena", "tolo kupo"),
                translator.score({"mira sena"}, {"tolo kupo"})[0].log_probability, 1e-4);
  }
}

TEST(Batches, EnginesGiveALineTheSameBitsInAnyOfThem) {
  DecodeConfig sampling;
  sampling.sampling.top_k = 3;
  for (const model::ModelConfig& config : small_models())
    EXPECT_TRUE(make_translator(random_model(config)).is_same_in_any_batch());
  EXPECT_FALSE(make_translator(random_model(small_models()[0]), sampling).is_same_in_any_batch());
  const model::ModelPtr unknown = without_engine(random_model(small_models()[0]));
  EXPECT_FALSE(make_translator(unknown).is_same_in_any_batch());
}

TEST(Batches, ATranslatorMayBeAskedForMoreTranslations) {
  Translator translator = make_translator(random_model(small_models()[0]));
  const std::string best = translator.translate({.lines = {"mira tolo sena"}}).translations[0].text;
  const auto n_best = [&](int64_t count) {
    return translator.translate(
        {.lines = {"mira tolo sena"}, .search = with_n_best(translator.config(), count)});
  };
  const Translation several = n_best(4).translations[0];
  EXPECT_EQ(several.texts.size(), 4U);
  EXPECT_EQ(several.text, best);
  EXPECT_THROW(n_best(6), UserError);  // the beam holds five
}

}  // namespace
}  // namespace heed::decode
