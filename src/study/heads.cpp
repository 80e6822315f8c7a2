#include "study/heads.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <ranges>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "text/characters.h"
#include "text/table.h"
#include "text/utf8.h"
#include "text/vocabulary.h"

namespace heed::study {
namespace {

std::string word_of(const std::string& token) {
  return token.starts_with(text::kWordStart) ? token.substr(text::kWordStart.size()) : token;
}

bool separates(const std::string& token, const std::set<std::string>& separators) {
  if (is_edge(token)) return true;
  const std::string word = word_of(token);
  if (separators.contains(word)) return true;
  const std::u32string letters = text::decode_utf8(word);
  return !letters.empty() && std::all_of(letters.begin(), letters.end(), text::is_punctuation);
}

/// Returns the number of columns that the row can look at. The decoder sees what it has read; if
/// its pieces were merged, a word's later pieces see its first ones, too.
std::size_t visible_columns(const AttentionMatrix& matrix, std::size_t row) {
  if (matrix.kind != AttentionKind::decoder) return matrix.source.size();
  std::size_t visible = matrix.source.size();
  while (visible > row + 1 && matrix.at(row, visible - 1) == 0) --visible;
  return visible;
}

constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

/// Returns the column of the first of the largest weights, without column `aside`.
std::size_t strongest(const AttentionMatrix& matrix, std::size_t row, std::size_t visible,
                      std::size_t aside = kNowhere) {
  std::size_t best = aside == 0 ? 1 : 0;
  for (std::size_t column = best + 1; column < visible; ++column)
    if (column != aside && matrix.at(row, column) > matrix.at(row, best)) best = column;
  return best;
}

/// Returns the source positions that are linked to each of `targets` words.
std::vector<std::set<std::size_t>> links_by_target(const GoldAlignment& gold, std::size_t targets) {
  std::vector<std::set<std::size_t>> linked(targets);
  for (const Link& link : gold.possible)
    if (link.target < targets) linked[link.target].insert(link.source);
  return linked;
}

void require_position(std::size_t position, const std::vector<std::string>& tokens,
                      const std::string& what, const std::string& where) {
  const std::size_t words = length_before_end(tokens);
  if (position >= words)
    throw UserError("{}: {} {} of {} words; positions count from 0", where, what, position, words);
}

struct QueryOfRow {
  std::size_t row = 0, own = 0, visible = 0;  // its own position, and how many columns it sees
};

void add_spread(const AttentionMatrix& matrix, const QueryOfRow& query, HeadMeasures& head) {
  double nats = 0, outside = 0, inside = 0, apart_by = 0, away = 0, zeros = 0;
  std::array<double, 2 * kReach + 1> near{};
  for (std::size_t column = 0; column < query.visible; ++column) {
    const double weight = matrix.at(query.row, column);
    zeros += weight == 0;
    if (weight <= 0) continue;
    nats -= weight * std::log(weight);
    if (is_edge(matrix.source[column])) {
      outside += weight;
      continue;
    }
    const auto apart = static_cast<int64_t>(column) - static_cast<int64_t>(query.own);
    inside += weight;
    apart_by += weight * static_cast<double>(apart);
    away += weight * static_cast<double>(std::abs(apart));
    near[static_cast<std::size_t>(std::clamp(apart, -kReach, kReach) + kReach)] += weight;
  }
  head.entropy.add(nats);
  head.entropy_share.add(nats / std::log(static_cast<double>(query.visible)));
  head.edge_mass.add(outside);
  head.zero_share.add(zeros / static_cast<double>(query.visible));
  if (inside <= 0) return;
  head.offset.add(apart_by / inside);
  head.distance.add(away / inside);
  for (std::size_t i = 0; i < near.size(); ++i) head.profile[i].add(near[i] / inside);
}

constexpr std::array<Role, kRoles> kAllRoles = {Role::previous,  Role::next,      Role::same_place,
                                                Role::same_word, Role::separator, Role::aligned,
                                                Role::antecedent};

/// The names of means in CSV and JSON.
constexpr std::pair<const char*, RowMean HeadMeasures::*> kMeans[] = {
    {"entropy", &HeadMeasures::entropy},     {"entropy_share", &HeadMeasures::entropy_share},
    {"edge_mass", &HeadMeasures::edge_mass}, {"zero_share", &HeadMeasures::zero_share},
    {"mean_offset", &HeadMeasures::offset},  {"mean_distance", &HeadMeasures::distance}};

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
    std::vector<std::string> row = {
        std::to_string(head->layer),          head_name(head->head),
        std::to_string(head->rows()),         fixed(head->entropy.value(), 3),
        percent(head->entropy_share.value()), percent(head->edge_mass.value()),
        percent(head->zero_share.value()),    fixed(head->offset.value(), 2),
        fixed(head->distance.value(), 2),     ""};
    for (int64_t i = 0; i <= farthest + kReach; ++i)
      row.push_back(percent(head->profile[i].value()));
    table.rows.push_back(row);
  }
  return text::table_text(table, {0, 1});
}

