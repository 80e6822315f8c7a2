// No combination of options that the configuration accepts fails: every pair of values meets in a
// model that is trained for two updates, translates, and is what another run begins with. A pair
// that is never accepted is refused with one line before anything is read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "base/format.h"
#include "base/strings.h"
#include "cli/program.h"
#include "cli/toy.h"
#include "combinations/covering.h"
#include "combinations/options.h"
#include "config/io.h"
#include "score/metrics.h"

namespace heed::combinations {
namespace {

using cli::lines_of;
using cli::run_heed;

TEST(PairwiseCover, HoldsEveryPairThatIsAcceptableInFewRows) {
  // The third option's last value forbids the first option's first; 0 and 1 exclude each other's 2.
  const auto acceptable = [](const Row& row) {
    return !(row[2] == 3 && row[0] == 0) && !(row[0] == 2 && row[1] == 2);
  };
  PairwiseCover pairwise({3, 3, 4, 2, 2, 2}, acceptable);
  const Covering covering = pairwise.cover();
  std::set<Pair> held;
  for (const Row& row : covering.rows) {
    EXPECT_TRUE(acceptable(row));
    for (const Pair& pair : PairwiseCover::pairs_of(row)) held.insert(pair);
  }
  EXPECT_THAT(covering.refused, ::testing::ElementsAre(Pair{0, 0, 2, 3}, Pair{0, 2, 1, 2}));
  EXPECT_EQ(held.size() + covering.refused.size(), pairwise.all_pairs().size());
  EXPECT_LE(covering.rows.size(), 16U);  // at least 12, for the options of 3 and 4 values
}

/// One family of models in a folder with a toy corpus.
class Combinations : public ::testing::TestWithParam<Family> {
 protected:
  Combinations() {
    cli::write_toy_pairs(folder_, "train", 40, 1);
    write_links();
    folder_.write("valid.src", "a\nb\n");  // short enough for the few learned positions
    folder_.write("valid.tgt", "b\na\n");
    const auto files = [&](const std::string& name, const std::string& more = "") {
      return name + ": {source: " + (folder_ / (name + ".src")) +
             ", target: " + (folder_ / (name + ".tgt")) + more + "}";
    };
    config::load_text(config_,
                      "device: cpu\nthreads: 1\noutput: " + (folder_ / "run") + "\ndata: {" +
                          files("train", ", alignment: " + (folder_ / "train.align")) + ", " +
                          files("valid") + ", vocabulary: {size: 30}}\nmodel: {type: " +
                          (GetParam() == kRecurrent ? "rnn" : "transformer") +
                          "}\ntraining: {updates: 2, validate_every: 2, save_every: 2, "
                          "validation_command: echo 1, "
                          "learning_rate: 0.01}\ndecoding: {max_length_ratio: 0.5}\n",
                      "the test");
    // Scores in place of sacrebleu, which takes a second for each of some hundred validations.
    std::vector<std::string> scores;
    for (const std::string& key : score::sacrebleu_keys())
      scores.push_back(
          fmt::format(R"({{"name": "{}", "score": 12.5, "signature": "s", "verbose_score": ""}})",
                      score::info_of(*score::sacrebleu_metric(key)).label));
    const std::string scorer =
        folder_.write("scorer", "#!/bin/sh\necho '[" + join(scores, ", ") + "]'\n");
    std::filesystem::permissions(scorer, std::filesystem::perms::owner_all);
    ::setenv("HEED_SACREBLEU", scorer.c_str(), /*replace=*/1);
    train_ = config::view(config_.data.train.front());
    const std::string of_train = "data.train.";
    for (Option option : options()) {
      if (option.family != kBoth && option.family != GetParam()) continue;
      const config::FieldView* field =
          option.path.starts_with(of_train)
              ? config::find_field(train_, option.path.substr(of_train.size()))
              : config::find_field(root_, option.path);
      if (field == nullptr) throw Bug(option.path + " is no option");
      if (option.values.empty()) option.values = values_of(field->value);
      for (std::string& value : option.values)
        if (value == "terms.tsv") value = folder_.write(value, "a\tb\nef\tc a\td\n");
      fields_.push_back(field);
      options_.push_back(option);
    }
  }

