// Numbers that are the same however they are written, and numbers that are not.
#include "study/numbers.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace heed::study {
namespace {

using Pairs = std::vector<std::pair<const char*, const char*>>;

void expect_difference(bool differ, const Pairs& pairs) {
  for (const auto& [source, target] : pairs) {
    EXPECT_EQ(differ_in_numbers(source, target), differ) << source << " | " << target;
    EXPECT_EQ(differ_in_numbers(target, source), differ) << target << " | " << source;
  }
}

TEST(Numbers, AreTheSameHoweverDigitsAreGrouped) {
  expect_difference(false, {{"1 000 000", "1000000"},
                            {"1\u202F000\u00A0000 Euro", "1.000.000 euros"},
                            {"1\u2009234\u2009567", "1,234,567"},
                            {"1'234'567", "1\u2019234\u2019567"},
                            {"10,00,000", "1 000 000"},
                            {"1_000_000", "1000000"},
                            {"1.250,50 Euro f\u00FCr 2 M\u00E4nner", "1,250.50 euros for two men"},
                            {"1.50 \u20AC", "1,5 \u20AC"},
                            {"0800/6888000", "0800 688 8000"}});
}

TEST(Numbers, AreTheSameInDigitsOfEveryScript) {
  expect_difference(false,
                    {{"\uFF11\uFF19\uFF18\uFF14", "1984"},          // full-width
                     {"\u0661\u0669\u0668\u0664", "1984"},          // Arabic-Indic
                     {"\u0663\u066B\u0661\u0664\u0661", "3.141"},   // and its decimal sign
                     {"\u0967\u0968\u0969\u096A\u096B", "12,345"},  // Devanagari
                     {"\u09E7\u09EF\u09ED\u09E7", "1971"},          // Bengali
                     {"21e si\u00E8cle", "XXI \u0441\u0442\u043E\u043B\u0456\u0442\u0442\u044F"},
                     {"\u4E8C\u3007\u4E8C\u3007\u5E74", "2020"},        // digit by digit
                     {"\u4E09\u5341\u4E03\u5EA6", "37 degrees"},        // 3 * 10 + 7
                     {"\u4E00\u5343\u4E8C\u767E\u4E07", "12,000,000"},  // (1000 + 200) * 10^4
                     {"1\u51042000\u4E07\u5186", "120 million yen"},    // 1 * 10^8 + 2000 * 10^4
                     {"12\u4E073456", "123,456"}});
}

TEST(Numbers, AreTheSameInDatesTimesAndMagnitudes) {
  expect_difference(false, {{"3.4.2020", "2020-04-03"},
                            {"am 03.04.2020", "on April 3, 2020"},
                            {"Am 13.10.1999", "on 13 October 1999"},
                            {"um 23.15 Uhr", "at 11:15 p.m."},
                            {"Um 22 Uhr", "at 10 pm"},
                            {"bis 18 Uhr", "until 6.00 p.m."},
                            {"die 1980er", "the '80s"},
                            {"1939/40", "1939-1940"},
                            {"1,5 Millionen Menschen", "1.500.000 people"},
                            {"2,6 Mrd.", "2600 million"},
                            {"\u221217,5 \u00B0C", "-17.5 \u00B0C"}});
}

TEST(Numbers, UpToAHundredAndRoundOnesAreOftenWords) {
  expect_difference(false,
                    {{"25 Jahre", "twenty-five years"},
                     {"12 Uhr", "noon"},
                     {"12.00 Uhr", "noon"},
                     {"2.000 Mann", "two thousand men"},
                     {"34.000", "thirty-four thousand"},
                     {"2 Jahre", "both years"},
                     {"12 Uhr", "midi"},
                     {"35 Jahre", "trente-cinq ans"},
                     {"5-year-old", "\u043F\u044F\u0442\u0438\u043B\u0435\u0442\u043D\u0438\u0439"},
                     {"100 Jahre", "a century"},
                     {"1 Mann", "a man"}});
  // Only the side with the digits is asked for the other's words: a source may have the word.
  EXPECT_FALSE(differ_in_numbers("seven men", "7 M\u00E4nner"));
  EXPECT_FALSE(differ_in_numbers("M\u00E4nner", "7 men"));
}

TEST(Numbers, ThatNoWordStandsForAreLost) {
  EXPECT_TRUE(differ_in_numbers("7 M\u00E4nner", "men"));
  EXPECT_TRUE(differ_in_numbers("12 Mann", "four men"));
  EXPECT_TRUE(differ_in_numbers("35 Jahre", "thirty years"));
  EXPECT_TRUE(differ_in_numbers("20 Seiten", "2 pages"));
  expect_difference(
      true, {{"5 M\u00E4nner", "6 men"}, {"3:1", "3:5"}, {"am 1. Oktober", "on 6 October"}});
}

TEST(Numbers, HalvesOfADecimalAreNoNumbers) {
  expect_difference(
      true, {{"2,8 Prozent", "8.2 percent"}, {"3,1 und 2,89", "3.1 and 3.89"}, {"7.5", "5.7"}});
  expect_difference(false, {{"um 15.30", "at 15:30"},
                            {"22.15 Uhr", "10.15 p.m."},
                            {"13.00 Uhr", "1 p.m."},
                            {"2.5", "2 5"},
                            {"1.250,5", "1,250.5"}});
}

TEST(Numbers, MayBeInOtherUnits) {
  for (const auto& [source, target] : Pairs{{"385 miles", "620 Kilometer"},
                                            {"10 inches", "25 Zentimeter"},
                                            {"as high as 20 feet", "bis zu sechs Meter"},
                                            {"a 650 pound pig", "290 Kilo"},
                                            {"80 degrees", "27 \u00B0C"},
                                            {"45 miles (72 km)", "72 km"},
                                            {"5 ft 11 in tall", "1,80 m gro\u00DF"},
                                            {"5 feet 11 inches tall", "180 cm gro\u00DF"},
                                            {"He is 5'11\" tall", "Er ist 1,80 m gro\u00DF"},
                                            {"He is 5\u2032 11\u2033", "Er ist 1,80 m gro\u00DF"},
                                            {"5 ft 11 in (1.80 m)", "1,80 m"},
                                            {"a baby of 7 lb 8 oz", "ein Kind von 3,4 kg"},
                                            {"a baby of 7 lb 8 oz", "ein Kind von 3400 g"},
                                            {"11 stone 4 pounds", "72 kg"},
                                            {"The 6-foot-6 forward", "Der 1,98 m gro\u00DFe"}}) {
    EXPECT_FALSE(differ_in_numbers(source, target)) << source;
    EXPECT_FALSE(differ_in_numbers(target, source)) << source;
  }
  expect_difference(true, {{"385 miles", "420 Kilometer"},
                           {"385 Meilen", "620 Kilometer"},
                           {"5 ft 11 in tall", "2,10 m gro\u00DF"},
                           {"He is 5'11\" tall", "Er ist 1,30 m gro\u00DF"},
                           {"11 stone 4 pounds", "82 kg"}});
}

TEST(Numbers, OfMyriadsAndMonthsAreUnderstood) {
  expect_difference(false, {{"\u00A311 million", "1100\u4E07\u30DD\u30F3\u30C9"},
                            {"three million", "300 \u4E07\u4EBA"},
                            {"20 million", "2000\uB9CC \uBA85"},
                            {"in June", "6 \u6708"},
                            {"May 30", "5\u670830\u65E5"}});
}

TEST(Numbers, OfOtherDigitsDiffer) {
  expect_difference(true, {{"Im Jahr 1984", "in 1948"},
                           {"\u0661\u0669\u0668\u0664", "1948"},
                           {"10 M\u00E4nner", "20 men"},
                           {"100", "10"},
                           {"1,5", "2,5"},
                           {"137 Jahre", "years"},
                           {"1.250,50", "1,250.55"},
                           {"3.4.2021", "2020-04-03"},
                           {"10 von 12", "10 of 15"},
                           {"12:30", "12:45"},
                           {"125 Euro", "521 euros"},
                           {"1985", "1885"},
                           {"1 234 567", "1 234 568"}});
}

TEST(Numbers, OfARangeAreTwo) {
  expect_difference(true, {{"Pages 10\u201315 and 20-25.", "Seiten 1015 und 2025."},
                           {"30-45", "3045"},
                           {"20-25", "2025"},
                           {"1950-1953", "19501953"},
                           {"95-100", "95100"},
                           {"500\u20141000", "5001000"},
                           {"10000-15000", "1000015000"},
                           {"a 3-1 win", "ein 31-Sieg"},
                           {"1.50-2.50", "150250"},
                           {"in 2020 30-45", "2020 3045"},
                           {"01-15", "115"},
                           {"24/7", "247"},
                           {"1939/40", "193940"}});
  expect_difference(false, {{"Pages 10\u201315 and 20-25.", "Seiten 10-15 und 20 bis 25."},
                            {"859-292-3680", "8592923680"},
                            {"0800/6888000", "08006888000"},
                            {"030-1234", "0301234"},
                            {"+49 89-123456", "+4989123456"},
                            {"555-1234", "5551234"},
                            {"2020-04-03", "20200403"},
                            {"978-3-16-148410-0", "9783161484100"},
                            {"2020-2025", "20-25"},
                            {"10:30", "1030 hours"},
                            {"9:30:15", "93015"}});
}

// Digits that blanks separate may be one number or several, but not one of several.
TEST(Numbers, OfARowAreAsMany) {
  expect_difference(true,
                    {{"100 100 100", "100"}, {"100 100 100", "100 100"}, {"7 777 777", "7 777"}});
  expect_difference(false, {{"100 100 100", "100, 100, 100"},
                            {"100 100 100", "100100100"},
                            {"100 100 100", "100.100.100"},
                            {"12 100", "12, 100"}});
}

// Words such as "million" stand for zeros of a whole number, not of the groups in which it is
// written.
TEST(Numbers, OfMoreZerosDiffer) {
  expect_difference(true, {{"80.000", "800,000 cars"},
                           {"80 000", "8,000"},
                           {"1.000 Tonnen", "10,000 tons"},
                           {"16.000 Kr\u00E4nze", "160,000 wreaths"},
                           {"95000", "9,500"},
                           {"200\u202F000 Kinder", "2,000,000 children"},
                           {"\u0968\u0966,\u0966\u0966\u0966", "200,000"},
                           {"115.000 auf 50.000", "115,000 to 500,000"}});
  expect_difference(false, {{"80.000", "80 thousand cars"},
                            {"2,150 Milliarden", "2,150,000,000"},
                            {"10.000 s", "10 s"},
                            {"0,500", "0.5"},
                            {"1,250 Millionen", "1.25 million"}});
}

// One or two digits after a separator are no group, so that the sign is a decimal one.
TEST(Numbers, WithoutTheirDecimalSignDiffer) {
  expect_difference(true, {{"3.5 euros", "35 Euro"},
                           {"12.5 %", "125 %"},
                           {"1.75", "175"},
                           {"0.5 metres", "5 Meter"},
                           {"0.25 metres", "2,5 Meter"},
                           {"0.25 metres", "25 Meter"},
                           {"3.5 million", "35 Millionen"},
                           {"\u0663\u066B\u0665", "35"},
                           {"1,234,567.50", "123.456.750"},
                           {"a scale of 1:1000", "im Ma\u00DFstab 1:10"},
                           {"1:1000", "1:10"}});
  expect_difference(false, {{"3.50 euros", "3,5 Euro"},
                            {"5.00", "5"},
                            {"1,234,567.50", "1.234.567,5"},
                            {"12,34,567.50", "1 234 567,50"},
                            {"1.5 million", "1.500.000"},
                            {"2.6 billion", "2600 Mio."},
                            {"01.23.45.67.89", "0123456789"},
                            {"1:1000", "1:1.000"},
                            {"1.80 m", "180 cm"},
                            {"2.5 cm", "25 Millimeter"},
                            {"5 \u2030", "0,5 %"},
                            {"35 lakh", "3.5 million"},
                            {"1.2 crore", "12 million"}});
  expect_difference(true, {{"2.5 cm", "25 cm"}, {"2.5 cm", "25 Zentimeter"}, {"1.80 m", "18 cm"}});
}

TEST(Numbers, OfThreePartsDifferInOneOfThem) {
  expect_difference(true, {{"Section 4.2.1", "Abschnitt 4.3.1"},
                           {"Section 14.2.1", "Abschnitt 14.2.9"},
                           {"Version 2.40.3", "Version 2.40.7"},
                           {"Version 2.4.1", "Version 2.4.10"},
                           {"Version 2.4.2", "Version 2.4.4"},
                           {"Version 2.14.3", "Version 2.2.3"},
                           {"2.40.3", "2.3.40"},
                           {"192.168.0.1", "192.168.1.0"},
                           {"1,234,567", "1.567.234"},
                           {"3.4.2020", "3.5.2020"}});
  expect_difference(false, {{"Version 2.40.3", "Version 2.40.3."},
                            {"4.3.2020", "2020.3.4"},
                            {"03.04.2020", "3.4.20"},
                            {"3.4.2020", "3 April 2020"},
                            {"3.4.2020 - 3.5.2020", "3 April 2020 \u2013 3.5.2020"},
                            {"1.2.3", "1, 2, 3"}});
}

// Superscripts and subscripts are the same numbers as in their plain writings, and what has no
// number on the other side is a note or the exponent of a unit that is a word there.
TEST(Numbers, RaisedOnesAreThoseOfPlainWritings) {
  expect_difference(false, {{"10^23", "10²³"},
                            {"10^{23}", "10²³"},
                            {"10^-5 m", "10⁻⁵ m"},
                            {"10-5 m", "10⁻⁵ m"},
                            {"x2 and x3", "x² und x³"},
                            {"25 m2", "25 m²"},
                            {"25 m2 of land", "25 Quadratmeter Land"},
                            {"25 m² of land", "25 Quadratmeter Land"},
                            {"250 cm³ of gas", "250 Kubikzentimeter Gas"},
                            {"3 dogs on 25 m²", "3 Hunde auf 25 Quadratmetern"},
                            {"CO2 is bad", "CO₂ ist schlecht"},
                            {"2 parts of CO2", "2 Teile CO₂"},
                            {"H₂O and CO₂", "H2O und CO2"},
                            {"1.6e-19 kg", "1,6·10⁻¹⁹ kg"},
                            {"1.6E-19 kg", "1,6 × 10^-19 kg"},
                            {"6.02e23", "6,02 · 10²³"},
                            {"note 3", "Anmerkung ³"},
                            {"the dog¹ rests", "der Hund ruht"},
                            {"2³ = 8", "2^3 = 8"}});
  expect_difference(true, {{"2³ = 8", "2² = 8"},
                           {"2^3 = 8", "2² = 8"},
                           {"CO₂", "CO₃"},
                           {"CO₂", "CO3"},
                           {"10^23", "10²²"},
                           {"10²³", "1023"},
                           {"10⁵ m", "10⁻⁵ m"},
                           {"1.6e-19 kg", "1,6·10⁻¹⁸ kg"},
                           {"1.6e-19 kg", "1,6e19 kg"},
                           {"25 m²", "26 m²"}});
  EXPECT_TRUE(differ_in_numbers("2 dogs on 25 m² of land", "Hunde auf 25 m² Land"));
}

TEST(Numbers, WithPowersOfTenAreThoseWithZeros) {
  expect_difference(false, {{"5×10⁶ cells", "5 Millionen Zellen"},
                            {"5×10⁶ cells", "5.000.000 Zellen"},
                            {"5 × 10⁶ cells", "fünf Millionen Zellen"},
                            {"5 x 10^6 cells", "5.000.000 Zellen"},
                            {"5*10^6 cells", "5.000.000 Zellen"},
                            {"$5 \\times 10^{6}$ cells", "5.000.000 Zellen"},
                            {"1.5×10^6 cells", "1,5 Millionen Zellen"},
                            {"1.5×10^6 cells", "1.500.000 Zellen"},
                            {"1.5e6 cells", "1,5·10⁶ Zellen"},
                            {"10⁶ cells", "1.000.000 Zellen"},
                            {"10⁶ cells", "1 Million Zellen"},
                            {"3·10⁻⁵ m", "0,00003 m"},
                            {"3e-5 m", "0,00003 m"},
                            {"5×10⁴ cells", "50.000 Zellen"},
                            {"5×10⁶ cells", "500万个细胞"}});
  expect_difference(true, {{"5×10⁶ cells", "6.000.000 Zellen"},
                           {"5×10⁶ cells", "500.000 Zellen"},
                           {"5×10⁶ cells", "50 Millionen Zellen"},
                           {"1.5×10^6 cells", "1,6 Millionen Zellen"},
                           {"5×10⁶ cells", "5×10⁷ Zellen"},
                           {"3·10⁻⁵ m", "0,0003 m"}});
}

TEST(Numbers, OfOneCharacterAreThoseOfDigits) {
  expect_difference(false, {{"①②③", "①②③"},
                            {"①②③", "1, 2, 3"},
                            {"Item ③", "Punkt 3"},
                            {"⑫ men", "12 Mann"},
                            {"⒊ Dogs", "3. Hunde"},
                            {"Item Ⅷ", "Punkt 8"},
                            {"Item Ⅷ", "Punkt VIII"}});
  expect_difference(true, {{"①②③", "①②④"}, {"Item ③", "Punkt 4"}});
  EXPECT_TRUE(differ_in_numbers("Punkt 8", "Item Ⅸ"));
}

TEST(Numbers, OfFractionsAreDecimals) {
  expect_difference(false, {{"2 3/4 cups", "2¾ Tassen"},
                            {"2 3/4 cups", "2 ¾ Tassen"},
                            {"2 3/4 cups", "2,75 Tassen"},
                            {"2¾ cups", "2,75 Tassen"},
                            {"1 1/2 cups", "1½ Tassen"},
                            {"1 1/2 cups", "1,5 Tassen"},
                            {"1 1⁄2 cups", "1,5 Tassen"},
                            {"220 2/3 innings", "220⅔ Innings"},
                            {"2 1/3", "7/3"},
                            {"½ a cup", "1/2 Tasse"},
                            {"½ a cup", "0,5 Tassen"},
                            {"¹⁄₃ of it", "⅓ davon"},
                            {"⅓ of it", "33 % davon"},
                            {"½ of them", "50 % von ihnen"},
                            {"½ m", "50 cm"},
                            {"2½ million", "2.500.000"},
                            {"winning 14½-13½", "½14-½13"},
                            {"In 2021 3/4 of them", "2021 waren es ¾"},
                            {"winning 14½-13½", "14(1/2) - 13(1/2)"}});
  expect_difference(true, {{"½ a cup", "⅓ Tasse"},
                           {"½ a cup", "1/3 Tasse"},
                           {"1½ cups", "1¼ Tassen"},
                           {"1½ cups", "1 1/4 Tassen"},
                           {"1½ cups", "2,5 Tassen"},
                           {"2 3/4 cups", "2 1/4 Tassen"},
                           {"2 3/4 cups", "3¾ Tassen"},
                           {"2 3/4 cups", "2,25 Tassen"},
                           {"2¾", "2,57"}});
  for (const auto& [source, target] : Pairs{{"½ a cup", "eine halbe Tasse"},
                                            {"1/2 cup", "eine halbe Tasse"},
                                            {"½ a cup", "une demi-tasse"},
                                            {"¾ of them", "drei Viertel von ihnen"},
                                            {"1½ hours", "anderthalb Stunden"},
                                            {"2½ hours", "zweieinhalb Stunden"},
                                            {"⅓ of it", "ein Drittel davon"},
                                            {"½", "半分"}}) {
    EXPECT_FALSE(differ_in_numbers(source, target)) << source << " | " << target;
    EXPECT_FALSE(differ_in_numbers(target, source)) << source << " | " << target;
  }
  EXPECT_TRUE(differ_in_numbers("¾ a cup", "eine Tasse"));
}

// The month may have its name, and the other side tells which one.
TEST(Numbers, OfDaysAndMonthsMayHaveTheMonthsName) {
  expect_difference(false, {{"Christmas is on 25 December.", "Weihnachten ist am 25.12."},
                            {"on December 25", "am 25.12."},
                            {"on Dec. 25", "am 25.12. um zehn"},
                            {"on 12/25", "am 25. Dezember"},
                            {"on 12/25", "le 25 décembre"},
                            {"on 9/11", "el 11 de septiembre"},
                            {"on 12/25", "25 декабря"},
                            {"on 03-04-2021", "3. April 2021"},
                            {"12/25", "12月25日"},
                            {"2021-04-03", "3. April 2021"},
                            {"on 12/25/2021", "am 25. Dezember 2021"},
                            {"on 1 May", "am 1.5."}});
  expect_difference(true, {{"on 25 December", "am 24.12."},
                           {"on 25 December", "am 25.11."},
                           {"It costs 25.12", "Es kostet 25"},
                           {"It costs 25.12 in May", "Es kostet 25 im Mai"},
                           {"won 4-1 in February", "4-2 im Februar"}});
  EXPECT_TRUE(differ_in_numbers("on 12/25", "am 25. November"));
  EXPECT_TRUE(differ_in_numbers("2021-04-03", "3. Mai 2021"));
}

TEST(Numbers, OfAShortenedRangeMayBeWhole) {
  expect_difference(false, {{"Pages 123-5", "Seiten 123–125"},
                            {"Pages 123–25", "Seiten 123 bis 125"},
                            {"1987-8", "1987–1988"},
                            {"1914-18", "1914–1918"},
                            {"Pages 123-5", "Seiten 123–5"}});
  expect_difference(true, {{"Pages 123-5", "Seiten 123–126"},
                           {"Pages 123-5", "Seiten 123–6"},
                           {"Pages 123-5", "Seiten 123–135"}});
  EXPECT_TRUE(differ_in_numbers("Pages 123-5", "Seiten 123"));
}

TEST(Numbers, OfATableTellNothing) {
  std::string table, other;
  for (int i = 0; i < 1001; ++i) {
    table += std::to_string(1000 + i) + " ";
    other += std::to_string(4000 + i) + " ";
  }
  EXPECT_FALSE(differ_in_numbers(table, other));
  EXPECT_TRUE(differ_in_numbers(table.substr(0, 4000), other.substr(0, 4000)));
  EXPECT_FALSE(differ_in_numbers(std::string(100000, '7'), std::string(100000, '7')));
  EXPECT_FALSE(differ_in_numbers("", ""));
}

TEST(Numbers, WordsOfTwoNumbersInOneOrCountedFromOthers) {
  for (const auto& [digits, words] : std::initializer_list<std::pair<const char*, const char*>>{
           {"16", "sechzehn"},        {"145", "hundertfünfundvierzig"},
           {"16", "zestien"},         {"22", "tweeëntwintig"},
           {"200", "tweehonderd"},    {"22", "veintidós"},
           {"200", "doscientos"},     {"500", "quinientas"},
           {"75", "soixante-quinze"}, {"95", "quatre-vingt-quinze"},
           {"21", "ventuno"},         {"200", "duecento"},
           {"200", "duzentos"},       {"22", "tjugotvå"},
           {"45", "fyrtiofem"},       {"22", "toogtyve"},
           {"55", "femoghalvtreds"},  {"45", "førtifem"},
           {"16", "szesnastu"},       {"200", "двухсот"},
           {"36", "سی و ششمین"}})
    EXPECT_FALSE(differ_in_numbers("There are " + std::string(digits) + " of them.",
                                   "Xyz " + std::string(words) + " xyz."))
        << digits << " " << words;
  for (const auto& [digits, words] :
       std::initializer_list<std::pair<const char*, const char*>>{{"23", "tweeëntwintig"},
                                                                  {"300", "doscientos"},
                                                                  {"85", "soixante-quinze"},
                                                                  {"45", "toogtyve"},
                                                                  {"245", "hundertfünfundvierzig"}})
    EXPECT_TRUE(differ_in_numbers("There are " + std::string(digits) + " of them.",
                                  "Xyz " + std::string(words) + " xyz."))
        << digits << " " << words;
}

TEST(Numbers, MayLackTheZeroBeforeTheirPoint) {
  EXPECT_FALSE(differ_in_numbers("The board is .5 inches thick.", "Das Brett ist 0,5 Zoll dick."));
  EXPECT_FALSE(differ_in_numbers("It fell by -.45 points.", "Es fiel um \u22120,45 Punkte."));
  EXPECT_FALSE(differ_in_numbers("(.75 %)", "(0,75 %)"));
  EXPECT_TRUE(differ_in_numbers("It was .75 percent.", "Es waren 0,57 Prozent."));
  EXPECT_TRUE(differ_in_numbers("It was .5 percent.", "Es waren 5 Prozent."));
  EXPECT_FALSE(differ_in_numbers("It ended .5 is more.", "Es endete .5 ist mehr."));
}

}  // namespace
}  // namespace heed::study
