#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "draw/pages.h"
#include "draw/well_formed.h"

namespace heed::draw {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

study::AttentionMatrix row(study::AttentionKind kind, int64_t head, float x, float y, float z) {
  return {.kind = kind,
          .layer = 0,
          .head = head,
          .target = {"\u2581a", "</s>"},
          .source = {"\u2581x", "\u2581y", "\u2581z", "</s>"},
          .weights = {x, y, z, 0, 0, 0, 0, 1}};
}

/// Heads that rank the pieces as saliency and erasure do, and move the output so far; and their
/// mean, if that is wanted.
std::string page_of(const std::vector<double>& moved, bool gold = false, double mean = -1) {
  const std::vector<study::AttentionMatrix> evidence = {
      row(study::AttentionKind::saliency, -1, .5f, .3f, .2f),
      row(study::AttentionKind::erasure, -1, .5f, .3f, .2f)};
  std::vector<study::AttentionMatrix> attention;
  std::vector<study::PermutedHead> permuted;
  for (std::size_t head = 0; head < moved.size(); ++head) {
    attention.push_back(
        row(study::AttentionKind::cross, static_cast<int64_t>(head), .5f, .3f, .2f));
    permuted.push_back({0, static_cast<int64_t>(head), moved[head]});
  }
  if (mean >= 0) {
    attention.push_back(row(study::AttentionKind::cross, -1, .5f, .3f, .2f));
    permuted.push_back({0, -1, mean});
  }
  const study::GoldAlignment links{.sure = {{0, 0}}, .possible = {{0, 0}}};
  study::FaithfulReport report;
  report.add({attention, evidence, permuted, gold ? &links : nullptr}, "here");
  return faithful_page(report, "a <model>", {"3 < 4 sentences"});
}

TEST(FaithfulPage, SaysWhichHeadsMayBeBelieved) {
  EXPECT_THAT(
      page_of({.2, .01, .3, .01}),
      AllOf(HasSubstr("2 of 4 heads may be believed: layer 0, head 0; layer 0, head 2."),
            HasSubstr("2 heads agree with saliency and erasure, but the output hardly moves"),
            HasSubstr("Which pictures of a &lt;model&gt; may be believed"),
            HasSubstr("3 &lt; 4 sentences"), Not(HasSubstr("AER"))));
  EXPECT_THAT(page_of({.01, .01}), HasSubstr("None of the 2 heads may be believed."));
  EXPECT_THAT(page_of({.1, .1, .1}), HasSubstr("All 3 heads may be believed."));
  EXPECT_THAT(page_of({.1}), HasSubstr("The attention may be believed."));
  EXPECT_THAT(page_of({.01}), AllOf(HasSubstr("The attention may not be believed."),
                                    HasSubstr("1 head agrees with saliency")));
  EXPECT_THAT(page_of({}), HasSubstr("no attention"));
  std::vector<double> many(11, .1);
  many.push_back(.01);
  EXPECT_THAT(page_of(many), HasSubstr("layer 0, head 7; and 3 more."));
}

TEST(FaithfulPage, SaysWhichLayersMayBeBelievedAndWhatAligns) {
  EXPECT_THAT(page_of({.2, .2, .01}, false, .2),
              HasSubstr("2 of 3 heads may be believed: layer 0, head 0; layer 0, head 1. So may "
                        "layer 0, mean of heads."));
  EXPECT_THAT(page_of({.01, .01}, false, .2),
              HasSubstr("No head by itself may be believed, but layer 0, mean of heads."));
  EXPECT_THAT(page_of({.01, .01}, true, .01),
              AllOf(HasSubstr("Which words translate each other is shown by layer 0, head 0 (AER "
                              "0.0 %). As an explanation of the output no head is enough."),
                    Not(HasSubstr("None of"))));
}

// Orders of fewer than three pieces are not compared.
TEST(FaithfulPage, GivesNoVerdictOnSentencesOfTwoPieces) {
  const auto of_two = [](study::AttentionKind kind, int64_t head) {
    return study::AttentionMatrix{.kind = kind,
                                  .layer = 0,
                                  .head = head,
                                  .target = {"\u2581a", "</s>"},
                                  .source = {"\u2581x", "</s>"},
                                  .weights = {1, 0, 0, 1}};
  };
  const std::vector<study::AttentionMatrix> attention = {of_two(study::AttentionKind::cross, 0),
                                                         of_two(study::AttentionKind::cross, 1)},
                                            evidence = {of_two(study::AttentionKind::saliency, -1),
                                                        of_two(study::AttentionKind::erasure, -1)};
  const std::vector<study::PermutedHead> permuted = {{0, 0, .2}, {0, 1, .01}};
  study::FaithfulReport report;
  report.add({attention, evidence, permuted, nullptr}, "here");
  EXPECT_THAT(faithful_page(report, "m", {}),
              AllOf(HasSubstr("The sentences are too short to tell which heads may be believed."),
                    Not(HasSubstr("neither")), Not(HasSubstr("moves, agrees less")),
                    Not(HasSubstr("than these with each other"))));
}

TEST(FaithfulPage, BarsAreAsLongAsTheNumbers) {
  const std::string page = page_of({.2, .1}, /*gold=*/true);
  // Tau is 1 everywhere, and the largest number of the last column .2, on 96 pixels.
  EXPECT_THAT(page, AllOf(HasSubstr("<rect class=\"value\" x=\"0\" y=\"2\" width=\"96\""),
                          HasSubstr("<rect class=\"value\" x=\"0\" y=\"2\" width=\"48\""),
                          HasSubstr("0.100"), HasSubstr("AER")));
  const auto begin = page.find("<body>"), end = page.find("</body>");
  EXPECT_EQ(xml_fault(page.substr(begin, end + 7 - begin)), "");
}

}  // namespace
}  // namespace heed::draw
