#include "score/lengths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/error.h"
#include "base/random.h"
#include "temporary_folder.h"

namespace heed::score {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using Lines = std::vector<std::string>;

std::string words(int64_t count, const std::string& word = "w") {
  std::string line;
  for (int64_t i = 0; i < count; ++i) line += (i ? " " : "") + word + std::to_string(i);
  return line;
}

struct Corpus {
  Lines sources, references, good, bad;
};

// Sentences of 4..15 words; `bad` gets every third word wrong, `good` the last word of some.
Corpus make_corpus(int64_t sentences) {
  Corpus corpus;
  Random random(7);
  for (int64_t i = 0; i < sentences; ++i) {
    const auto length = static_cast<int64_t>(4 + random.below(12));
    corpus.sources.push_back(words(length));
    Lines good, bad;
    std::string reference, better, worse;
    for (int64_t w = 0; w < length; ++w) {
      const std::string word = "t" + std::to_string(random.below(50)) + " ";
      reference += word;
      better += random.below(12) == 0 ? "miss " : word;
      worse += random.below(3) == 0 ? "miss " : word;
    }
    corpus.references.push_back(reference);
    corpus.good.push_back(better);
    corpus.bad.push_back(worse);
  }
  return corpus;
}

/// A program that stands in for sacrebleu, and says that everything has this BLEU.
class FakeScorer {
 public:
  explicit FakeScorer(double value) {
    const std::string program = folder_.write(
        "scorer", "#!/bin/sh\necho '{\"name\": \"BLEU\", \"score\": " + std::to_string(value) +
                      ", \"signature\": \"made:up\", \"verbose_score\": \"\"}'\n");
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    if (const char* set = std::getenv("HEED_SACREBLEU")) before_ = set;
    ::setenv("HEED_SACREBLEU", program.c_str(), 1);
  }
  ~FakeScorer() {
    before_ ? ::setenv("HEED_SACREBLEU", before_->c_str(), 1) : ::unsetenv("HEED_SACREBLEU");
  }