/// Returns the table of roles, without those that no row could have.
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

std::string role_name(Role role, AttentionKind kind) {
  constexpr std::array<const char*, kRoles> kNames = {
      "previous", "next", "same place", "same word", "separator", "aligned", "antecedent"};
  if (role == Role::same_place && kind == AttentionKind::cross) return "diagonal";
  return kNames[static_cast<std::size_t>(role)];
}

std::vector<Role> HeadMeasures::named(double threshold, std::size_t least) const {
  std::vector<Role> found;
  for (std::size_t i = 0; i < kRoles; ++i)
    if (roles[i].of >= std::max<std::size_t>(least, 1) && roles[i].value() >= threshold)
      found.push_back(static_cast<Role>(i));
  std::ranges::stable_sort(found, std::greater<>(), [&](Role one) { return role(one).value(); });
  return found;
}

void HeadMeasures::add(const AttentionMatrix& matrix, const std::set<std::string>& separators) {
  check(matrix);
  const bool self = matrix.kind != AttentionKind::cross;
  std::vector<bool> separator;
  for (const std::string& token : matrix.source) separator.push_back(separates(token, separators));
  const std::size_t sources = length_before_end(matrix.source),
                    targets = length_before_end(matrix.target);

  for (std::size_t row = 0; row < matrix.target.size(); ++row) {
    const std::size_t visible = visible_columns(matrix, row);
    if (matrix.target[row] == kEndToken || visible < 2) continue;
    const std::size_t own = self ? row : (2 * row + 1) * sources / (2 * targets);
    add_spread(matrix, {.row = row, .own = own, .visible = visible}, *this);

    const std::size_t best = strongest(matrix, row, visible);
    role(Role::separator).add(separator[best]);
    if (own < visible) role(Role::same_place).add(best == own);
    if (self && row > 0) role(Role::previous).add(best == row - 1);
    if (self && row + 1 < visible) role(Role::next).add(best == row + 1);
    const std::string& word = self ? matrix.source[row] : matrix.target[row];
    const auto has_word = [&](std::size_t column) {
      return (!self || column != row) && matrix.source[column] == word;
    };
    if (std::ranges::any_of(std::views::iota(std::size_t{0}, visible), has_word))
      role(Role::same_word).add(has_word(best));
  }
}

void HeadMeasures::add_links(const AttentionMatrix& words, const GoldAlignment& gold) {
  check(words);
  const auto linked = links_by_target(gold, words.target.size());
  for (std::size_t row = 0; row < words.target.size(); ++row) {
    if (words.target[row] == kEndToken || words.source.size() < 2) continue;
    const std::size_t best = strongest(words, row, words.source.size());
    if (!linked[row].empty()) role(Role::aligned).add(linked[row].contains(best));
    const auto neighbour = [&](Role which, std::size_t other) {
      std::set<std::size_t> alone;
      std::set_difference(linked[other].begin(), linked[other].end(), linked[row].begin(),
                          linked[row].end(), std::inserter(alone, alone.end()));
      if (!alone.empty()) role(which).add(alone.contains(best));
    };
    if (row > 0) neighbour(Role::previous, row - 1);
    if (row + 1 < words.target.size()) neighbour(Role::next, row + 1);
  }
}

