#include "decode/search/constraints.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>

namespace heed::decode {

TermAutomaton::TermAutomaton(const std::vector<TermPieces>& terms,
                             std::span<const char> inside_words, std::span<const char> before_more)
    : inside_words_(inside_words), before_more_(before_more), nodes_(2) {
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
  std::vector<int32_t> order{0};  // nodes of fewer pieces first: go() needs their `shorter`
  for (std::size_t i = 0; i < order.size(); ++i)
    for (const auto& [piece, child] : nodes_[order[i]].next) {
      nodes_[child].shorter =
          order[i] == 0 ? none_after(piece) : go(nodes_[order[i]].shorter, piece);
      order.push_back(child);
    }
}

int32_t TermAutomaton::go(int32_t node, int32_t piece) const {
  for (; node >= 0; node = nodes_[node].shorter) {
    const auto found = nodes_[node].next.find(piece);
    if (found != nodes_[node].next.end()) return found->second;
  }
  return none_after(piece);
}

TermAutomaton::MetTerms TermAutomaton::met_at(int32_t node, MetTerms met) const {
  for (; node > 0; node = nodes_[node].shorter)
    for (const TargetAtNode& one : nodes_[node].targets) {
      if (one.rest > 0 || met.terms[one.term] != 0) continue;
      met.terms[one.term] = 1;
      --met.others.missing;
      met.others.left -= shortest_[one.term];
    }
  return met;
}

TermAutomaton::MissingTerms TermAutomaton::missing_at(int32_t node, const MetTerms& before) const {
  MissingTerms out = before.others;
  std::vector<int32_t> ended;  // terms with a target that ends here
  int64_t at_risk = 0;  // their pieces, which are lost if the next piece continues the last word
  const auto is_met = [&](int32_t term) {
    return before.terms[term] != 0 || std::ranges::find(ended, term) != ended.end();
  };
  for (int32_t at = node; at > 0; at = nodes_[at].shorter)
    for (const TargetAtNode& one : nodes_[at].targets)
      if (one.rest == 0 && !is_met(one.term)) {
        ended.push_back(one.term);
        at_risk += shortest_[one.term];
      }
  int64_t saved = 0;  // pieces that the best target which is begun has already; none at the root
  for (int32_t at = node; at > 0; at = nodes_[at].shorter)
    for (const auto& [piece, child] : nodes_[at].next)
      for (const TargetAtNode& one : nodes_[child].targets)
        if (!is_met(one.term))
          saved = std::max(saved,
                           shortest_[one.term] - one.rest - 1 - (is_inside(piece) ? at_risk : 0));
  out.missing -= std::ssize(ended);
  out.left -= at_risk + saved;
  return out;
}

TermAutomaton::StatePtr TermAutomaton::state_at(int32_t node, MetTerms before) const {
  TermState state{.node = node, .met = met_at(node, before), .lacking = missing_at(node, before)};
  state.before = std::move(before);
  for (int32_t at = node; at >= 0; at = nodes_[at].shorter)
    for (const auto& [piece, child] : nodes_[at].next)
      if (std::ranges::any_of(nodes_[child].targets, [&](const TargetAtNode& one) {
            return state.met.terms[one.term] == 0;
          }))
        state.required.push_back(piece);
  std::ranges::sort(state.required);
  const auto again = std::ranges::unique(state.required);
  state.required.erase(again.begin(), again.end());
  return std::make_shared<TermState>(std::move(state));
}

TermAutomaton::StatePtr TermAutomaton::start() const {
  const MissingTerms all{.missing = std::ssize(shortest_),
                         .left = std::accumulate(shortest_.begin(), shortest_.end(), int64_t{0})};
  return state_at(0, {std::vector<char>(shortest_.size()), all});
}

TermAutomaton::StatePtr TermAutomaton::next(const TermState& state, int32_t piece) const {
  return state_at(go(state.node, piece), is_inside(piece) ? state.before : state.met);
}

TermAutomaton::MissingTerms TermAutomaton::after(const TermState& state, int32_t piece) const {
  return missing_at(go(state.node, piece), is_inside(piece) ? state.before : state.met);
}

void allocate(std::vector<Continuation>& choices, int64_t room) {
  const auto left = [](const Continuation& one) { return one.terms.left; };
  const auto is_late = [&](const Continuation& one) { return left(one) > room; };
  if (!std::ranges::all_of(choices, is_late)) std::erase_if(choices, is_late);
  std::ranges::sort(choices, [&](const Continuation& a, const Continuation& b) {
    return left(a) != left(b) ? left(a) < left(b) : a < b;
  });
  // A piece is there twice if it is required and also one of the best.
  const auto piece = [](const Continuation& one) { return std::pair(one.slot, one.token); };
  const auto again = std::ranges::unique(choices, {}, piece);
  choices.erase(again.begin(), again.end());
  for (std::size_t i = 1; i < choices.size(); ++i)
    if (left(choices[i]) == left(choices[i - 1]))
      choices[i].bank_rank = choices[i - 1].bank_rank + 1;
  std::ranges::stable_sort(choices, {}, &Continuation::bank_rank);
}

}  // namespace heed::decode
