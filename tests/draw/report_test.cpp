#include "draw/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "draw/well_formed.h"

namespace heed::draw {
namespace {

using testing::HasSubstr;
using testing::Not;

score::BucketScore scored(double bleu, std::optional<double> against = {}) {
  score::BucketScore score{.bleu = {.score = bleu},
                           .interval = score::Interval{bleu - 2, bleu + 3}};
  if (against) {
    score.against_baseline = score::Comparison{
        .difference = bleu - *against, .interval = {1, 2}, .wins = 1, .p_value = 0.0005};
  }
  return score;
}

score::Score overall(double value) {
  return {.metric = "bleu", .name = "BLEU", .value = value, .signature = "nrefs:1|tok:13a"};
}

Report example() {
  Report report{.title = "Short & <long>", .introduction = "Two models."};
  report.lengths.buckets = {{.low = 1, .high = 10, .sentences = {0, 1}},
                            {.low = 11, .high = 20, .sentences = {2}},
                            {.low = 21}};
  report.lengths.all = {.low = 0, .sentences = {0, 1, 2}};
  report.lengths.baseline = "none";
  report.lengths.systems = {
      {"none", {scored(80), scored(20), std::nullopt}, scored(50), overall(50)},
      {"gru", {scored(90, 80), scored(60, 20), std::nullopt}, scored(75, 50), overall(75)}};
  report.systems = {
      {.name = "none", .facts = {{"parameters", "3.05M"}}},
      {.name = "gru",
       .description = "Bahdanau's",
       .facts = {{"minutes", "7"}},
       .scores = {overall(75)},
       .attention = study::AttentionMatrix{.target = {"t"}, .source = {"s"}, .weights = {1}}}};
  report.samples = {{"<source>", "reference", {{"gru", "translation"}}}};
  report.commands = {"heed bottleneck a.yaml && echo"};
  report.notes = {"2 threads"};
  return report;
}

// The document without what is not XML about it.
std::string as_xml(std::string page) {
  page.erase(0, page.find("<html"));
  for (const std::string tag :
       {"<meta charset=\"utf-8\">",
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"}) {
    page.erase(page.find(tag), tag.size());
  }
  return page;
}

TEST(Report, IsOneWholePageWithCurveTableAndPictures) {
  const std::string page = report_page(example());
  EXPECT_EQ(xml_fault(as_xml(page)), "");
  EXPECT_EQ(occurrences(page, "<svg "), 2u);
  for (const char* part :
       {"<title>Short &amp; &lt;long&gt;</title>", "n = 2", "&gt; 20", "+40.0", "p &lt; 0.001",
        "88.0 \u2013 93.0", "3.05M", "test BLEU", "75.00", "Bahdanau&#39;s", "&lt;source&gt;",
        "translation", "nrefs:1|tok:13a", "heed bottleneck a.yaml &amp;&amp; echo", "2 threads",
        "cross-attention, layer 0, mean of heads"}) {
    EXPECT_THAT(page, HasSubstr(part));
  }
  for (const char* outside : {"https:", "src=", "<link", "<script", "url("}) {
    EXPECT_THAT(page, Not(HasSubstr(outside)));
  }
}

TEST(Report, SaysInOneSentenceWhatTheLongestBucketShows) {
  EXPECT_EQ(headline(example().lengths),
            "On the longest sentences (11-20 words), none reaches 20.0 BLEU and gru 60.0 "
            "(p < 0.001, paired bootstrap).");
  score::LengthReport alone = example().lengths;
  alone.baseline = "";
  EXPECT_EQ(headline(alone), "");
}

TEST(Report, WithoutExtrasHasNoEmptySections) {
  Report report = example();
  report.systems[1].attention.reset();
  report.samples.clear();
  report.commands.clear();
  const std::string page = report_page(report);
  EXPECT_EQ(xml_fault(as_xml(page)), "");
  for (const char* absent : {"Where they look", "Sample translations", "<pre>"}) {
    EXPECT_THAT(page, Not(HasSubstr(absent)));
  }
}

}  // namespace
}  // namespace heed::draw
