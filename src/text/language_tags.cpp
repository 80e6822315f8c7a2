#include "text/language_tags.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "text/utf8.h"

namespace heed::text {
namespace {

constexpr auto kLanguageNames = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"ar", "Arabic"},    {"bg", "Bulgarian"},  {"bn", "Bengali"},    {"ca", "Catalan"},
     {"cs", "Czech"},     {"da", "Danish"},     {"de", "German"},     {"el", "Greek"},
     {"en", "English"},   {"eo", "Esperanto"},  {"es", "Spanish"},    {"et", "Estonian"},
     {"eu", "Basque"},    {"fa", "Persian"},    {"fi", "Finnish"},    {"fr", "French"},
     {"ga", "Irish"},     {"gl", "Galician"},   {"he", "Hebrew"},     {"hi", "Hindi"},
     {"hr", "Croatian"},  {"hu", "Hungarian"},  {"id", "Indonesian"}, {"is", "Icelandic"},
     {"it", "Italian"},   {"ja", "Japanese"},   {"ko", "Korean"},     {"lt", "Lithuanian"},
     {"lv", "Latvian"},   {"mk", "Macedonian"}, {"ms", "Malay"},      {"mt", "Maltese"},
     {"nb", "Norwegian"}, {"nl", "Dutch"},      {"pl", "Polish"},     {"pt", "Portuguese"},
     {"ro", "Romanian"},  {"ru", "Russian"},    {"sk", "Slovak"},     {"sl", "Slovenian"},
     {"sq", "Albanian"},  {"sr", "Serbian"},    {"sv", "Swedish"},    {"sw", "Swahili"},
     {"ta", "Tamil"},     {"th", "Thai"},       {"tl", "Tagalog"},    {"tr", "Turkish"},
     {"uk", "Ukrainian"}, {"ur", "Urdu"},       {"vi", "Vietnamese"}, {"zh", "Chinese"}});

/// What other languages, and ISO 639-2, call languages whose glossaries are common, in small
/// letters, and the language itself.
constexpr auto kOtherNames = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"ar", "ara arabisch arabe árabe arabo العربية"},
    {"cs", "cze ces tschechisch tchèque checo ceco čeština česky"},
    {"da", "dan dänisch danois danés danese dansk"},
    {"de", "ger deu deutsch allemand alemán tedesco alemão duits niemiecki 德语 ドイツ語"},
    {"el", "gre ell griechisch grec griego greco grego ελληνικά"},
    {"en", "eng englisch anglais inglés inglese inglês engels angielski angličtina 英语 英語"},
    {"es", "spa spanisch espagnol español spagnolo espanhol spaans castellano 西班牙语"},
    {"fi", "fin finnisch finnois finés finlandese suomi"},
    {"fr", "fre fra französisch français francés francese francês frans 法语 フランス語"},
    {"hu", "hun ungarisch hongrois húngaro ungherese magyar"},
    {"it", "ita italienisch italien italiano italiaans"},
    {"ja", "jpn japanisch japonais japonés giapponese japonês 日语 日本語"},
    {"ko", "kor koreanisch coréen coreano 韩语 한국어"},
    {"nb", "nor nob norwegisch norvégien noruego norvegese norsk"},
    {"nl", "dut nld niederländisch néerlandais neerlandés holandés olandese holandês nederlands"},
    {"pl", "pol polnisch polonais polaco polacco polski"},
    {"pt", "por portugiesisch portugais portugués portoghese português portugees"},
    {"ro", "rum ron rumänisch roumain rumano rumeno română"},
    {"ru", "rus russisch russe ruso russo русский"},
    {"sv", "swe schwedisch suédois sueco svedese svenska"},
    {"tr", "tur türkisch turc turco türkçe"},
    {"uk", "ukr ukrainisch ukrainien ucraniano ucraino українська"},
    {"zh", "chi zho chinesisch chinois chino cinese chinês 中文 汉语 中国語"},
});

/// Whether what follows the name of a language says where or how it is written, as memoQ's
/// "English_United_States" and Excel's "Chinese - Simplified". Other words, as "German_Def", do
/// not.
bool is_region(std::string_view words) {
  constexpr std::string_view kRegions[] = {"argentina",
                                           "australia",
                                           "austria",
                                           "belgium",
                                           "brazil",
                                           "canada",
                                           "china",
                                           "denmark",
                                           "finland",
                                           "france",
                                           "germany",
                                           "greece",
                                           "hungary",
                                           "india",
                                           "ireland",
                                           "italy",
                                           "japan",
                                           "korea",
                                           "luxembourg",
                                           "mexico",
                                           "netherlands",
                                           "norway",
                                           "poland",
                                           "portugal",
                                           "romania",
                                           "russia",
                                           "spain",
                                           "sweden",
                                           "switzerland",
                                           "taiwan",
                                           "turkey",
                                           "ukraine",
                                           "united kingdom",
                                           "united states",
                                           "united states of america",
                                           "uk",
                                           "us",
                                           "usa",
                                           "simplified",
                                           "traditional",
                                           "international",
                                           "cyrillic",
                                           "latin",
                                           "deutschland",
                                           "österreich",
                                           "schweiz"};
  return words.empty() || std::ranges::find(kRegions, words) != std::end(kRegions);
}

}  // namespace

std::string language_name(std::string_view code) {
  const auto* const found = std::ranges::find(
      kLanguageNames, code, &std::pair<std::string_view, std::string_view>::first);
  return std::string(found == kLanguageNames.end() ? code : found->second);
}

std::string language_called(std::string_view name) {
  std::string plain = lower_case(name.substr(0, name.find('(')));
  for (char& c : plain)
    if (c == '_' || c == '-') c = ' ';
  const std::vector<std::string> words = split_words(plain);
  if (words.empty() || !is_region(join({words.begin() + 1, words.end()}, " "))) return "";
  for (const auto& [code, known] : kLanguageNames)
    if (ascii_lower(known) == words[0]) return std::string(code);
  for (const auto& [code, known] : kOtherNames)
    if (const auto all = split_words(known); std::ranges::find(all, words[0]) != all.end())
      return std::string(code);
  return "";
}

bool is_known_language(std::string_view code) {
  return std::ranges::any_of(kLanguageNames,
                             [&](const auto& known) { return known.first == code; });
}

std::string main_language(std::string_view tag) {
  const std::string main = ascii_lower(tag.substr(0, tag.find_first_of("-_")));
  const bool is_code = (main.size() == 2 || main.size() == 3) &&
                       std::ranges::all_of(main, [](char c) { return c >= 'a' && c <= 'z'; });
  return is_code && main != "src" && main != "trg" && main != "tgt" ? main : "";
}

bool are_other_languages(std::string_view a, std::string_view b) {
  const std::string first = main_language(a), second = main_language(b);
  return !first.empty() && first.size() == second.size() && first != second;
}

bool is_same_language(std::string_view a, std::string_view b) {
  const std::string first = ascii_lower(xml_language(a)), second = ascii_lower(xml_language(b));
  const auto begins = [](std::string_view of, std::string_view with) {
    return of.starts_with(with) && (of.size() == with.size() || of[with.size()] == '-');
  };
  return !first.empty() && !second.empty() && (begins(first, second) || begins(second, first));
}

std::string xml_language(std::string_view tag) {
  std::string out(tag);
  std::ranges::replace(out, '_', '-');
  return out;
}

}  // namespace heed::text
