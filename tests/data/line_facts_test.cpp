#include "data/line_facts.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/random.h"
#include "data/hash_set.h"

namespace heed::data {
namespace {

using text::Script;

TEST(LineFacts, LinesThatDifferInBlanksAloneAreTheSame) {
  const uint64_t hash = facts_of("Ein Mann fährt.").hash;
  EXPECT_EQ(facts_of("  Ein\t Mann\u00A0fährt.\u3000").hash, hash);
  for (const char* other : {"ein Mann fährt.", "Ein Mannfährt.", "Ein Mann fährt",
                            "Mann Ein fährt.", "Ein Mann fa\u0308hrt.", ""})
    EXPECT_NE(facts_of(other).hash, hash) << other;
}

TEST(LineFacts, HashesTellLinesOfEveryLengthApart) {
  std::set<uint64_t> hashes;
  std::string line;
  for (int i = 0; i < 33; ++i) {
    hashes.insert(facts_of(line).hash);
    line += 'a';
  }
  for (const char* one : {"b", "ab", "aaaaaaab", "baaaaaaa", "aaaaaaaab"})
    hashes.insert(facts_of(one).hash);
  EXPECT_EQ(hashes.size(), 38U);
}

TEST(LineFacts, APairIsTheSameInItsOrderAlone) {
  const LineFacts a = facts_of("a"), b = facts_of("b");
  EXPECT_EQ((PairFacts{a, b}.hash()), (PairFacts{facts_of(" a"), facts_of("b ")}.hash()));
  EXPECT_NE((PairFacts{a, b}.hash()), (PairFacts{b, a}.hash()));
  EXPECT_NE((PairFacts{a, a}.hash()), (PairFacts{b, b}.hash()));
}

TEST(LineFacts, CharactersAreCountedWithoutBlanks) {
  EXPECT_EQ(facts_of(" ä b\u2003🚲 ").characters, 3);
  EXPECT_TRUE(facts_of(" \t\u00A0").blank());
  EXPECT_FALSE(facts_of(".").blank());
}

TEST(LineFacts, TheScriptIsThatOfMoreThanHalfOfTheLetters) {
  EXPECT_EQ(facts_of("Der DAX fiel um 3,5 %.").script, Script::latin);
  EXPECT_EQ(facts_of("Индекс DAX упал.").script, Script::cyrillic);
  EXPECT_EQ(facts_of("DAX упал в NYSE").script, Script::latin);
  EXPECT_EQ(facts_of("ab жд").script, Script::none);  // two of four
  EXPECT_EQ(facts_of("1.234 – 5!").script, Script::none);
  EXPECT_EQ(facts_of("老人在看报纸。").script, Script::han_and_kana);
}

TEST(LineFacts, TextThatWasReadInAnotherEncodingIsDamaged) {
  for (const char* line :
       {"f\uFFFDr", "fÃ¼r dich", "Ã„rger", "ZoÃ«", "Ã©tÃ©", "Â°C", "Â«\u00A0ouiÂ\u00A0Â»", "itâ€™s",
        "â€œsoâ€\u009D", "Ð¡Ð¾Ð±Ð°ÐºÐ°", "Î±Î²Î³", "10 â‚¬", "dziÄ™kujÄ™", "byÅ‚o Å¼al", "Ä±ÅŸÄ±k",
        // Windows-1252 that was read as Latin-1.
        "It\u0092s", "10 \u0080"})
    EXPECT_TRUE(facts_of(line).damaged) << line;
  for (const char* line : {"für dich",
                           "AMANHÃ”",
                           "«AMANHÃ»",
                           "la letra «Ñ»",
                           "“Ã”",
                           "NÃO",
                           "«\u00A0voilà\u00A0»",
                           "été",
                           "château",
                           "„Spaß“",
                           "Ðe",
                           "Île",
                           "10 €",
                           "Собака",
                           "αβγ",
                           "老人",
                           "LÃO",
                           "TÔI ĐÃ…",
                           "Å… Å… nei",
                           "Ä–Ö, Å–Ä",
                           "Å\u00A0ja Å\u00A0nei",
                           "Ärger und Öl",
                           "a\u0085b"})
    EXPECT_FALSE(facts_of(line).damaged) << line;
}

TEST(HashSet, KnowsWhatWasInserted) {
  HashSet set;
  EXPECT_FALSE(set.contains(64));
  uint64_t state = 3;
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(set.insert(splitmix64(state)));
  EXPECT_EQ(set.size(), 1000U);
  state = 3;
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(set.insert(splitmix64(state)));
  EXPECT_TRUE(set.insert(0));
  EXPECT_FALSE(set.insert(0));
  for (uint64_t near = 64; near < 640; near += 64) EXPECT_TRUE(set.insert(near));  // one slot
  for (uint64_t near = 64; near < 640; near += 64) EXPECT_FALSE(set.insert(near));
  for (uint64_t near = 64; near < 640; near += 64) EXPECT_TRUE(set.contains(near));
  EXPECT_FALSE(set.contains(640));
}

}  // namespace
}  // namespace heed::data
