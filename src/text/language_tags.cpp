#include "text/language_tags.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/strings.h"

namespace heed::text {
namespace {

constexpr auto kNames = std::to_array<std::pair<std::string_view, std::string_view>>(
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

}  // namespace

std::string language_name(std::string_view code) {
  const auto* const found =
      std::ranges::find(kNames, code, &std::pair<std::string_view, std::string_view>::first);
  return std::string(found == kNames.end() ? code : found->second);
}

std::string language_called(std::string_view name) {
  name = trim(name.substr(0, name.find('(')));
  for (const auto& [code, known] : kNames)
    if (ascii_lower(known) == ascii_lower(name)) return std::string(code);
  return "";
}

bool is_known_language(std::string_view code) {
  return std::ranges::any_of(kNames, [&](const auto& known) { return known.first == code; });
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
