// Lexically constrained search: translations that have given terms (Hokamp and Liu 2017), by
// dynamic beam allocation (Post and Vilar 2018; Hu et al. 2019).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace heed::decode {

/// The targets of a term, in pieces: a translation with any of them obeys the term.
using TermPieces = std::vector<std::vector<int32_t>>;

/// What hypotheses have of the terms of their sentence: an automaton of all targets (Aho and
/// Corasick 1975), so that terms may overlap, and a hypothesis that leaves a target falls back to
/// what its last pieces are the beginning of.
class TermAutomaton {
 public:
  /// `inside_words`: of each piece, whether it goes on with the word before it, so that a target
  /// right before it is not met. Empty: no piece does. Must outlive this.
  TermAutomaton(const std::vector<TermPieces>& terms, std::span<const char> inside_words);

  struct Standing {
    int64_t missing = 0;  // terms that are not met
    int64_t left = 0;     // pieces that are enough to meet them
    bool operator==(const Standing&) const = default;
  };
  struct Met {
    std::vector<char> terms;  // 1: met
    Standing others;          // of those that are not
  };
  /// Of a hypothesis.
  struct TermState {
    int32_t node = 0;
    Met before, met;  // before its last piece, and with it
    Standing standing;
    std::vector<int32_t> wanted;  // pieces that go on with targets of missing terms; ascending
  };
  using StatePtr = std::shared_ptr<const TermState>;

  /// Of the empty hypothesis.
  StatePtr start() const;
  /// Behind one piece more.
  StatePtr next(const TermState& state, int32_t piece) const;
  /// next()'s standing, for candidates most of which are not taken. Some piece of `wanted` leads to
  /// fewer pieces left, unless none is missing.
  Standing after(const TermState& state, int32_t piece) const;

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

  bool is_inside(int32_t piece) const {
    return !inside_words_.empty() && inside_words_[piece] != 0;
  }
  int32_t go(int32_t node, int32_t piece) const;
  Met met_at(int32_t node, Met before) const;
  Standing standing_of(int32_t node, const Met& before) const;
  StatePtr state_at(int32_t node, Met before) const;

  std::vector<int64_t> shortest_;  // target of each term, in pieces
  std::span<const char> inside_words_;
  std::vector<Node> nodes_;
};

/// A continuation of a hypothesis by one piece.
struct Continuation {
  int32_t slot, token;    // the hypothesis, the piece
  float log_probability;  // of the piece
  double total;           // of both
  TermAutomaton::Standing terms = {};
  int32_t place = 0;  // in its bank

  /// Better before worse; equal ones by hypothesis and piece.
  bool operator<(const Continuation& other) const {
    if (total != other.total) return total > other.total;
    return slot != other.slot ? slot < other.slot : token < other.token;
  }
};

/// Puts the continuations, each once, into the order in which a beam takes them. Those with equally
/// many pieces left are a bank: first the best of each bank, fewest left first, then the second of
/// each, and so on. Leaves out those that have more than `room` pieces left, if there are others.
void allocate(std::vector<Continuation>& choices, int64_t room);

}  // namespace heed::decode
