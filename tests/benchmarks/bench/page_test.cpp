#include "benchmarks/bench/page.h"

#include <gtest/gtest.h>

namespace heed::bench {
namespace {

TEST(ExperimentsPage, ShowsEveryTableAndPicture) {
  const std::string page = experiments_page(
      "Costs & more",
      {{"attention <cost>", {{"n", "<ms>"}, {{"128", "< 7"}}}, {"<svg>one</svg>"}}, {"b", {}, {}}});
  EXPECT_NE(page.find("<title>Costs &amp; more</title>"), std::string::npos);
  EXPECT_NE(page.find("<h2 id=\"e1\">attention &lt;cost&gt;</h2>"), std::string::npos);
  EXPECT_NE(page.find("<svg>one</svg>"), std::string::npos);
  EXPECT_NE(page.find(">128</th><td data-name=\"&lt;ms&gt;\">&lt; 7</td>"), std::string::npos);
  EXPECT_NE(page.find("href=\"#e2\""), std::string::npos);
}

TEST(ExperimentsPage, BeginsEachTableWithWhatToRemember) {
  const std::string page = experiments_page(
      "Experiments",
      {{"attention_cost",
        {{"attention", "length", "seconds", "mib"},
         {{"softmax", "64", "9", "1"},
          {"softmax", "256", "0.6", "1"},
          {"linear", "256", "0.2", "1"},
          {"softmax", "exponent", "1.9", "2"}}},
        {}},
       {"training",
        {{"system", "parameters", "tokens_per_s"}, {{"rnn", "5", "300"}, {"big", "7", "120"}}},
        {}},
       {"translation",
        {{"weights", "batch", "beam", "sentences_per_second"},
         {{"fp32", "1", "5", "8"}, {"int8", "32", "5", "20"}}},
        {}},
       {"one", {{"system", "tokens_per_s"}, {{"rnn", "300"}}}, {}},
       {"other", {{"a", "b"}, {{"1", "2"}}}, {}}});
  for (const char* const sentence :
       {"At length 256, softmax takes 3.0 times as long as linear.",
        "rnn is fastest: 300 tokens per s, 2.5 times as many as big.",
        "int8, batch 32 is fastest: 20 sentences per second, 2.5 times as many as fp32, batch 1.",
        "rnn: 300 tokens per s."})
    EXPECT_NE(page.find("<p class=\"headline\">" + std::string(sentence) + "</p>"),
              std::string::npos)
        << sentence;
  std::size_t count = 0;
  for (std::size_t at = 0; (at = page.find("<p class=\"headline\">", at)) != std::string::npos;
       ++at)
    ++count;
  EXPECT_EQ(count, 4);
}

// Other tables of the folder are shown, too, whatever is in them.
TEST(ExperimentsPage, TextStaysText) {
  const std::string markup = "</h2><script>alert(1)</script>\" onload='x' {{name}} {{> a}}";
  const std::string page =
      experiments_page(markup, {{markup, {{markup, "b"}, {{markup, "a&b"}}}, {}}});
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find("\" onload"), std::string::npos);
  EXPECT_NE(page.find("&lt;/h2&gt;&lt;script&gt;alert(1)"), std::string::npos);
  EXPECT_NE(page.find("{{name}}"), std::string::npos);
}

}  // namespace
}  // namespace heed::bench
