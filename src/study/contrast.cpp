#include "study/contrast.h"

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/error.h"
#include "base/strings.h"
#include "text/table.h"

namespace heed::study {
namespace {

bool is_right(const std::string& text, const std::string& where) {
  const std::string_view mark = trim(text);
  if (mark != "0" && mark != "1")
    throw UserError("{}: '{}' is neither 1, a right translation, nor 0, a wrong one", where,
                    one_line(text));
  return mark == "1";
}

nlohmann::ordered_json sentences_json(const score::Proportion& share) {
  return {{"sentences", share.of},
          {"resolved", share.hits},
          {"accuracy", share.value()},
          {"accuracy_low", share.interval().low},
          {"accuracy_high", share.interval().high}};
}

}  // namespace

bool Contrast::resolved() const {
  return std::all_of(wrong.begin(), wrong.end(), [&](double score) { return right > score; });
}

std::vector<std::vector<std::size_t>> group_contrasts(const std::vector<std::string>& correct,
                                                      const std::vector<std::string>& group,
                                                      const std::string& name) {
  std::vector<std::vector<std::size_t>> groups;
  std::size_t rights = 0;
  const auto where = [&](std::size_t line) { return fmt::format("{}:{}", name, line + 1); };
  const auto finish = [&](std::size_t last) {
    if (groups.empty()) return;
    const std::string lines = "the sentence that ends here has ";
    if (rights != 1)
      throw UserError("{}: {}{} right translations; it needs one", where(last), lines, rights);
    if (groups.back().size() < 2) throw UserError("{}: {}no wrong one", where(last), lines);
  };
  for (std::size_t i = 0; i < correct.size(); ++i) {
    const bool right = is_right(correct[i], where(i));
    const bool begins = i == 0 || (group.empty() ? right : trim(group[i]) != trim(group[i - 1]));
    if (begins) {
      if (i > 0) finish(i - 1);
      groups.emplace_back();
      rights = 0;
    }
    rights += right ? 1 : 0;
    groups.back().insert(right ? groups.back().begin() : groups.back().end(), i);
  }
  if (!correct.empty()) finish(correct.size() - 1);
  return groups;
}

ContrastReport measure_contrasts(const std::vector<Contrast>& contrasts) {
  ContrastReport report;
  for (const Contrast& contrast : contrasts) {
    report.all.add(contrast.resolved());
    if (!contrast.label.empty()) report.by_label[contrast.label].add(contrast.resolved());
  }
  return report;
}

std::string contrast_table(const ContrastReport& report) {
  text::Table table{{"", "sentences", "resolved", "accuracy %", "95 % interval"}, {}};
  for (const auto& [label, share] : report.by_label) table.rows.push_back(row_of(label, share));
  table.rows.push_back(score::row_of("all", report.all));
  return text::table_text(table);
}

std::string contrast_json(const ContrastReport& report) {
  nlohmann::ordered_json json = sentences_json(report.all);
  for (const auto& [label, share] : report.by_label) json["labels"][label] = sentences_json(share);
  return json.dump(2) + "\n";
}

std::string contrast_csv(const std::vector<Contrast>& contrasts) {
  text::Table table{{"line", "label", "right", "best_wrong", "resolved"}, {}};
  for (const Contrast& one : contrasts)
    table.rows.push_back({std::to_string(one.line), one.label, fixed(one.right, 6),
                          fixed(std::ranges::max(one.wrong), 6), one.resolved() ? "1" : "0"});
  return text::table_csv(table);
}

}  // namespace heed::study
