// Guided alignment: from gold links and from two models' own, and every mistake in its files and
// options.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "data/hygiene.h"
#include "run/in_process.h"
#include "run/inspect_folder.h"
#include "text/pairs.h"

namespace heed::run {
namespace {

using namespace cli;
using inspect::AlignerByRule;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class GuidedTraining : public ::testing::Test {
 protected:
  void SetUp() override {
    write_toy_pairs(folder_, "train", 400, 1);
    write_toy_pairs(folder_, "valid", 20, 2);
    folder_.write("train.align", reversal_links(folder_ / "train.src"));
    folder_.write("valid.align", reversal_links(folder_ / "valid.src"));
  }

  std::string config(const std::string& name, const char* model = kGuidedTransformer) const {
    return write_toy_config(folder_, {name, model, kGuidedTraining});
  }
  std::vector<std::string> settings(const std::vector<std::string>& more) const {
    std::vector<std::string> all = {"data.train.alignment=" + (folder_ / "train.align")};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  /// The run NAME; `more` are settings.
  Result train(const std::string& name, const std::vector<std::string>& more = {},
               const char* model = kGuidedTransformer, bool resume = false) const {
    std::vector<std::string> options;
    for (const std::string& setting : settings(more))
      options.insert(options.end(), {"--set", setting});
    if (resume) options.emplace_back("--resume");
    return run::train(config(name, model), options);
  }
  AlignerByRule aligner(const std::string& name) const {
    return aligner_of(open_model(folder_ / name));
  }
  text::Pairs valid() const {
    return text::read_pairs(folder_ / "valid.src", folder_ / "valid.tgt");
  }
  /// The error rate of the layer, head and step that the model aligns by.
  double error_of(const std::string& name) const {
    AlignerByRule model = aligner(name);
    const auto gold = inspect::read_gold(folder_ / "valid.align", valid(), {});
    return model.aligner.sweep({valid(), gold, "valid.align"})
        .errors()
        .at(model.rule.choice)
        .rate();
  }
  std::vector<double> losses(const std::string& name) const {
    std::vector<double> out;
    for (const std::string& line : lines_of(read_file(folder_ / (name + "/metrics.jsonl"))))
      if (const json event = json::parse(line); event.contains("align"))
        out.push_back(event["align"]);
    return out;
  }

  TemporaryFolder folder_;
};

TEST_F(GuidedTraining, AlignsByTheStepThatWasTaught) {
  EXPECT_EQ(train("reads", {"training.updates=120", "training.guided_step=reads"}).status, 0);
  AlignerByRule model = aligner("reads");
  EXPECT_TRUE(model.rule.choice.reads);
  EXPECT_LT(error_of("reads"), 0.3);
  const auto links = [&](double least) {
    model.rule.least = least;
    std::size_t count = 0;
    for (const study::Alignment& line : model.align(valid(), 0)) count += line.size();
    return count;
  };
  EXPECT_LT(links(0.9), links(0));
}

TEST_F(GuidedTraining, AlignsBetterThanWithout) {
  for (const char* model : {kGuidedTransformer, kRnn}) {
    SCOPED_TRACE(model);
    const std::string updates = "training.updates=120";
    EXPECT_EQ(train("guided", {updates}, model).status, 0);
    EXPECT_EQ(train("plain", {updates, "training.guided_alignment=0"}, model).status, 0);
    const std::vector<double> align = losses("guided");
    ASSERT_THAT(align, SizeIs(12));
    EXPECT_LT(align.back(), 0.5 * align.front());
    EXPECT_THAT(losses("plain"), SizeIs(0));
    const std::string log = read_file(folder_ / "guided/train.log");
    EXPECT_THAT(log, HasSubstr(" align "));
    EXPECT_THAT(log, HasSubstr("train.align: "));
    EXPECT_THAT(read_file(folder_ / "plain/train.log"),
                HasSubstr("data.train.alignment is not used: training.guided_alignment is 0"));
    EXPECT_LT(error_of("guided"), 0.75 * error_of("plain"));
    std::filesystem::remove_all(folder_ / "guided");
    std::filesystem::remove_all(folder_ / "plain");
  }
}

TEST_F(GuidedTraining, TwoDirectionsMakeTheAlignmentsOfATraining) {
  // A reversal is its own reverse task, with source and target exchanged.
  const std::string one = "training.guided_alignment=0";
  EXPECT_EQ(train("forward", {one}, kRnn).status, 0);
  EXPECT_EQ(train("backward",
                  {one, "data.train.source=" + (folder_ / "train.tgt"),
                   "data.train.target=" + (folder_ / "train.src"), "data.train.alignment=\"\""},
                  kRnn)
                .status,
            0);
  AlignerByRule forward = aligner("forward"), backward = aligner("backward");
  inspect::SymmetrizedAligner both(forward, backward, study::Symmetrization::grow_diag_final_and);
  const auto links = both.align(text::read_pairs(folder_ / "train.src", folder_ / "train.tgt"), 0);
  EXPECT_THAT(links, SizeIs(400));
  std::string lines;
  for (const study::Alignment& line : links) lines += study::pharaoh(line) + "\n";
  folder_.write("own.align", lines);
  const Result result =
      train("guided", {"data.train.alignment=" + (folder_ / "own.align"), "training.updates=10"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(losses("guided"), SizeIs(1));
}

TEST_F(GuidedTraining, GoesOnWithTheSameAlignmentAlone) {
  const std::string steady = "training.schedule=constant";  // cosine depends on the end
  EXPECT_EQ(train("whole", {steady}).status, 0);
  EXPECT_EQ(train("parts", {steady, "training.updates=30"}).status, 0);
  const Result result = train("parts", {steady}, kGuidedTransformer, /*resume=*/true);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(read_file(folder_ / "whole/model.safetensors") ==
              read_file(folder_ / "parts/model.safetensors"));
  EXPECT_THAT(read_file(folder_ / "parts/provenance.json"), HasSubstr("train.align"));
  // Another file of this name, and another name.
  const std::string lines = read_file(folder_ / "train.align");
  folder_.write("train.align", lines.substr(lines.find('\n')));
  const Quiet quiet;
  const auto longer = [&](std::vector<std::string> settings) {
    settings.insert(settings.end(), {steady, "training.updates=70"});
    return train("parts", settings, kGuidedTransformer, /*resume=*/true);
  };
  expect_mistake(longer({}), {"train.align", "has changed since the run"});
  folder_.write("same.align", lines);
  expect_mistake(longer({"data.train.alignment=" + (folder_ / "same.align")}),
                 {"data.train", "fixed once a run has begun"});
}

TEST_F(GuidedTraining, WrongLinesAreNamedBeforeAnythingElseHappens) {
  const std::string lines = read_file(folder_ / "train.align"), path = folder_ / "train.align";
  const auto wrong = [&](const std::string& written, const std::vector<std::string>& parts) {
    folder_.write("train.align", written);
    expect_mistake(train("run"), parts);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "run"));
    // So says heed doctor.
    const auto look = [&] { data::check_hygiene(load_config(config("run"), settings({})).data); };
    expect_mistake(outcome_of(look), parts);
  };
  wrong("0-0 x\n" + lines, {path + ":1: 'x' is no alignment link; write i-j"});
  wrong(lines.substr(0, lines.find('\n') + 1) + "0-99\n", {path + ":2: link 0-99, but the target"});
  wrong(lines + "\n", {path + " has 401 lines, and its corpus has 400 pairs"});
  wrong("", {path + " has 0 lines"});
  std::filesystem::remove(path);
  expect_mistake(train("run"), {"train.align"});
}

TEST_F(GuidedTraining, WhatCannotBeTaughtIsRefusedByName) {
  const auto refused = [&](const std::vector<std::string>& settings,
                           const std::vector<std::string>& parts, const char* model) {
    expect_mistake(train("run", settings, model), parts);
  };
  refused({"data.train.alignment=\"\""},
          {"training.guided_alignment: no corpus has an alignment", "data.train.alignment"},
          kGuidedTransformer);
  refused({"training.taught_layer=2"}, {"training.taught_layer", "no layer 2"}, kGuidedTransformer);
  refused({"training.taught_layer=-3"}, {"training.taught_layer"}, kGuidedTransformer);
  refused({"training.taught_head=4"}, {"training.taught_head", "no head 4"}, kGuidedTransformer);
  refused({}, {"training.guided_alignment", "model.attention is none"}, kNone);
  refused({"model.attention=luong_general", "model.window=local_m"},
          {"training.guided_alignment", "local_m"}, kRnn);
  refused({"model.attention=luong_location", "model.max_positions=256"},
          {"training.guided_alignment", "luong_location", "data.max_length"}, kRnn);
  refused({"data.valid.alignment=" + (folder_ / "valid.align")},
          {"data.valid.alignment: only training corpora have an alignment"}, kGuidedTransformer);
}

}  // namespace
}  // namespace heed::run
