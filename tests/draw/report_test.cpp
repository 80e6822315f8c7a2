#include "draw/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "draw/page_data.h"
#include "draw/pages.h"
#include "draw/well_formed.h"

namespace heed::draw {
namespace {

using testing::AllOf;
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
  return {.metric = score::Metric::bleu,
          .name = "BLEU",
          .value = value,
          .signature = "nrefs:1|tok:13a"};
}

study::AttentionMatrix one_weight() {
  return {.words = true, .target = {"t"}, .source = {"s"}, .weights = {1}};
}

// Buckets of 1-10 and 21-30 words have sentences; those between and after are empty.
Report example() {
  Report report{.title = "Short & <long>", .introduction = "Two models."};
  report.lengths.buckets = {{.low = 1, .high = 10, .sentences = {0, 1}},
                            {.low = 11, .high = 20},
                            {.low = 21, .high = 30, .sentences = {2}},
                            {.low = 31}};
  report.lengths.all = {.low = 0, .sentences = {0, 1, 2}};
  report.lengths.baseline = "without attention";
  report.lengths.systems = {{"without attention",
                             {scored(80), std::nullopt, scored(15), std::nullopt},
                             scored(50),
                             overall(50)},
                            {"Bahdanau",
                             {scored(90, 80), std::nullopt, scored(60, 15), std::nullopt},
                             scored(75, 50),
                             overall(75)}};
  report.systems = {{.name = "without attention", .facts = {{"parameters", "3.05M"}}},
                    {.name = "Bahdanau",
                     .description = "a model with <attention>",
                     .facts = {{"alignment error", "7 %", "layer 1"}},
                     .scores = {overall(75)},
                     .attention_page = "b/attention.html"}};
  report.learning = Plot{.title = "Loss", .lines = {{"Bahdanau", {{0, 3}, {9, 1}}}}};
  const std::vector<score::SystemOutput> outputs = {{"without attention", {"", "", "a b x x"}},
                                                    {"Bahdanau", {"", "", "a b c d"}}};
  report.long_sentence = {report_sentence(2, "<source>", "a b c d e", outputs),
                          "The third one.",
                          {std::nullopt, one_weight()}};
  report.samples = {report_sentence(0, "short", "reference", outputs)};
  report.commands = {"heed bottleneck a.yaml && echo"};
  report.notes = {"2 threads", "2 threads"};
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

TEST(Report, LinksToAttentionPagesWhateverTheirSystemsAreCalled) {
  Report report = example();
  report.systems[1].attention_page = "lr:0.1 #2 50%/attention.html";
  EXPECT_EQ(occurrences(report_page(report), "<a href=\"lr%3A0.1%20%232%2050%25/attention.html\">"),
            2u);
}

TEST(Report, IsOneWholePageWithCurvesTablesAndPictures) {
  const std::string page = report_page(example());
  EXPECT_EQ(xml_fault(as_xml(page)), "");
  // BLEU by length and the loss in two forms, one vector and all states, one heatmap.
  EXPECT_EQ(occurrences(page, "<svg "), 7u);
  for (const char* part :
       {"<title>Short &amp; &lt;long&gt;</title>", "n = 2", "+45.0", "p &lt; 0.001",
        "88.0 \u2013 93.0", "3.05M", "test BLEU", "75.00", "a model with &lt;attention&gt;",
        "&lt;source&gt;", "nrefs:1|tok:13a", "heed bottleneck a.yaml &amp;&amp; echo",
        "<small class=\"note\">layer 1</small>", "<a href=\"b/attention.html\">Bahdanau</a>",
        "Bahdanau: cross-attention, layer 0, mean of heads"}) {
    EXPECT_THAT(page, HasSubstr(part));
  }
  EXPECT_EQ(occurrences(page, "2 threads"), 1u);
  for (const char* outside : {"https:", "http:", "src=", "<link", "<script", "@import"}) {
    std::string rest = page;
    for (std::size_t at; (at = rest.find("http://www.w3.org/2000/svg")) != std::string::npos;)
      rest.erase(at, 26);  // the name of SVG's namespace
    EXPECT_THAT(rest, Not(HasSubstr(outside)));
  }
}

TEST(Report, BeginsWithTheHeadlineAndTheCurve) {
  const std::string page = report_page(example());
  const std::size_t line = page.find("class=\"headline\""),
                    curve = page.find("BLEU by source length"), why = page.find("Why it happens"),
                    learning = page.find("How they learned"),
                    sentence = page.find("One long sentence"), table = page.find("The models and");
  EXPECT_LT(line, curve);
  EXPECT_LT(curve, why);
  EXPECT_LT(why, learning);
  EXPECT_LT(learning, sentence);
  EXPECT_LT(sentence, table);
}

TEST(Report, DescribesOnlyTheNumbersOfItsCells) {
  Report report = example();
  EXPECT_THAT(report_page(report),
              AllOf(HasSubstr("BLEU; below it the 95 % bootstrap interval, the "
                              "difference to \u201cwithout attention\u201d"),
                    HasSubstr("p-value")));
  for (score::SystemLengths& system : report.lengths.systems) {
    system.all.interval.reset();
    system.all.against_baseline.reset();
    for (auto& bucket : system.buckets)
      if (bucket) bucket = score::BucketScore{.bleu = bucket->bleu};
  }
  EXPECT_THAT(report_page(report), AllOf(HasSubstr("BLEU."), Not(HasSubstr("below it the 95 %")),
                                         Not(HasSubstr("p-value"))));
}

TEST(Report, HasNoEmptyBucket) {
  const std::string page = report_page(example());
  for (const char* absent : {"n = 0", "11-20</th>", "11-20<small>", "&gt; 30"})
    EXPECT_THAT(page, Not(HasSubstr(absent)));
}

TEST(Report, MarksTheWordsOfALongSentenceThatTheReferenceDoesNotHave) {
  const std::string page = report_page(example());
  EXPECT_THAT(page, HasSubstr("a b <mark>x x</mark>"));
  EXPECT_THAT(page, HasSubstr("2 words wrong, 3 missing"));
  EXPECT_THAT(page, HasSubstr("0 words wrong, 1 missing"));
  EXPECT_THAT(page, HasSubstr("No attention: there is nothing to show."));
}

TEST(Report, SaysOfWhichLengthsTheHeadlineIs) {
  EXPECT_EQ(headline(example().lengths),
            "From source sentences of 1 to 10 words to those of 21 to 30 words, the model without "
            "attention loses 65.0 BLEU (from 80.0 to 15.0); the model Bahdanau loses 30.0 (from "
            "90.0 to 60.0). (1 long sentence; p < 0.001, paired bootstrap)");
  score::LengthReport open = example().lengths;
  open.buckets[3].sentences = {2};
  for (score::SystemLengths& system : open.systems) system.buckets[3] = system.buckets[2];
  EXPECT_THAT(
      headline(open),
      HasSubstr(" to those of more than 30 words, the model without attention loses 65.0 "));
  score::LengthReport one = example().lengths;
  one.buckets[0].sentences.clear();
  EXPECT_THAT(headline(one), testing::StartsWith("BLEU on source sentences of 21 to 30 words: "
                                                 "without attention 15.0, Bahdanau 60.0. (1 long"));
  score::LengthReport alone = example().lengths;
  alone.baseline = "";
  EXPECT_EQ(headline(alone), "");
}

TEST(Report, WithoutExtrasHasNoEmptySections) {
  Report report = example();
  report.learning.reset();
  report.long_sentence.reset();
  report.samples.clear();
  report.commands.clear();
  const std::string page = report_page(report);
  EXPECT_EQ(xml_fault(as_xml(page)), "");
  for (const char* absent :
       {"How they learned", "One long sentence", "Sentences of other lengths", "<pre>"}) {
    EXPECT_THAT(page, Not(HasSubstr(absent)));
  }
}

TEST(Report, HasItsNumbersAsJsonForScripts) {
  Report report = example();
  report.systems[0].folder = "none";
  report.systems[1].facts.push_back({.name = "updates", .value = "1.2k", .number = 1234});
  const auto json = nlohmann::json::parse(report_json(report));
  EXPECT_EQ(json["title"], "Short & <long>");
  EXPECT_EQ(json["headline"], headline(report.lengths));
  EXPECT_EQ(json["baseline"], "without attention");
  EXPECT_EQ(json["unit"], "words");
  ASSERT_EQ(json["buckets"].size(), 4U);
  EXPECT_EQ(json["buckets"][0],
            nlohmann::json::parse(R"({"low": 1, "high": 10, "sentences": 2, "source_words": 0})"));
  EXPECT_TRUE(json["buckets"][3]["high"].is_null());
  ASSERT_EQ(json["systems"].size(), 2U);
  const auto &without = json["systems"][0], &with = json["systems"][1];
  EXPECT_EQ(without["name"], "without attention");
  EXPECT_EQ(without["folder"], "none");
  EXPECT_TRUE(without["attention_page"].is_null());
  EXPECT_EQ(with["attention_page"], "b/attention.html");
  ASSERT_EQ(with["lengths"].size(), 4U);
  EXPECT_TRUE(with["lengths"][1].is_null());
  EXPECT_EQ(with["lengths"][2]["bleu"], 60.0);
  EXPECT_EQ(with["lengths"][2]["interval"], (std::vector<double>{58, 63}));
  EXPECT_EQ(with["lengths"][2]["against_baseline"],
            nlohmann::json::parse(
                R"({"difference": 45.0, "interval": [1.0, 2.0], "wins": 1.0, "p": 0.0005})"));
  EXPECT_TRUE(without["lengths"][2]["against_baseline"].is_null());
  EXPECT_EQ(with["all"]["bleu"], 75.0);
  EXPECT_EQ(with["scores"][0]["name"], "BLEU");
  EXPECT_EQ(with["scores"][0]["value"], 75.0);
  EXPECT_EQ(with["facts"][0]["text"], "7 %");
  EXPECT_EQ(with["facts"][0]["note"], "layer 1");
  EXPECT_TRUE(with["facts"][0]["value"].is_null());
  EXPECT_EQ(with["facts"][1]["value"], 1234);
  const auto& line = json["learning"]["lines"][0];
  EXPECT_EQ(line["system"], "Bahdanau");
  EXPECT_EQ(line["set"], "train");
  EXPECT_EQ(line["points"], nlohmann::json::parse("[[0.0, 3.0], [9.0, 1.0]]"));
  EXPECT_EQ(json["long_sentence"]["line"], 3);
  EXPECT_EQ(json["long_sentence"]["translations"][1]["text"], "a b c d");
  EXPECT_EQ(json["long_sentence"]["translations"][1]["chrf2"],
            report.long_sentence->sentence.translations[1].chrf);
  EXPECT_EQ(json["samples"][0]["source"], "short");
  EXPECT_EQ(json["commands"], (std::vector<std::string>{"heed bottleneck a.yaml && echo"}));
  EXPECT_EQ(json["notes"].back(), "2 threads");
}

TEST(Report, JsonOfWhatIsNotThereIsNull) {
  Report report = example();
  report.learning.reset();
  report.long_sentence.reset();
  report.samples.clear();
  report.lengths.baseline = "";
  report.lengths.systems[0].all.interval.reset();
  report.lengths.systems[0].all.bleu.score = std::numeric_limits<double>::quiet_NaN();
  const auto json = nlohmann::json::parse(report_json(report));
  for (const char* key : {"learning", "long_sentence", "baseline"})
    EXPECT_TRUE(json[key].is_null()) << key;
  EXPECT_TRUE(json["samples"].empty());
  EXPECT_TRUE(json["systems"][0]["all"]["interval"].is_null());
  EXPECT_TRUE(json["systems"][0]["all"]["bleu"].is_null());
}

TEST(Report, JsonOfBytesThatAreNoTextIsValid) {
  Report report = example();
  report.samples[0].source = "a\xFF<\n";
  EXPECT_EQ(nlohmann::json::parse(report_json(report))["samples"][0]["source"], "a\uFFFD<\n");
}

TEST(BottleneckDrawing, ReadsEveryStateOnceWithAttention) {
  const std::string one = render("one_vector.html", {}), all = render("all_states.html", {});
  EXPECT_EQ(xml_fault(one), "");
  EXPECT_EQ(xml_fault(all), "");
  EXPECT_EQ(occurrences(all, "<path d="), 6u);
  EXPECT_EQ(occurrences(one, "<path d="), 0u);
}

}  // namespace
}  // namespace heed::draw
