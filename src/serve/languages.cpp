#include "serve/languages.h"

#include <filesystem>
#include <map>

#include "text/unicode.h"

namespace heed::serve {
namespace {

/// "de" of "de-DE".
std::string language_of(const std::string& code) {
  return code.substr(0, code.find_first_of("-_"));
}

}  // namespace

std::string language_name(const std::string& code) {
  static const std::map<std::string, std::string> names = {
      {"ar", "Arabic"},    {"bg", "Bulgarian"},  {"bn", "Bengali"},    {"ca", "Catalan"},
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
      {"uk", "Ukrainian"}, {"ur", "Urdu"},       {"vi", "Vietnamese"}, {"zh", "Chinese"}};
  const auto found = names.find(code);
  return found == names.end() ? code : found->second;
}

int fit_of(const std::string& code, const std::string& wished) {
  const std::string mine = text::lower_case(code), theirs = text::lower_case(wished);
  if (mine == theirs) return 2;
  return language_of(mine) == language_of(theirs) ? 1 : 0;
}

std::string language_of_file(const std::string& path) {
  std::filesystem::path name = std::filesystem::path(path).filename();
  if (name.extension() == ".gz" || name.extension() == ".zst") name = name.stem();
  const std::string ending = name.extension().string();
  return ending.size() < 2 || ending == ".txt" || ending == ".tsv" ? "" : ending.substr(1);
}

}  // namespace heed::serve