  void apply(const Row& row) {
    for (std::size_t i = 0; i < row.size(); ++i)
      assign(fields_[i]->value, options_[i].values.at(row[i]));
    // The bytes' pieces are among those that are counted, and the text has not so many others; half
    // of it in capitals has more.
    config_.data.vocabulary.size = (config_.data.vocabulary.byte_fallback ? 256 : 0) +
                                   (config_.data.noise.upper > 0 ? 46 : 30);
    // With codes that merge nothing, lines of words stay lines of words, which links count.
    config_.data.vocabulary.codes.clear();
    if (config_.data.vocabulary.algorithm == data::VocabularyAlgorithm::pieces)
      config_.data.vocabulary.codes = {folder_.write("codes", "#version: 0.2\n")};
  }
  bool acceptable(const Row& row) {
    apply(row);
    try {
      run::check(config_);
    } catch (const config::ConfigError&) {
      return false;
    }
    return true;
  }
  Covering cover() {
    std::vector<std::size_t> sizes;
    for (const Option& option : options_) sizes.push_back(option.values.size());
    return PairwiseCover(sizes, [this](const Row& row) { return acceptable(row); }).cover();
  }
  /// Writes the configuration of a row; its path.
  std::string write(const Row& row) {
    apply(row);
    return folder_.write("config.yaml", config::dump(config_));
  }
  cli::Result train(const std::vector<std::string>& more) const {
    std::vector<std::string> words{"train", folder_ / "config.yaml", "--overwrite"};
    words.insert(words.end(), more.begin(), more.end());
    return run_heed(words);
  }
  /// Trains another run from the weights of this one: without validations, where they are not
  /// asked for.
  cli::Result train_from_it() {
    std::vector<std::string> another{"--set", "output=" + (folder_ / "another"), "--set",
                                     "training.from=" + (folder_ / "run")};
    // Every other Transformer by adapters, and every third model with its encoder alone.
    if (++tuned_ % 2 == 0 && GetParam() == kTransformer)
      for (const char* setting :
           {"training.adapters.kind=lora", "training.adapters.rank=3", "training.freeze=[]",
            "training.adapters.matrices=[attention, feed_forward]"})
        another.insert(another.end(), {"--set", setting});
    else if (tuned_ % 3 == 0)
      another.insert(another.end(), {"--set", "training.take=[encoder]"});
    auto without = another;
    for (const char* key :
         {"data.valid.source=", "data.valid.target=", "training.validation_command="})
      without.insert(without.end(), {"--set", key});
    const cli::Result trained = train(without);
    if (trained.status != 2) return trained;
    EXPECT_TRUE(trained.err.find("name data.valid") != std::string::npos ||
                trained.err.find("training.validation_command") != std::string::npos)
        << trained.err;
    return train(another);
  }
  std::string said(std::size_t option, std::size_t value) const {
    return options_[option].path + "=" + options_[option].values[value];
  }
  /// The values that are not the first of their option.
  std::string said(const Row& row) const {
    std::string text;
    for (std::size_t i = 0; i < row.size(); ++i)
      if (row[i] > 0) text += " " + said(i, row[i]);
    return text;
  }

  /// Word j of a translation is word n - 1 - j of its source.
  void write_links() {
    std::string links;
    for (const std::string& line : lines_of(read_file(folder_ / "train.src"))) {
      const std::size_t words = split_words(line).size();
      for (std::size_t j = 0; j < words; ++j)
        links += std::to_string(words - 1 - j) + "-" + std::to_string(j) + " ";
      links += "\n";
    }
    folder_.write("train.align", links);
  }

