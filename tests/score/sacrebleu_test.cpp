#include "score/sacrebleu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/error.h"
#include "base/strings.h"
#include "score/nasty_sentences.h"
#include "temporary_folder.h"

namespace heed::score {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Lines = std::vector<std::string>;

EvaluationConfig with_metrics(Lines metrics) {
  EvaluationConfig config;
  config.metrics = std::move(metrics);
  return config;
}

template <class Error, class Function>
std::string message_of(Function function) {
  try {
    function();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Sacrebleu, GivesTheMetricsInTheOrderAskedForWithTheirSignatures) {
  const Lines hypotheses = {"a b c d", "", "Hello, world."};
  const Lines references = {"a b c d e", "x", "Hello world!"};
  const auto scores = score(hypotheses, references, with_metrics({"ter", "bleu", "chrf"}));
  ASSERT_EQ(scores.size(), 3u);
  EXPECT_EQ(scores[0].metric, Metric::ter);
  EXPECT_EQ(scores[0].name, "TER");
  EXPECT_NEAR(scores[0].value, 50.0, 1e-6);
  EXPECT_EQ(scores[1].metric, Metric::bleu);
  EXPECT_EQ(scores[1].name, "BLEU");
  EXPECT_NEAR(scores[1].value, 48.83216831, 1e-6);
  EXPECT_NEAR(*scores[1].brevity_penalty, 0.882, 1e-9);
  EXPECT_EQ(scores[1].hypothesis_length, 8);
  EXPECT_EQ(scores[1].reference_length, 9);
  EXPECT_EQ(scores[2].metric, Metric::chrf);
  EXPECT_EQ(scores[2].name, "chrF2");
  EXPECT_NEAR(scores[2].value, 50.60110467, 1e-6);
  for (const Score& each : scores) EXPECT_THAT(each.signature, HasSubstr("|version:"));
  EXPECT_THAT(describe(scores[1]), HasSubstr("BLEU 48.83 (BP 0.882, nrefs:1|case:mixed|"));
}

TEST(Sacrebleu, OneMetricAloneIsReadToo) {
  const auto scores = score(Lines{"a b c d"}, Lines{"a b c d"}, with_metrics({"chrf"}));
  ASSERT_EQ(scores.size(), 1u);
  EXPECT_NEAR(scores[0].value, 100, 1e-6);
}

TEST(Sacrebleu, ComparesWithSeveralReferences) {
  const Lines hypotheses = {"the old dog sleeps here", "a b c d e"};
  const Lines first = {"an old dog is sleeping here", "a b c d e"};
  const std::vector<Lines> more = {{"the old dog sleeps here", "x"}, {"y", "z"}};
  const auto config = with_metrics({"bleu", "chrf", "ter"});
  const auto one = score(hypotheses, first, config), all = score(hypotheses, first, config, more);
  EXPECT_LT(one[0].value, 90);
  EXPECT_NEAR(all[0].value, 100, 1e-6);
  EXPECT_NEAR(all[2].value, 0, 1e-6);
  EXPECT_THAT(one[0].signature, HasSubstr("nrefs:1|"));
  for (const Score& each : all) EXPECT_THAT(each.signature, HasSubstr("nrefs:3|"));
  EXPECT_THAT(
      message_of<UserError>([&] { score(hypotheses, first, config, std::vector<Lines>{{"a"}}); }),
      HasSubstr("2 hypotheses and 1 references"));
}

TEST(Sacrebleu, TakesTokenizerAndCaseFromTheConfiguration) {
  EvaluationConfig config = with_metrics({"bleu", "chrf"});
  config.tokenize = "char";
  config.lowercase = true;
  const auto scores = score(Lines{"HELLO"}, Lines{"hello"}, config);
  EXPECT_NEAR(scores[0].value, 100, 1e-6);
  EXPECT_NEAR(scores[1].value, 100, 1e-6);
  EXPECT_THAT(scores[0].signature, HasSubstr("case:lc|eff:no|tok:char"));
}

TEST(Sacrebleu, TakesTheOptionsOfChrfAndTer) {
  EvaluationConfig config = with_metrics({"chrf", "ter"});
  config.chrf_word_order = 2;
  config.ter = {"asian-support", "normalized"};
  const auto scores = score(Lines{"我喜欢狗"}, Lines{"我喜欢猫"}, config);
  ASSERT_EQ(scores.size(), 2U);
  EXPECT_EQ(scores[0].name, "chrF2++");
  EXPECT_NEAR(scores[1].value, 25, 1e-6);  // one of four characters, not the one "word"
  EXPECT_THAT(scores[1].signature, HasSubstr("asian:yes"));
}

TEST(Sacrebleu, SaysWhatATokenizerNeeds) {
  EvaluationConfig config = with_metrics({"bleu"});
  config.tokenize = "ja-mecab";
  const TemporaryFolder folder;  // a sacrebleu without MeCab, wherever this runs
  const std::string program = folder.write(
      "sacrebleu", "#!/bin/sh\necho 'RuntimeError: pip install sacrebleu[ja]' >&2\nexit 1\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  ::setenv("HEED_SACREBLEU", program.c_str(), 1);
  const std::string message = message_of<Failure>([&] { check_evaluation(config); });
  ::unsetenv("HEED_SACREBLEU");
  EXPECT_EQ(message, "evaluation.tokenize: ja-mecab needs another package; `" +
                         (folder / "python") +
                         " -m pip install 'sacrebleu[ja]'` installs it, and char needs none");
}

TEST(Sacrebleu, BytesThatAreNoTextDoNotStopIt) {
  const auto scores =
      score(Lines{"\xff\xfe a b c d", "a\rb"}, Lines{"a b c d", "a b"}, with_metrics({"bleu"}));
  EXPECT_GT(scores[0].value, 50);
}

TEST(Sacrebleu, AnEnvironmentThatAsksForTextChangesNothing) {
  setenv("SACREBLEU_FORMAT", "text", 1);
  const auto scores = score(Lines{"a b c d"}, Lines{"a b c d"}, with_metrics({"bleu"}));
  unsetenv("SACREBLEU_FORMAT");
  EXPECT_NEAR(scores[0].value, 100, 1e-6);
}

TEST(Sacrebleu, NeedsNoTemporaryFolder) {
  const char* before = getenv("TMPDIR");
  const std::string kept = before ? before : "";
  setenv("TMPDIR", "/nowhere", 1);
  const auto scores = score(Lines{"a b c d"}, Lines{"a b c d"}, with_metrics({"bleu"}));
  before ? setenv("TMPDIR", kept.c_str(), 1) : unsetenv("TMPDIR");
  EXPECT_NEAR(scores[0].value, 100, 1e-6);
}

TEST(Sacrebleu, WhatItWouldRefuseIsSaidBeforehand) {
  EvaluationConfig config = with_metrics({"bleu", "chrf", "ter"});
  check_evaluation(config);
  config.tokenize = "14a";
  for (const Lines& metrics : {Lines{"bleu"}, Lines{"chrf"}, Lines{}}) {
    config.metrics = metrics;
    EXPECT_THAT(message_of<UserError>([&] { check_evaluation(config); }),
                HasSubstr("evaluation.tokenize: sacrebleu knows no tokenizer '14a'"));
  }
  EXPECT_THAT(message_of<UserError>([&] { check_evaluation(with_metrics({"meteor"})); }),
              HasSubstr("'meteor' is no metric"));
}

TEST(Sacrebleu, IsAskedForEachOfItsMetricsByTheKeyInTheTable) {
  for (const std::string& key : sacrebleu_keys()) {
    const auto scores = score(Lines{"a b c d"}, Lines{"a b c d"}, with_metrics({key}));
    ASSERT_EQ(scores.size(), 1u) << key;
    EXPECT_EQ(scores[0].metric, sacrebleu_metric(key)) << key;
    EXPECT_NEAR(scores[0].value, info_of(scores[0].metric).better == Better::more ? 100 : 0, 1e-6);
  }
}

TEST(Sacrebleu, SaysInOneLineWhatIsWrongWithTheRequest) {
  const Lines one = {"a"}, two = {"a", "b"}, none;
  EXPECT_THAT(message_of<UserError>([&] { score(two, one, with_metrics({"bleu"})); }),
              HasSubstr("2 hypotheses and 1 references"));
  EXPECT_THAT(message_of<UserError>([&] { score(none, none, with_metrics({"bleu"})); }),
              HasSubstr("nothing to score"));
  for (const char* other : {"meteor", "loss", "command"})
    EXPECT_EQ(message_of<UserError>([&] { score(one, one, with_metrics({other})); }),
              "evaluation.metrics: '" + std::string(other) + "' is no metric of sacrebleu; use " +
                  join(sacrebleu_keys(), ", "));
  EvaluationConfig config = with_metrics({"bleu"});
  config.tokenize = "14a";
  EXPECT_THAT(message_of<UserError>([&] { score(one, one, config); }),
              HasSubstr("evaluation.tokenize: sacrebleu knows no tokenizer '14a'"));
}

TEST(Sacrebleu, AMissingOrForeignProgramIsOneClearLine) {
  const Lines one = {"a"};
  const auto attempt = [&] { score(one, one, with_metrics({"bleu"})); };
  setenv("HEED_SACREBLEU", "/nowhere/sacrebleu", 1);
  EXPECT_THAT(message_of<Failure>(attempt),
              HasSubstr("HEED_SACREBLEU names '/nowhere/sacrebleu', which is no program"));
  setenv("HEED_SACREBLEU", "true", 1);
  EXPECT_THAT(message_of<Failure>(attempt), HasSubstr("did not answer in JSON"));
  setenv("HEED_SACREBLEU", "false", 1);
  EXPECT_THAT(message_of<Failure>(attempt), HasSubstr("ended with status 1"));
  unsetenv("HEED_SACREBLEU");
}

TEST(Sacrebleu, AnotherOneOnPythonsPathIsNamed) {
  const TemporaryFolder folder;
  folder.write("old/sacrebleu/__init__.py", "");
  const std::string old = folder / "old";
  setenv("PYTHONPATH", ("/nowhere:" + old).c_str(), 1);
  const std::string named =
      "; PYTHONPATH leads Python to another sacrebleu, in " + old + ": unset PYTHONPATH";
  for (const char* program : {"true", "false"}) {
    setenv("HEED_SACREBLEU", program, 1);
    EXPECT_THAT(message_of<Failure>([] { check_evaluation({}); }), testing::EndsWith(named));
  }
  setenv("PYTHONPATH", "/nowhere", 1);
  EXPECT_THAT(message_of<Failure>([] { check_evaluation({}); }), Not(HasSubstr("PYTHONPATH")));
  unsetenv("PYTHONPATH");
  unsetenv("HEED_SACREBLEU");
}

TEST(Sacrebleu, MayBeInAFolderWithAnEqualsSign) {
  const TemporaryFolder folder;
  const std::string program =
      folder.write("lr=3/sacrebleu", "#!/bin/sh\necho \"$SACREBLEU_FORMAT $2\" >&2\nexit 3\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  setenv("HEED_SACREBLEU", program.c_str(), 1);
  EXPECT_THAT(message_of<Failure>([] { check_evaluation({}); }),
              HasSubstr("lr=3/sacrebleu') ended with status 3: json -i"));
  unsetenv("HEED_SACREBLEU");
}

TEST(Sacrebleu, ItsWarningsReachTheUser) {
  const Lines tokenised(100, "Hello world .");
  testing::internal::CaptureStderr();
  score(tokenised, tokenised, with_metrics({"bleu"}));
  EXPECT_THAT(
      testing::internal::GetCapturedStderr(),
      AllOf(HasSubstr("warning: sacrebleu: That's 100 lines that end in a tokenized period"),
            HasSubstr("you forgot to detokenize")));
  const Lines plain(100, "Hello world.");
  testing::internal::CaptureStderr();
  score(plain, plain, with_metrics({"bleu"}));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Sacrebleu, APackageThatATokenizerMissesIsNamedAndTheEnvironmentIsNotBlamed) {
  const TemporaryFolder folder;
  const std::string program = folder.write("sacrebleu", R"(#!/bin/sh
cat >&2 <<END
ModuleNotFoundError: No module named 'MeCab'

During handling of the above exception, another exception occurred:
  File "tokenizer_ja_mecab.py", line 23, in __init__
RuntimeError: 
Japanese tokenization requires extra dependencies.

    pip install sacrebleu[ja]

END
exit 1
)");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  setenv("HEED_SACREBLEU", program.c_str(), 1);
  EXPECT_THAT(message_of<Failure>([] { check_evaluation({}); }),
              testing::EndsWith("ended with status 1: RuntimeError: Japanese tokenization requires "
                                "extra dependencies. pip install sacrebleu[ja]"));
  unsetenv("HEED_SACREBLEU");
}

TEST(Sacrebleu, OneWhoseEnvironmentIsGoneSaysHowItIsMadeAgain) {
  const TemporaryFolder folder;
  const auto said_of = [&](const std::string& text) {
    const std::string program = folder.write("sacrebleu", text);
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    setenv("HEED_SACREBLEU", program.c_str(), 1);
    const std::string said = message_of<Failure>([] { check_evaluation({}); });
    unsetenv("HEED_SACREBLEU");
    return said;
  };
  const std::string moved = said_of("#!/nowhere/.venv/bin/python3\n");
  EXPECT_THAT(moved, HasSubstr("/sacrebleu') ended with status 127: "));
  EXPECT_THAT(moved, HasSubstr("make it again with `./run setup`"));
  const std::string upgraded =
      said_of("#!/bin/sh\necho \"ModuleNotFoundError: No module named 'sacrebleu'\" >&2\nexit 1\n");
  EXPECT_THAT(upgraded, HasSubstr("ended with status 1: ModuleNotFoundError: No module named"));
  EXPECT_THAT(upgraded, HasSubstr("make it again with `./run setup`"));
}

}  // namespace
}  // namespace heed::score
