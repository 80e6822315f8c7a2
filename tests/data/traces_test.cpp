#include "data/traces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "data/hygiene.h"
#include "data/pair_reader.h"
#include "message.h"
#include "temporary_folder.h"

namespace heed::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Names and lines of what pairs have whose targets are "x".
std::vector<std::string> traces(const std::vector<std::string>& sources,
                                const std::string& target = "x") {
  Traces found;
  for (std::size_t i = 0; i < sources.size(); ++i)
    found.add({.number = static_cast<int64_t>(i) + 1, .source = sources[i], .target = target});
  std::vector<std::string> out;
  for (const auto& [name, notice] : found.by_name())
    if (notice.count > 0) out.push_back(name + " " + notice.text());
  return out;
}

TEST(Traces, SoundTextHasNone) {
  EXPECT_THAT(
      traces({"A & B; C", "5 > 3, \"well\" - ok", "a --> b", "me@@home", "AT&T;", "R&D; x"}),
      IsEmpty());
}

TEST(Traces, OfOtherProgramsAreFound) {
  EXPECT_THAT(traces({"it &apos;s well @-@ known", "plain"}),
              ElementsAre("moses 1 (line 1)", "entities 1 (line 1)"));
  EXPECT_THAT(traces({"a &amp; b", "a &#8211; b", "&#x2019;"}),
              ElementsAre("entities 3 (lines 1, 2, 3)"));
  EXPECT_THAT(traces({"lo@@ west", "new@@"}), ElementsAre("bpe 2 (lines 1, 2)"));
  EXPECT_THAT(traces({"plain", "\u2581lo west"}), ElementsAre("sentencepiece 1 (line 2)"));
  EXPECT_THAT(traces({"1", "00:00:12,345 --> 00:00:15,000"}), ElementsAre("subtitles 1 (line 2)"));
}

TEST(Traces, MarksOfPiecesBelongToCutText) {
  Traces found(/*is_cut=*/true);
  found.add({.number = 1, .source = "lo@@ west &amp;", .target = "x"});
  EXPECT_THAT(found.text(), ElementsAre(HasSubstr("HTML entities")));
}

TEST(Traces, QuotesCountAroundMostSides) {
  EXPECT_THAT(traces({"\"a\"", "\"b\"", "c"}, "\"x\""), ElementsAre("quotes 2 (lines 1, 2)"));
  EXPECT_THAT(traces({"\"a\"", "b"}, "\"x\""), IsEmpty());
  EXPECT_THAT(traces({"\"a\"", "\"b\""}), IsEmpty());
}

TEST(Traces, NamesOfLinesCountBeforeMostPairs) {
  const auto names = [](const std::vector<std::pair<std::string, std::string>>& pairs) {
    Traces found;
    for (std::size_t i = 0; i < pairs.size(); ++i)
      found.add({.number = static_cast<int64_t>(i) + 1,
                 .source = pairs[i].first,
                 .target = pairs[i].second,
                 .links = {}});
    return found.text();
  };
  EXPECT_THAT(
      names({{"1. a", "1. x"}, {"2. b", "2. y"}, {"c", "z"}}),
      ElementsAre("names or numbers of lines, with which both sides begin; `sed -E "
                  "'s/(^|\\t)[^ \\t]+ +/\\1/g' < OLD > NEW` leaves them out: 2 (lines 1, 2)"));
  EXPECT_THAT(names({{"utt01 a", "utt01 x"}}), ElementsAre(HasSubstr("names or numbers")));
  EXPECT_THAT(names({{"<2de> a", "<2de> x"}, {"<2de> b", "<2de> y"}}), IsEmpty());
  EXPECT_THAT(names({{"1. a", "2. x"}, {"12", "12"}, {"3 c", "3c z"}}), IsEmpty());
  EXPECT_THAT(names({{"Paris 1", "Paris 1"}, {"2 b", "2 y"}}), IsEmpty());
}

TEST(Traces, SidesWithoutLettersCountInMostPairs) {
  Traces found;
  found.add({.number = 1, .source = "1", .target = "2", .links = {}});
  found.add({.number = 2, .source = "3", .target = "4", .links = {}});
  found.add({.number = 3, .source = "\u4E09", .target = "5", .links = {}});
  EXPECT_THAT(found.text(), ElementsAre(HasSubstr("name the texts: 2 (lines 1, 2)")));
  EXPECT_THAT(traces({"1", "2"}), IsEmpty());
}

TEST(Traces, ColumnNamesCountInTheFirstLine) {
  EXPECT_THAT(traces({"German", "a"}, "en"), ElementsAre("header 1 (line 1)"));
  EXPECT_THAT(traces({"a", "German"}, "en"), IsEmpty());
  EXPECT_THAT(traces({"German"}), IsEmpty());
}

TEST(Traces, AHeaderOfWhichTheUserKnowsIsForgotten) {
  Traces found;
  found.add({.number = 1, .source = "source", .target = "target", .links = {}});
  found.add({.number = 2, .source = "&amp;", .target = "x", .links = {}});
  EXPECT_EQ(found.text().size(), 2U);
  found.forget_header();
  EXPECT_THAT(found.text(), ElementsAre(HasSubstr("html.unescape of Python: 1 (line 2)")));
}

TEST(Traces, DecomposedLettersCountBesideComposedOnes) {
  EXPECT_THAT(traces({"fu\u0308r", "für"}), ElementsAre("decomposed 1 (line 1)"));
  EXPECT_THAT(traces({"fu\u0308r", "fur"}), IsEmpty());
}

TEST(Traces, BlanksOfOtherKindsCountWhereWordsAreLinked) {
  Traces found;
  found.add({.number = 1, .source = "5\u00A0kg", .target = "x", .links = {}});
  found.add({.number = 2, .source = "5\u00A0kg", .target = "x", .links = {{0, 0}}});
  EXPECT_THAT(found.text(), ElementsAre(HasSubstr("is aligned: 1 (line 2)")));
}

TEST(NoCorpus, IsRefusedWithItsName) {
  const TemporaryFolder folder;
  DataConfig config;
  CorpusFiles files;
  files.source = folder.write("a.de", "eins\n");
  files.target = folder.write("a.en", "<!doctype html>\n");
  config.train = {files};
  EXPECT_EQ(message_of<UserError>([&] { check_hygiene(config); }),
            files.target + ": a page of HTML, not the text; fetch the file itself");
}

}  // namespace
}  // namespace heed::data