  TemporaryFolder folder_;
  int64_t tuned_ = 0;
  run::Config config_;
  const config::SectionView root_ = config::view(config_);
  config::SectionView train_;  // of the one training corpus
  std::vector<const config::FieldView*> fields_;
  std::vector<Option> options_;
};

TEST_P(Combinations, ThatAreAcceptedTrainAndTranslate) {
  const Covering covering = cover();
  ASSERT_FALSE(covering.rows.empty());
  for (const Row& row : covering.rows) {
    SCOPED_TRACE(said(row));
    write(row);
    const cli::Result trained = train({});
    EXPECT_EQ(trained.status, 0) << trained.err;
    if (trained.status != 0) continue;
    const cli::Result from_it = train_from_it();
    EXPECT_EQ(from_it.status, 0) << from_it.err;
    const auto translated = run_heed({"translate", folder_ / "run"}, "a b c ef\n\nj\n");
    EXPECT_EQ(translated.status, 0) << translated.err;
    // With n-best lists a blank line has none; minimum Bayes risk gives each text once.
    const auto& decoding = config_.decoding;
    const std::size_t most = decoding.n_best > 1 ? 2 * 2 : 3;
    const std::size_t least = decoding.n_best > 1 && decoding.mbr > 0 ? 2 : most;
    EXPECT_GE(lines_of(translated.out).size(), least) << translated.out;
    EXPECT_LE(lines_of(translated.out).size(), most) << translated.out;
  }
  RecordProperty("rows", static_cast<int>(covering.rows.size()));
}

TEST_P(Combinations, ThatAreRefusedAreRefusedInOneLine) {
  const Covering covering = cover();
  ASSERT_FALSE(covering.refused.empty());
  for (const Pair& pair : covering.refused) {
    Row row(options_.size(), 0);
    row[pair.option] = pair.value;
    row[pair.other] = pair.other_value;
    SCOPED_TRACE(said(row));
    const auto refused = run_heed({"train", write(row)});
    cli::expect_mistake(refused, {});
    // It speaks of one of the two.
    const auto key = [&](std::size_t option) {
      const std::string& path = options_[option].path;
      return path.substr(path.rfind('.') + 1);
    };
    EXPECT_TRUE(refused.err.find(key(pair.option)) != std::string::npos ||
                refused.err.find(key(pair.other)) != std::string::npos)
        << refused.err;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "run"));
  }
}

// An option that is added to one of these sections must be added to the walk. The exceptions are
// what the walk sets itself, names of files, and numbers that no other option looks at.
TEST_P(Combinations, KnowEveryOption) {
  std::set<std::string> known{"model.type"};
  for (const Option& option : options()) known.insert(option.path);
  const std::set<std::string> left_out{
      "data.train",
      "data.stages",
      "data.valid",
      "data.more_valid",
      "data.test",
      "data.vocabulary.size",
      "data.vocabulary.coverage",
      "data.vocabulary.codes",
      "data.vocabulary.separator",
      "data.vocabulary.split_unknown",
      "data.vocabulary.source",
      "data.vocabulary.target",
      "data.clean_ratio",
      "data.common_words",
      "training.from",
      "training.take",
      "training.adapters",
      "training.learning_rate",
      "training.betas",
      "training.epsilon",
      "training.decay",
      "training.updates",
      "training.max_minutes",
      "training.validate_every",
      "training.validation_command",
      "training.save_every",
      "training.log_every",
      "training.keep_last",
      "decoding.max_length_ratio",
      "decoding.max_length_extra",
      "decoding.shortlist",
      "decoding.sampling.seed",
  };
  const std::set<std::string> sections{"model", "data", "training", "decoding"};
  for (const std::string& path : config::all_paths(root_)) {
    const bool inside = path.find('.') != std::string::npos;
    const config::FieldView* field = config::find_field(root_, path);
    if (!inside || !sections.contains(path.substr(0, path.find('.')))) continue;
    if (std::holds_alternative<config::SectionView>(field->value)) continue;
    const bool is_left_out = std::ranges::any_of(left_out, [&](const std::string& one) {
      return path == one || path.starts_with(one + ".");
    });
    EXPECT_TRUE(is_left_out || known.contains(path)) << path;
  }
  for (const std::string& key : left_out)
    EXPECT_TRUE(config::find_field(root_, key) != nullptr) << key << " is no option";
}

INSTANTIATE_TEST_SUITE_P(Families, Combinations, ::testing::Values(kRecurrent, kTransformer),
                         [](const auto& info) {
                           return info.param == kRecurrent ? "Recurrent" : "Transformer";
                         });

}  // namespace
}  // namespace heed::combinations
