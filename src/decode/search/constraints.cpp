#include "decode/search/constraints.h"

#include <algorithm>
#include <limits>
#include <set>

namespace heed::decode {

TermAutomaton::TermAutomaton(const std::vector<TermPieces>& terms,
                             std::span<const char> inside_words)
    : inside_words_(inside_words), nodes_(1) {
  for (std::size_t term = 0; term < terms.size(); ++term) {
    shortest_.push_back(std::numeric_limits<int64_t>::max());
    for (const std::vector<int32_t>& target : terms[term]) {
      int64_t rest = std::ssize(target);
      shortest_.back() = std::min(shortest_.back(), rest);
      int32_t node = 0;
      for (const int32_t piece : target) {
        const auto [at, is_new] = nodes_[node].next.emplace(piece, std::ssize(nodes_));
        node = at->second;
        if (is_new) nodes_.emplace_back();
        nodes_[node].targets.push_back({static_cast<int32_t>(term), --rest});
      }
    }
  }
  std::vector<int32_t> order{0};  // shorter ones first
  for (std::size_t i = 0; i < order.size(); ++i)
    for (const auto& [piece, child] : nodes_[order[i]].next) {
      nodes_[child].shorter = order[i] == 0 ? 0 : go(nodes_[order[i]].shorter, piece);
      order.push_back(child);
    }
  number_of(0, Met(terms.size()));
}

int32_t TermAutomaton::go(int32_t node, int32_t piece) const {
  for (; node >= 0; node = nodes_[node].shorter) {
    const auto found = nodes_[node].next.find(piece);
    if (found != nodes_[node].next.end()) return found->second;
  }
  return 0;
}

TermAutomaton::Met TermAutomaton::met_in(const Reached& state) const {
  Met met = state.met;
  for (int32_t node = state.node; node > 0; node = nodes_[node].shorter)
    for (const Passing& one : nodes_[node].targets)
      if (one.rest == 0) met[one.term] = 1;
  return met;
}

int32_t TermAutomaton::next(int32_t state, int32_t piece) {
  const Reached& before = states_[state];
  return number_of(go(before.node, piece), is_inside(piece) ? before.met : met_in(before));
}

int32_t TermAutomaton::number_of(int32_t node, Met met) {
  const auto [at, is_new] = numbers_.emplace(std::pair(node, met), std::ssize(states_));
  if (is_new) {
    states_.push_back({node, std::move(met), {}});
    states_.back().standing = standing_of(states_.back());
  }
  return at->second;
}

TermAutomaton::Standing TermAutomaton::standing_of(const Reached& state) const {
  Standing out;
  const Met met = met_in(state);
  int64_t at_risk = 0;  // of terms that are met, unless their last word goes on
  for (std::size_t term = 0; term < met.size(); ++term) {
    if (met[term] == 0) {
      ++out.missing;
      out.left += shortest_[term];
    } else if (state.met[term] == 0) {
      at_risk += shortest_[term];
    }
  }
  std::set<int32_t> wanted;
  int64_t saved = 0;  // by the target that is begun
  for (int32_t node = state.node; node >= 0; node = nodes_[node].shorter)
    for (const auto& [piece, child] : nodes_[node].next)
      for (const Passing& one : nodes_[child].targets) {
        if (met[one.term] != 0) continue;
        wanted.insert(piece);
        const int64_t begun = shortest_[one.term] - one.rest - 1;
        saved = std::max(saved, begun - (is_inside(piece) ? at_risk : 0));
      }
  out.left -= saved;
  out.wanted.assign(wanted.begin(), wanted.end());
  return out;
}

void allocate(std::vector<Continuation>& choices, const TermAutomaton& terms, int64_t room) {
  const auto left = [&](const Continuation& one) { return terms.at(one.terms).left; };
  const auto is_late = [&](const Continuation& one) { return left(one) > room; };
  if (!std::ranges::all_of(choices, is_late)) std::erase_if(choices, is_late);
  std::ranges::sort(choices, [&](const Continuation& a, const Continuation& b) {
    return left(a) != left(b) ? left(a) < left(b) : a < b;
  });
  // A wanted piece may be one of the best, too.
  const auto piece = [](const Continuation& one) { return std::pair(one.slot, one.token); };
  const auto again = std::ranges::unique(choices, {}, piece);
  choices.erase(again.begin(), again.end());
  for (std::size_t i = 1; i < choices.size(); ++i)
    if (left(choices[i]) == left(choices[i - 1])) choices[i].place = choices[i - 1].place + 1;
  std::ranges::stable_sort(choices, {}, &Continuation::place);
}

}  // namespace heed::decode
