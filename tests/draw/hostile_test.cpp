// Text that would be markup, script or its end stays text on every page and picture.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "draw/heatmap.h"
#include "draw/pages.h"
#include "draw/plot.h"
#include "draw/report.h"
#include "draw/well_formed.h"

namespace heed::draw {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kMarkup = "</script><b>&quot;<!--]]>\"'";
const std::string kEscaped = "&lt;/script&gt;&lt;b&gt;&amp;quot;&lt;!--]]&gt;&quot;&#39;";

/// Characters that a sentence may hold, and that XML forbids or that need care: C0, DEL, U+FFFE,
/// half a surrogate, broken UTF-8.
const std::vector<std::string> kTexts = {kMarkup,
                                         "\u2028javascript:run()\u0085",
                                         std::string("\0\x01\x0B\x1F\x7F", 5),
                                         "\xEF\xBF\xBE\xEF\xBF\xBF",
                                         "\xED\xA0\x80\xFF",
                                         "<svg/onload=run()>"};

study::AttentionMatrix hostile_matrix() {
  const std::size_t size = kTexts.size();
  return {.kind = study::AttentionKind::cross,
          .target = kTexts,
          .source = kTexts,
          .weights = std::vector<float>(size * size, 1 / static_cast<float>(size))};
}

void expect_inert(const std::string& page) {
  EXPECT_THAT(page, HasSubstr(kEscaped));
  for (const char* markup : {"<b>", "<!--", "<svg/", "</script><"})
    EXPECT_THAT(page, Not(HasSubstr(markup)));
  for (const char* forbidden : {"\xEF\xBF\xBE", "\xEF\xBF\xBF", "\xED\xA0\x80", "\x7F", "\xFF"})
    EXPECT_THAT(page, Not(HasSubstr(forbidden)));
}

TEST(HostileText, StaysTextInPictures) {
  const study::AttentionMatrix matrix = hostile_matrix();
  const Plot curve = {.title = kMarkup,
                      .x_label = kTexts[2],
                      .y_label = kTexts[3],
                      .lines = {{.name = kMarkup, .points = {{0, 1}, {1, 2}}}},
                      .ticks = {kMarkup, kTexts[4]},
                      .notes = {kMarkup, kTexts[5]}};
  for (const std::string& svg :
       {draw_heatmap(matrix, kMarkup), draw_heatmap_grid({&matrix, 1}), draw_plot(curve)}) {
    EXPECT_EQ(xml_fault(svg), "");
    expect_inert(svg);
  }
}

TEST(HostileText, StaysTextInTheReport) {
  Report report{.title = kMarkup, .introduction = kMarkup};
  report.lengths.buckets = {{.sentences = {0}}};
  report.lengths.baseline = kMarkup;
  report.lengths.systems = {{.name = kMarkup,
                             .buckets = {std::nullopt},
                             .overall = {.name = kMarkup, .signature = kMarkup}}};
  report.lengths.warnings = {kMarkup};
  report.systems = {{.name = kMarkup,
                     .description = kMarkup,
                     .facts = {{kMarkup, kTexts[2]}},
                     .scores = {{.name = kMarkup, .signature = kTexts[3]}},
                     .attention_page = kMarkup}};
  report.learning = Plot{.title = kMarkup, .lines = {{kMarkup, {{1, 2}, {3, 4}}}}};
  const std::vector<score::SystemOutput> outputs = {{kMarkup, {kTexts[4]}}};
  report.samples = {report_sentence(0, kTexts[0], kTexts[1], outputs)};
  report.long_sentence = {report.samples[0], kTexts[2], {hostile_matrix()}};
  report.commands = kTexts;
  report.notes = kTexts;
  const std::string page = report_page(report);
  expect_inert(page.substr(page.find("<body>")));
  EXPECT_EQ(xml_fault(page.substr(page.find("<body>"), page.find("</html>") - page.find("<body>"))),
            "");
}

TEST(HostileText, EndsNoScriptOfTheAttentionPage) {
  const study::AttentionMatrix matrix = hostile_matrix();
  const std::string page = attention_page({&matrix, 1}, kMarkup);
  EXPECT_EQ(occurrences(page, "</script>"), 2U);
  EXPECT_EQ(occurrences(page, "<!--"), 1U);
  EXPECT_EQ(occurrences(page, "<b>"), 0U);
  EXPECT_EQ(occurrences(page, kEscaped), 2U);  // title and heading
}

TEST(HostileText, EndsNoScriptOfTheServersPage) {
  const std::string page = play_page(std::vector<PlayedModel>{{kMarkup, kMarkup, kMarkup}});
  EXPECT_EQ(occurrences(page, "</script>"), 2U);
  EXPECT_EQ(occurrences(page, "<!--"), 1U);
  EXPECT_EQ(occurrences(page, "<b>"), 0U);
  EXPECT_EQ(occurrences(page, kEscaped), 2U);
}

}  // namespace
}  // namespace heed::draw
