// The rows of `heed heads`: tables for people, CSV and JSON for programs.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/format.h"
#include "base/strings.h"
#include "study/heads.h"
#include "text/table.h"

namespace heed::study {
namespace {

constexpr std::array<Role, kRoles> kAllRoles = {Role::previous,  Role::next,      Role::same_place,
                                                Role::same_word, Role::separator, Role::aligned,
                                                Role::antecedent};

std::string percent(double share) {
  return fixed(100 * share, 1);
}

std::string signed_number(int64_t number) {
  return (number > 0 ? "+" : "") + std::to_string(number);
}

/// "<=-4", "-3", ..., "+3", ">=+4".
std::string distance_name(int64_t distance) {
  const std::string number = signed_number(distance);
  return distance == -kReach ? "<=" + number : distance == kReach ? ">=" + number : number;
}

std::string names_of(const HeadMeasures& head, const HeadOptions& options) {
  std::vector<std::string> names;
  for (const Role role : head.named(options.threshold, options.least))
    names.push_back(role_name(role, head.kind));
  return join(names, ", ");
}

std::vector<const HeadMeasures*> of_kind(const HeadReport& report, AttentionKind kind) {
  std::vector<const HeadMeasures*> heads;
  for (const HeadMeasures& head : report.heads())
    if (head.kind == kind) heads.push_back(&head);
  return heads;
}

std::vector<AttentionKind> kinds_of(const HeadReport& report) {
  std::vector<AttentionKind> kinds;
  for (const HeadMeasures& head : report.heads())
    if (std::find(kinds.begin(), kinds.end(), head.kind) == kinds.end()) kinds.push_back(head.kind);
  return kinds;
}

std::string spread_table(const std::vector<const HeadMeasures*>& heads) {
  // The decoder looks at nothing that is still to come.
  const int64_t farthest = heads.front()->kind == AttentionKind::decoder ? 0 : kReach;
  text::Table table{{"layer", "head", "rows", "entropy", "of max %", "edge %", "zero %", "offset",
                     "distance", "at %"},
                    {}};
  for (int64_t i = -kReach; i <= farthest; ++i) table.columns.push_back(distance_name(i));
  for (const HeadMeasures* head : heads) {
    std::vector<std::string> row = {std::to_string(head->layer),    head_name(head->head),
                                    std::to_string(head->rows),     fixed(head->entropy(), 3),
                                    percent(head->entropy_share()), percent(head->edge_mass()),
                                    percent(head->zero_share()),    fixed(head->offset(), 2),
                                    fixed(head->distance(), 2),     ""};
    for (int64_t i = -kReach; i <= farthest; ++i) row.push_back(percent(head->profile(i)));
    table.rows.push_back(row);
  }
  return text::table_text(table, {0, 1});
}

/// Only the roles that some row could have.
std::string role_table(const std::vector<const HeadMeasures*>& heads, const HeadOptions& options) {
  std::vector<Role> roles;
  for (const Role role : kAllRoles)
    if (std::any_of(heads.begin(), heads.end(), [&](auto* head) { return head->role(role).of; }))
      roles.push_back(role);
  text::Table table{{"layer", "head", "role"}, {}};
  for (const Role role : roles) table.columns.push_back(role_name(role, heads.front()->kind));
  for (const HeadMeasures* head : heads) {
    std::vector<std::string> row = {std::to_string(head->layer), head_name(head->head),
                                    names_of(*head, options)};
    for (const Role role : roles)
      row.push_back(head->role(role).of ? percent(head->role(role).value()) : "-");
    table.rows.push_back(row);
  }
  return text::table_text(table, {0, 1, 2});
}

std::string csv_name(Role role) {
  std::string name = role_name(role, AttentionKind::encoder);
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

}  // namespace

std::string heads_table(const HeadReport& report) {
  std::string out;
  for (const AttentionKind kind : kinds_of(report)) {
    const auto heads = of_kind(report, kind);
    const std::string title = title_of(kind);
    out += fmt::format(
        "{}{}, {} sentences: where the weight is\n{}\n{}: what the strongest place is, % of "
        "rows\n{}",
        out.empty() ? "" : "\n", title, report.sentences(), spread_table(heads), title,
        role_table(heads, report.options()));
  }
  return out;
}

std::string heads_csv(const HeadReport& report) {
  std::string out =
      "kind,layer,head,rows,entropy,entropy_share,edge_mass,zero_share,mean_offset,mean_distance";
  for (int64_t i = -kReach; i <= kReach; ++i) out += ",at_" + signed_number(i);
  for (const Role role : kAllRoles) out += "," + csv_name(role);
  out += ",roles\n";
  for (const HeadMeasures& head : report.heads()) {
    std::vector<std::string> row = {name_of(head.kind),         std::to_string(head.layer),
                                    head_name(head.head),       std::to_string(head.rows),
                                    fixed(head.entropy(), 6),   fixed(head.entropy_share(), 6),
                                    fixed(head.edge_mass(), 6), fixed(head.zero_share(), 6),
                                    fixed(head.offset(), 6),    fixed(head.distance(), 6)};
    for (int64_t i = -kReach; i <= kReach; ++i) row.push_back(fixed(head.profile(i), 6));
    for (const Role role : kAllRoles)
      row.push_back(head.role(role).of ? fixed(head.role(role).value(), 6) : "");
    std::string names;
    for (const Role role : head.named(report.options().threshold, report.options().least))
      names += (names.empty() ? "" : " ") + csv_name(role);
    row.push_back(names);
    out += join(row, ",") + "\n";
  }
  return out;
}

std::string heads_json(const HeadReport& report) {
  nlohmann::ordered_json heads = nlohmann::ordered_json::array();
  for (const HeadMeasures& head : report.heads()) {
    nlohmann::ordered_json profile, roles, names = nlohmann::ordered_json::array();
    for (int64_t i = -kReach; i <= kReach; ++i) profile[signed_number(i)] = head.profile(i);
    for (const Role role : kAllRoles)
      if (const score::Proportion& share = head.role(role); share.of > 0)
        roles[csv_name(role)] = {{"share", share.value()}, {"rows", share.of}};
    for (const Role role : head.named(report.options().threshold, report.options().least))
      names.push_back(csv_name(role));
    heads.push_back({{"kind", name_of(head.kind)},
                     {"layer", head.layer},
                     {"head", head.head},
                     {"rows", head.rows},
                     {"entropy", head.entropy()},
                     {"entropy_share", head.entropy_share()},
                     {"edge_mass", head.edge_mass()},
                     {"zero_share", head.zero_share()},
                     {"mean_offset", head.offset()},
                     {"mean_distance", head.distance()},
                     {"profile", std::move(profile)},
                     {"shares", std::move(roles)},
                     {"roles", std::move(names)}});
  }
  const nlohmann::ordered_json json = {{"sentences", report.sentences()},
                                       {"unit", report.options().words ? "words" : "pieces"},
                                       {"threshold", report.options().threshold},
                                       {"least_rows", report.options().least},
                                       {"heads", std::move(heads)}};
  return json.dump(2) + "\n";
}

}  // namespace heed::study
