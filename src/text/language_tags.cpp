#include "text/language_tags.h"

#include <algorithm>

#include "base/strings.h"

namespace heed::text {

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
