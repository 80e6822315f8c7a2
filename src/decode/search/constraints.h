// Lexically constrained search: translations that have given terms (Hokamp and Liu 2017), by
// dynamic beam allocation (Post and Vilar 2018; Hu et al. 2019).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace heed::decode {

/// The targets of a term, in pieces: a translation with any of them obeys the term.
using TermPieces = std::vector<std::vector<int32_t>>;

/// What hypotheses have of the terms of their sentence: an automaton of all targets (Aho and
/// Corasick 1975), so that terms may overlap, and a hypothesis that leaves a target falls back to
/// what its last pieces are the beginning of. A state is a node with the terms that were met
/// before; it gets its number when it is reached. 0: the empty hypothesis.
class TermAutomaton {
 public:
  /// `inside_words`: of each piece, whether it goes on with the word before it, so that a target
  /// right before it is not met. Empty: no piece does. Must outlive this.
  TermAutomaton(const std::vector<TermPieces>& terms, std::span<const char> inside_words);

  /// The state behind one piece more.
  int32_t next(int32_t state, int32_t piece);

  struct Standing {
    int64_t missing = 0;          // terms that are not met
    int64_t left = 0;             // pieces that are enough to meet them
    std::vector<int32_t> wanted;  // pieces that go on with their targets; ascending
  };
  /// Some piece of `wanted` leads to a state with fewer pieces left, unless none is missing.
  const Standing& at(int32_t state) const { return states_[state].standing; }

 private:
  struct Passing {
    int32_t term;
    int64_t rest;  // pieces of it that are still to come; 0: it ends here
  };
  struct Node {
    std::map<int32_t, int32_t> next;  // by piece
    std::vector<Passing> targets;     // that go through it
    int32_t shorter = -1;             // the node of its longest other ending; -1: it is the root
  };
  using Met = std::vector<char>;  // by term
  struct Reached {
    int32_t node;
    Met met;  // before the last piece
    Standing standing;
  };

  bool is_inside(int32_t piece) const {
    return !inside_words_.empty() && inside_words_[piece] != 0;
  }
  int32_t go(int32_t node, int32_t piece) const;
  Met met_in(const Reached& state) const;
  Standing standing_of(const Reached& state) const;
  int32_t number_of(int32_t node, Met met);

  std::vector<int64_t> shortest_;  // target of each term, in pieces
  std::span<const char> inside_words_;
  std::vector<Node> nodes_;
  std::deque<Reached> states_;
  std::map<std::pair<int32_t, Met>, int32_t> numbers_;
};

/// A continuation of a hypothesis by one piece.
struct Continuation {
  int32_t slot, token;    // the hypothesis, the piece
  float log_probability;  // of the piece
  double total;           // of both
  int32_t terms = 0;      // state of a TermAutomaton
  int32_t place = 0;      // in its bank

  /// Better before worse; equal ones by hypothesis and piece.
  bool operator<(const Continuation& other) const {
    if (total != other.total) return total > other.total;
    return slot != other.slot ? slot < other.slot : token < other.token;
  }
};

/// Puts the continuations, each once, into the order in which a beam takes them. Those with equally
/// many pieces left are a bank: first the best of each bank, fewest left first, then the second of
/// each, and so on. Leaves out those that have more than `room` pieces left, if there are others.
void allocate(std::vector<Continuation>& choices, const TermAutomaton& terms, int64_t room);

}  // namespace heed::decode
