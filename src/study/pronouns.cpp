#include "study/pronouns.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "base/strings.h"
#include "text/table.h"
#include "text/utf8.h"

namespace heed::study {
namespace {

constexpr std::array<const char*, 5> kColumns = {"line", "pronoun", "antecedent", "target_pronoun",
                                                 "gender"};

/// Returns the index of each of kColumns in the header.
std::array<std::size_t, kColumns.size()> read_header(const std::string& line,
                                                     const std::string& name) {
  const std::vector<std::string> names = split(line, '\t');
  std::array<std::size_t, kColumns.size()> columns{};
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    const auto found = std::find(names.begin(), names.end(), kColumns[i]);
    if (found == names.end())
      throw UserError(
          "{}:1: no column '{}'; the first line names the columns line, pronoun, antecedent, "
          "target_pronoun and gender, with tabs between",
          name, kColumns[i]);
    columns[i] = static_cast<std::size_t>(found - names.begin());
  }
  return columns;
}

std::size_t number(const std::string& text, const std::string& where) {
  const auto value = exact_number<std::size_t>(text);
  if (!value) throw UserError("{}: '{}' is no position counted from 0", where, one_line(text));
  return *value;
}

/// Returns a word of a translation, or a form, as both are compared.
std::string as_compared(const std::string& word) {
  return text::without_punctuation(text::lower_case(word));
}

std::set<std::string> genders_of(const PronounReport& report) {
  std::set<std::string> genders;
  for (const auto& [pair, count] : report.written()) {
    genders.insert(pair.first);
    if (!pair.second.empty()) genders.insert(pair.second);
  }
  return genders;
}

std::size_t count_of(const PronounReport& report, const std::string& gender,
                     const std::string& written) {
  const auto found = report.written().find({gender, written});
  return found == report.written().end() ? 0 : found->second;
}

nlohmann::ordered_json pronouns_json(const score::Proportion& share) {
  return {{"pronouns", share.of},
          {"right", share.hits},
          {"accuracy", share.value()},
          {"accuracy_low", share.interval().low},
          {"accuracy_high", share.interval().high}};
}

}  // namespace

std::vector<std::vector<Antecedent>> parse_antecedents(const std::vector<std::string>& lines,
                                                       std::size_t sentences,
                                                       const std::string& name) {
  const auto columns = read_header(lines.empty() ? "" : lines.front(), name);
  std::vector<std::vector<Antecedent>> found(sentences);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::string where = fmt::format("{}:{}", name, i + 1);
    const std::vector<std::string> fields = split(lines[i], '\t');
    if (fields.size() <= *std::max_element(columns.begin(), columns.end()))
      throw UserError(where + ": fewer fields than the first line names");
    const std::size_t line = number(fields[columns[0]], where);
    if (line >= sentences)
      throw UserError("{}: line {} of {}; lines count from 0", where, line, sentences);
    found[line].push_back({.pronoun = number(fields[columns[1]], where),
                           .antecedent = number(fields[columns[2]], where),
                           .target_pronoun = number(fields[columns[3]], where),
                           .gender = std::string(trim(fields[columns[4]])),
                           .row = i + 1});
  }
  for (auto& one : found) std::ranges::stable_sort(one, {}, &Antecedent::pronoun);
  return found;
}

PronounForms parse_forms(const std::vector<std::string>& pairs, const std::string& key) {
  PronounForms forms;
  for (const std::string& pair : pairs) {
    const auto equals = pair.find('=');
    const std::string gender(trim(std::string_view(pair).substr(0, equals)));
    std::vector<std::string> words;
    if (equals != std::string::npos) words = text::unicode_words(pair.substr(equals + 1));
    if (words.size() > 1)
      throw UserError("{}: '{}': a form is one word; separate several pairs by commas", key,
                      one_line(pair));
    const std::string form = words.empty() ? "" : as_compared(words.front());
    if (gender.empty() || form.empty())
      throw UserError("{}: '{}' is no GENDER=FORM; write for example m=er,f=sie,n=es", key,
                      one_line(pair));
    const auto [known, fresh] = forms.emplace(form, gender);
    if (!fresh && known->second != gender)
      throw UserError("{}: '{}' is both {} and {}; a form has one gender", key, one_line(form),
                      one_line(known->second), one_line(gender));
  }
  return forms;
}

void require_genders(const std::vector<std::vector<Antecedent>>& gold, const PronounForms& forms,
                     const std::string& name) {
  std::set<std::string> of_forms;
  for (const auto& [form, gender] : forms) of_forms.insert(gender);
  bool any = false;
  for (const auto& sentence : gold)
    for (const Antecedent& one : sentence) {
      any = true;
      const std::string where = fmt::format("{}:{}: ", name, one.row);
      if (text::is_blank(one.gender))
        throw UserError(where + "the gender is blank; write that of the antecedent");
      if (!of_forms.contains(one.gender))
        throw UserError("{}no form is given for the gender '{}', only for {}", where,
                        one_line(one.gender),
                        one_line(join({of_forms.begin(), of_forms.end()}, ", ")));
    }
  if (!any) throw UserError(name + ": names no pronoun");
}

std::vector<std::string> pronoun_genders(std::string_view text, const PronounForms& forms) {
  std::vector<std::string> genders;
  for (const std::string& word : text::unicode_words(text)) {
    const auto found = forms.find(as_compared(word));
    if (found != forms.end()) genders.push_back(found->second);
  }
  return genders;
}

void PronounReport::add(std::span<const Antecedent> pronouns,
                        const std::vector<std::string>& genders) {
  for (std::size_t i = 0; i < pronouns.size(); ++i) {
    const std::string& gender = pronouns[i].gender;
    const std::string found = genders.size() == pronouns.size() ? genders[i] : "";
    const bool right = !found.empty() && found == gender;  // of two blanks, neither is a gender
    all_.add(right);
    by_gender_[gender].add(right);
    ++written_[{gender, found}];
  }
}

score::Proportion PronounReport::most_frequent() const {
  score::Proportion share{.hits = 0, .of = all_.of};
  for (const auto& [gender, one] : by_gender_) share.hits = std::max(share.hits, one.of);
  return share;
}

std::string pronoun_table(const PronounReport& report) {
  const std::set<std::string> genders = genders_of(report);
  text::Table table{{"gender", "pronouns", "right", "accuracy %", "95 % interval"}, {}};
  for (const std::string& gender : genders) table.columns.push_back("as " + gender);
  table.columns.emplace_back("other count");
  auto& rows = table.rows;
  for (const auto& [gender, share] : report.by_gender()) {
    rows.push_back(score::row_of(gender, share));
    for (const std::string& other : genders)
      rows.back().push_back(std::to_string(count_of(report, gender, other)));
    rows.back().push_back(std::to_string(count_of(report, gender, "")));
  }
  rows.push_back(score::row_of("all", report.all()));
  rows.back().resize(table.columns.size());
  rows.push_back(score::row_of("most frequent", report.most_frequent()));
  rows.back().resize(table.columns.size());
  return text::table_text(table);
}

std::string pronoun_json(const PronounReport& report) {
  nlohmann::ordered_json json = pronouns_json(report.all());
  json["most_frequent"] = report.most_frequent().value();
  for (const auto& [gender, share] : report.by_gender()) {
    json["genders"][gender] = pronouns_json(share);
    for (const std::string& other : genders_of(report))
      json["genders"][gender]["written"][other] = count_of(report, gender, other);
    json["genders"][gender]["other_count"] = count_of(report, gender, "");
  }
  return json.dump(2) + "\n";
}

}  // namespace heed::study
