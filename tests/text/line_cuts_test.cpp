#include "text/line_cuts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace heed::text {
namespace {

using testing::ElementsAre, testing::IsEmpty;

/// Texts as they stand, symbols by their ids.
std::vector<std::string> parts(const LineCuts& cuts, const std::string& line) {
  std::vector<std::string> out;
  for (const LineCuts::CutPart& part : cuts.parts_of(line))
    out.push_back(part.symbol < 0 ? "'" + std::string(part.text) + (part.keeps_blank ? "'_" : "'")
                                  : std::to_string(part.symbol));
  return out;
}

TEST(LineCuts, TakeTheLeftmostAndLongestSymbol) {
  LineCuts cuts;
  EXPECT_TRUE(cuts.empty());
  const SymbolCut anywhere{.place = SymbolPlace::anywhere};
  cuts.add("ab", 1, anywhere);
  cuts.add("abc", 2, anywhere);
  cuts.add("bcd", 3, anywhere);
  EXPECT_FALSE(cuts.empty());
  EXPECT_THAT(parts(cuts, "xabcdab"), ElementsAre("'x'", "2", "'d'", "1"));
  EXPECT_THAT(parts(cuts, "abab"), ElementsAre("1", "1"));
  EXPECT_THAT(parts(cuts, "bcbcd "), ElementsAre("'bc'", "3", "' '"));
  EXPECT_THAT(parts(cuts, "none"), ElementsAre("'none'"));
  EXPECT_THAT(parts(cuts, ""), IsEmpty());
}

TEST(LineCuts, DropBlanksAsTheSymbolSays) {
  LineCuts cuts;
  cuts.add("L", 1, {.place = SymbolPlace::anywhere, .drops_left = true});
  cuts.add("R", 2, {.place = SymbolPlace::anywhere, .drops_right = true});
  cuts.add("K", 3, {.place = SymbolPlace::anywhere, .keeps_blank = true});
  EXPECT_THAT(parts(cuts, "a L b R c K d"),
              ElementsAre("'a'", "1", "' b '", "2", "'c '_", "3", "' d'"));
  EXPECT_THAT(parts(cuts, " L R "), ElementsAre("1", "' '", "2"));
}

TEST(LineCuts, FindSomeSymbolsOnlyWhereAPartBegins) {
  LineCuts cuts;
  cuts.add("<x>", 1, {.place = SymbolPlace::anywhere});
  cuts.add(">a<", 2, {.place = SymbolPlace::first});
  cuts.add(">b<", 3, {.place = SymbolPlace::nowhere});
  EXPECT_THAT(parts(cuts, ">a<b"), ElementsAre("2", "'b'"));
  EXPECT_THAT(parts(cuts, ">a<>a<"), ElementsAre("2", "'>a<'"));
  EXPECT_THAT(parts(cuts, "<x>>a<>b<"), ElementsAre("1", "2", "'>b<'"));
  EXPECT_THAT(parts(cuts, "b >a<"), ElementsAre("'b >a<'"));
}

}  // namespace
}  // namespace heed::text
