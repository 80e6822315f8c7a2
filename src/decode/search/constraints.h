// Lexically constrained search: a search for translations that contain given terms (Hokamp and Liu
// 2017).
//
// TermAutomaton says of each hypothesis which terms it has already and how many pieces it still
// needs for the others. allocate() uses this to divide a beam among hypotheses that have come
// differently far (dynamic beam allocation: Post and Vilar 2018, in the form of Hu et al. 2019).
//
// A term has one or several targets, each a sequence of pieces. A hypothesis meets the term as soon
// as it contains one of them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace heed::decode {

/// The targets of one term, in pieces: a translation with any of them obeys the term.
using TermPieces = std::vector<std::vector<int32_t>>;

/// Follows the terms of one sentence through its hypotheses.
///
/// It is an automaton of all targets (Aho and Corasick 1975). A node stands for the beginning of a
/// target, the root for none; a hypothesis is at the node of the longest beginning with which its
/// pieces end. So targets may overlap, and a hypothesis that leaves one target falls back to the
/// longest beginning of another that its last pieces still are.
class TermAutomaton {
 public:
  /// `inside_words` says of each piece of the vocabulary whether it continues the word before it
  /// (1) or not (0). A target does not count if such a piece follows it, because its last word has
  /// become another one. `before_more` says of each piece whether the next one continues its word,
  /// as in text that another program has cut: no target begins after such a piece, within a word.
  /// Empty: no piece continues a word, or is continued. Both must outlive this object.
  TermAutomaton(const std::vector<TermPieces>& terms, std::span<const char> inside_words,
                std::span<const char> before_more = {});

  /// The terms that a hypothesis lacks.
  struct MissingTerms {
    int64_t missing = 0;  // number of terms that are not met
    int64_t left = 0;     // number of pieces that would be enough to meet them all
    bool operator==(const MissingTerms&) const = default;
  };
  /// The terms that a hypothesis has.
  struct MetTerms {
    std::vector<char> terms;  // of each term: 1 if it is met, else 0
    MissingTerms others;      // the terms that are not met, as if none of their targets were begun
  };
  /// The state of the automaton for one hypothesis. Whether a target at its very end counts is only
  /// certain when the next piece is known, which may continue the word: hence two sets.
  struct TermState {
    int32_t node = 0;
    MetTerms before;       // without targets that end with the last piece
    MetTerms met;          // with them
    MissingTerms lacking;  // `met.others`, less the pieces of a target that is begun
    /// The pieces that begin or continue a target of a missing term, ascending.
    std::vector<int32_t> required;
  };
  using StatePtr = std::shared_ptr<const TermState>;

  /// Returns the state of the empty hypothesis.
  StatePtr start() const;
  /// Returns the state of the hypothesis of `state` with one more piece.
  StatePtr next(const TermState& state, int32_t piece) const;
  /// Returns `lacking` of next(state, piece) in less time, for the many candidates that a search
  /// does not take. As long as a term is missing, some piece of `state.required` makes `left`
  /// smaller, except within a word that no target begins with (`before_more`).
  MissingTerms after(const TermState& state, int32_t piece) const;

 private:
  /// A target that begins with the pieces of a node.
  struct TargetAtNode {
    int32_t term;
    int64_t rest;  // number of its pieces after this node; 0: it ends here
  };
  struct Node {
    std::map<int32_t, int32_t> next;    // the node after each piece that continues a target
    std::vector<TargetAtNode> targets;  // those that go through this node or end here
    /// The node of the longest proper suffix of these pieces that is a node and begins a word; -1
    /// for the root and for kWithinWord.
    int32_t shorter = -1;
  };

  bool is_inside(int32_t piece) const {
    return !inside_words_.empty() && inside_words_[piece] != 0;
  }
  /// The node of a hypothesis that ends within a word, where no target has begun.
  static constexpr int32_t kWithinWord = 1;

  /// Returns the node where no target has begun, after a piece.
  int32_t none_after(int32_t piece) const {
    return !before_more_.empty() && before_more_[piece] != 0 ? kWithinWord : 0;
  }
  /// Returns the node after one more piece.
  int32_t go(int32_t node, int32_t piece) const;
  /// Returns the terms of `before` and those with a target that ends at `node`.
  MetTerms met_at(int32_t node, MetTerms before) const;
  /// Returns `lacking` of a hypothesis at `node` that has the terms `before` and those that end
  /// there.
  MissingTerms missing_at(int32_t node, const MetTerms& before) const;
  StatePtr state_at(int32_t node, MetTerms before) const;

  std::vector<int64_t> shortest_;  // of each term: the length of its shortest target, in pieces
  std::span<const char> inside_words_, before_more_;
  std::vector<Node> nodes_;  // the first is the root, the second kWithinWord
};

/// A continuation of a hypothesis by one piece.
struct Continuation {
  int32_t slot, token;    // the hypothesis and the piece
  float log_probability;  // of the piece
  double total;           // log-probability of the hypothesis with the piece
  TermAutomaton::MissingTerms terms = {};
  int32_t bank_rank = 0;  // its rank in its bank, from 0 (see allocate())

  /// Orders continuations from the best to the worst; equal ones by hypothesis, then by piece.
  bool operator<(const Continuation& other) const {
    if (total != other.total) return total > other.total;
    return slot != other.slot ? slot < other.slot : token < other.token;
  }
};

/// Puts the continuations into the order in which a beam takes them, and removes duplicates. Those
/// with the same number of pieces left (MissingTerms::left) form a bank. First comes the best of
/// each bank, beginning with the bank that has the fewest pieces left, then the second best of
/// each, and so on. `room` is the number of pieces that still fit: continuations that need more are
/// removed, unless all do.
void allocate(std::vector<Continuation>& choices, int64_t room);

}  // namespace heed::decode