 private:
  TemporaryFolder folder_;
  std::optional<std::string> before_;
};

TEST(Buckets, HoldTheirUpperEndAndTheLastOneIsOpen) {
  const Lines sources = {words(1), words(10), words(11), words(20), words(21), words(400), "", " "};
  const auto buckets = make_buckets(sources, {20, 10, 10});
  ASSERT_EQ(buckets.size(), 3u);
  EXPECT_THAT(buckets[0].sentences, ElementsAre(0, 1));
  EXPECT_THAT(buckets[1].sentences, ElementsAre(2, 3));
  EXPECT_THAT(buckets[2].sentences, ElementsAre(4, 5));
  EXPECT_EQ(buckets[0].source_words, 11);
  EXPECT_EQ(buckets[0].label(), "1-10");
  EXPECT_EQ(buckets[1].label(), "11-20");
  EXPECT_EQ(buckets[2].label(), "> 20");
  EXPECT_FALSE(buckets[2].high.has_value());
}

TEST(Lengths, AreInCharactersWhereSourcesAreWrittenWithoutBlanks) {
  EvaluationConfig config;
  config.length_buckets = {4, 6};
  config.bootstrap = 0;
  const Lines sources = {"我喜欢狗", "我喜欢小狗。", "我们都喜欢小狗。"},
              references = {"a", "b", "c"};
  const FakeScorer program(100);
  const auto report = measure_lengths(sources, references, {{"one", references}}, config);
  EXPECT_EQ(report.unit, "characters");
  EXPECT_THAT(report.buckets[0].sentences, ElementsAre(0));
  EXPECT_THAT(report.buckets[1].sentences, ElementsAre(1));
  EXPECT_THAT(report.buckets[2].sentences, ElementsAre(2));
  EXPECT_THAT(lengths_table(report), HasSubstr("system  characters  sentences  source characters"));
}

TEST(Lengths, WriteExactlyThePromisedColumns) {
  EvaluationConfig config;
  config.length_buckets = {4, 6};
  config.bootstrap = 0;
  const Lines sources = {words(4), words(7)}, references = {"a b c d e", "a b c d"};
  const FakeScorer program(88.25);
  const auto report =
      measure_lengths(sources, references, {{"one, two", {"a b c d", "a b c d"}}}, config);
  EXPECT_EQ(lengths_csv(report),
            "system,bucket_low,bucket_high,sentences,source_words,bleu,bleu_low,bleu_high,"
            "brevity_penalty,length_ratio\n"
            "\"one, two\",1,4,1,4,77.88,,,0.7788,0.8000\n"
            "\"one, two\",5,6,0,0,,,,,\n"
            "\"one, two\",7,inf,1,7,100.00,,,1.0000,1.0000\n");
  EXPECT_EQ(lengths_table(report),
            "system    words  sentences  source words    BLEU  95 % interval     BP  ratio\n"
            "one, two  1-4            1             4   77.88                 0.779  0.800\n"
            "one, two  5-6            0             0       -\n"
            "one, two  > 6            1             7  100.00                 1.000  1.000\n"
            "one, two  all            2            11   88.25                 0.882  0.889\n"
            "one, two: BLEU 88.25 (made:up)\n");
  EXPECT_THAT(report.warnings, IsEmpty());
}

TEST(Lengths, IntervalsHoldTheScoreNarrowWithSentencesAndRepeat) {
  EvaluationConfig config;
  config.length_buckets = {100};
  config.bootstrap = 400;
  const FakeScorer program(0);
  double width[2];
  for (const int i : {0, 1}) {
    const Corpus corpus = make_corpus(i ? 480 : 30);
    const auto run = [&] {
      return measure_lengths(corpus.sources, corpus.references, {{"bad", corpus.bad}}, config);
    };
    const BucketScore first = *run().systems[0].buckets[0], second = *run().systems[0].buckets[0];
    EXPECT_EQ(first.interval->low, second.interval->low);
    EXPECT_EQ(first.interval->high, second.interval->high);
    EXPECT_LT(first.interval->low, first.bleu.score);
    EXPECT_GT(first.interval->high, first.bleu.score);
    width[i] = first.interval->high - first.interval->low;
  }
  EXPECT_LT(width[1], width[0] / 2);
  EXPECT_GT(width[1], 0);
}

TEST(Lengths, ThePairedTestTellsABetterSystemFromAnEqualOne) {
  EvaluationConfig config;
  config.length_buckets = {9};
  config.bootstrap = 199;
  const Corpus corpus = make_corpus(120);
  const FakeScorer program(0);
  const auto report = measure_lengths(
      corpus.sources, corpus.references,
      {{"bad", corpus.bad}, {"same", corpus.bad}, {"good", corpus.good}}, config, "bad");
  for (std::size_t bucket = 0; bucket < 2; ++bucket) {
    EXPECT_FALSE(report.systems[0].buckets[bucket]->against_baseline);
    const Comparison same = *report.systems[1].buckets[bucket]->against_baseline;
    EXPECT_EQ(same.difference, 0);
    EXPECT_EQ(same.wins, 0);
    EXPECT_EQ(same.p_value, 1);
    const Comparison good = *report.systems[2].buckets[bucket]->against_baseline;
    EXPECT_EQ(good.wins, 1);
    EXPECT_DOUBLE_EQ(good.p_value, 1.0 / 200);
    EXPECT_GT(good.interval.low, 0);
    EXPECT_GT(good.interval.high, good.difference);
  }
}

TEST(Lengths, AgreeWithSacrebleuAndSayNothing) {
  EvaluationConfig config;
  config.bootstrap = 10;
  const Corpus corpus = make_corpus(40);
  const auto report =
      measure_lengths(corpus.sources, corpus.references, {{"good", corpus.good}}, config);
  EXPECT_THAT(report.warnings, IsEmpty());
  EXPECT_NEAR(report.systems[0].overall.value, report.systems[0].all.bleu.score, 1e-6);
  EXPECT_THAT(report.systems[0].overall.signature, HasSubstr("tok:13a|smooth:exp"));
}

TEST(Lengths, WarnWhereTheScorerDisagreesAndWhereASourceIsBlank) {
  EvaluationConfig config;
  config.bootstrap = 0;
  const FakeScorer program(50);
  const auto report =
      measure_lengths({words(4), ""}, {"a b c d", ""}, {{"s", {"a b c d", ""}}}, config);
  ASSERT_EQ(report.warnings.size(), 2u);
  EXPECT_THAT(report.warnings[0], HasSubstr("BLEU 100.00, sacrebleu says 50.00"));
  EXPECT_THAT(report.warnings[1], HasSubstr("1 source lines have no words"));
}

TEST(Lengths, WarnWhereNothingIsComparedWithTheBaseline) {
  const std::vector<SystemOutput> systems = {{"a", {"a b c d"}}, {"b", {"a b c"}}};
  EvaluationConfig config;
  const FakeScorer program(100);
  const auto warnings = [&] {
    return measure_lengths({words(4)}, {"a b c d"}, systems, config, "a").warnings;
  };
  EXPECT_THAT(warnings(), Not(Contains(HasSubstr("not compared"))));
  config.bootstrap = 0;
  EXPECT_THAT(warnings(), Contains(HasSubstr("not compared with 'a': that needs")));
  config.bootstrap = 100;
  config.tokenize = "intl";
  EXPECT_THAT(warnings(), Contains(HasSubstr("not compared with 'a': that needs")));
}

TEST(Lengths, AskTheScorerPerBucketForATokenizerThatOnlyItKnows) {
  EvaluationConfig config;
  config.tokenize = "intl";
  config.length_buckets = {5};
  const auto report = measure_lengths({words(4), words(6)}, {"a b c d", "a b c d"},
                                      {{"s", {"a b c d", "x"}}}, config);
  EXPECT_NEAR(report.systems[0].buckets[0]->bleu.score, 100, 1e-6);
  EXPECT_EQ(report.systems[0].buckets[1]->bleu.score, 0);
  EXPECT_EQ(report.systems[0].buckets[1]->bleu.length_ratio, 0.25);
  EXPECT_FALSE(report.systems[0].buckets[0]->interval);
  EXPECT_THAT(report.warnings, ElementsAre(HasSubstr("not intl")));
}

TEST(Lengths, RefuseInputsThatDoNotBelongTogether) {
  const EvaluationConfig config;
  const FakeScorer program(0);
  const SystemOutput one{"s", {"a"}};
  EXPECT_THROW(measure_lengths({"a"}, {"a", "b"}, {one}, config), UserError);
  EXPECT_THROW(measure_lengths({"a", "b"}, {"a", "b"}, {one}, config), UserError);
  EXPECT_THROW(measure_lengths({"a"}, {"a"}, {one, one}, config), UserError);
  EXPECT_THROW(measure_lengths({"a"}, {"a"}, {one}, config, "none"), UserError);
  EXPECT_THROW(measure_lengths({""}, {"a"}, {one}, config), UserError);
  EXPECT_THROW(measure_lengths({"a"}, {"a"}, {}, config), UserError);
}

TEST(Middle95, DropsAFortiethAtEitherEnd) {
  std::vector<double> values;
  for (int i = 79; i >= 0; --i) values.push_back(i);
  EXPECT_EQ(middle_95(values).low, 2);
  EXPECT_EQ(middle_95(values).high, 77);
  EXPECT_EQ(middle_95({5}).low, 5);
}

}  // namespace
}  // namespace heed::score
