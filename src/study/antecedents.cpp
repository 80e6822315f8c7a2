#include "study/antecedents.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/format.h"
#include "base/strings.h"

namespace heed::study {
namespace {

constexpr std::array<const char*, 5> kColumns = {"line", "pronoun", "antecedent", "target_pronoun",
                                                 "gender"};

/// Where each of kColumns stands.
std::array<std::size_t, kColumns.size()> read_header(const std::string& line,
                                                     const std::string& name) {
  const std::vector<std::string> names = split(line, '\t');
  std::array<std::size_t, kColumns.size()> places{};
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    const auto found = std::find(names.begin(), names.end(), kColumns[i]);
    if (found == names.end())
      throw UserError(
          "{}:1: no column '{}'; the first line names the columns line, pronoun, antecedent, "
          "target_pronoun and gender, with tabs between",
          name, kColumns[i]);
    places[i] = static_cast<std::size_t>(found - names.begin());
  }
  return places;
}

std::size_t number(const std::string& text, const std::string& where) {
  const auto value = exact_number<std::size_t>(text);
  if (!value) throw UserError("{}: '{}' is no position counted from 0", where, one_line(text));
  return *value;
}

}  // namespace

std::vector<std::vector<Antecedent>> parse_antecedents(const std::vector<std::string>& lines,
                                                       std::size_t sentences,
                                                       const std::string& name) {
  const auto places = read_header(lines.empty() ? "" : lines.front(), name);
  std::vector<std::vector<Antecedent>> found(sentences);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::string where = fmt::format("{}:{}", name, i + 1);
    const std::vector<std::string> fields = split(lines[i], '\t');
    if (fields.size() <= *std::max_element(places.begin(), places.end()))
      throw UserError(where + ": fewer fields than the first line names");
    const std::size_t line = number(fields[places[0]], where);
    if (line >= sentences)
      throw UserError("{}: line {} of {}; lines count from 0", where, line, sentences);
    found[line].push_back({.pronoun = number(fields[places[1]], where),
                           .antecedent = number(fields[places[2]], where),
                           .target_pronoun = number(fields[places[3]], where),
                           .gender = std::string(trim(fields[places[4]])),
                           .row = i + 1});
  }
  for (auto& one : found)
    std::stable_sort(one.begin(), one.end(), [](const Antecedent& a, const Antecedent& b) {
      return a.pronoun < b.pronoun;
    });
  return found;
}

}  // namespace heed::study