void HeadMeasures::add_antecedents(const AttentionMatrix& words,
                                   std::span<const Antecedent> antecedents,
                                   const GoldAlignment* gold, const std::string& where) {
  check(words);
  for (const Antecedent& one : antecedents) {
    const bool encoder = words.kind == AttentionKind::encoder;
    if (encoder || words.kind == AttentionKind::cross) {
      require_position(one.pronoun, words.source, "pronoun", where);
      require_position(one.antecedent, words.source, "antecedent", where);
    }
    if (!encoder) require_position(one.target_pronoun, words.target, "target pronoun", where);
    const std::size_t row = encoder ? one.pronoun : one.target_pronoun;
    if (words.kind != AttentionKind::decoder) {
      const std::size_t best = strongest(words, row, words.source.size(), one.pronoun);
      role(Role::antecedent).add(best == one.antecedent);
    } else if (gold != nullptr) {
      const std::size_t visible = visible_columns(words, row);
      std::set<std::size_t> read;  // the column of target word j is j + 1: `<s>` is the first
      for (const Link& link : gold->possible)
        if (link.source == one.antecedent && link.target < row) read.insert(link.target + 1);
      if (!read.empty()) role(Role::antecedent).add(read.contains(strongest(words, row, visible)));
    }
  }
}

void HeadReport::add(const std::vector<AttentionMatrix>& matrices, const HeadGold& gold,
                     const std::string& where) {
  if (!matrices.empty()) ++sentences_;
  for (const AttentionMatrix& pieces : matrices) {
    HeadMeasures& head = row_for(pieces, heads_);
    const bool by_words = options_.words || gold.links != nullptr || gold.antecedents != nullptr;
    const AttentionMatrix words = by_words ? merge_words(pieces) : AttentionMatrix{};
    head.add(options_.words ? words : pieces, options_.separators);
    if (gold.links != nullptr && pieces.kind == AttentionKind::cross) {
      require_inside(*gold.links, length_before_end(words.source), length_before_end(words.target),
                     where);
      head.add_links(words, *gold.links);
    }
    if (gold.antecedents != nullptr)
      head.add_antecedents(words, *gold.antecedents, gold.links, where);
  }
}

std::string heads_table(const HeadReport& report) {
  std::string out;
  for (const AttentionKind kind : kinds_of(report)) {
    const auto heads = of_kind(report, kind);
    const std::string title = title_of(kind);
    out += fmt::format(
        "{}{}, {}: where the weight is\n{}\n{}: what the strongest place is, % of "
        "rows\n{}",
        out.empty() ? "" : "\n", title, counted(report.sentences(), "sentence"),
        spread_table(heads), title, role_table(heads, report.options()));
  }
  return out;
}

std::string heads_csv(const HeadReport& report) {
  std::string out = "kind,layer,head,rows";
  for (const auto& [name, mean] : kMeans) out += std::string(",") + name;
  for (int64_t i = -kReach; i <= kReach; ++i) out += ",at_" + signed_number(i);
  for (const Role role : kAllRoles) out += "," + csv_name(role);
  out += ",roles\n";
  for (const HeadMeasures& head : report.heads()) {
    std::vector<std::string> row = {name_of(head.kind), std::to_string(head.layer),
                                    head_name(head.head), std::to_string(head.rows())};
    for (const auto& [name, mean] : kMeans) row.push_back(fixed((head.*mean).value(), 6));
    for (const RowMean& weight : head.profile) row.push_back(fixed(weight.value(), 6));
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
    for (int64_t i = -kReach; i <= kReach; ++i)
      profile[signed_number(i)] = head.profile[i + kReach].value();
    for (const Role role : kAllRoles)
      if (const score::Proportion& share = head.role(role); share.of > 0)
        roles[csv_name(role)] = {{"share", share.value()}, {"rows", share.of}};
    for (const Role role : head.named(report.options().threshold, report.options().least))
      names.push_back(csv_name(role));
    nlohmann::ordered_json one = {{"kind", name_of(head.kind)},
                                  {"layer", head.layer},
                                  {"head", head.head},
                                  {"rows", head.rows()}};
    for (const auto& [name, mean] : kMeans) one[name] = (head.*mean).value();
    one["profile"] = std::move(profile);
    one["shares"] = std::move(roles);
    one["roles"] = std::move(names);
    heads.push_back(std::move(one));
  }
  const nlohmann::ordered_json json = {{"sentences", report.sentences()},
                                       {"unit", report.options().words ? "words" : "pieces"},
                                       {"threshold", report.options().threshold},
                                       {"least_rows", report.options().least},
                                       {"heads", std::move(heads)}};
  return json.dump(2) + "\n";
}

}  // namespace heed::study
