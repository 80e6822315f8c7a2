// Where the inlays of a segment belong in its translation, by attention.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "document/segment.h"
#include "document/stand_ins.h"
#include "document/weights.h"

namespace heed::document {

/// A word as bytes [begin, end) of a text.
struct PlacedWord {
  std::size_t begin = 0, end = 0;
  std::size_t first = 0, last = 0;  // without punctuation at both ends

  bool is_punctuation() const { return first == last; }
};

/// An inlay, or the whole segment, while it is put into the translation.
struct InlayNode {
  const Inlay* inlay = nullptr;                  // none: the segment
  std::size_t source_begin = 0, source_end = 0;  // source words inside it
  std::size_t begin = 0, end = 0;                // words of the translation: the run
  std::vector<std::size_t> children = {};        // in the order of the source
  // Where it stands: 2 * word is before the word, 2 * word + 1 after it. A run has the slot of its
  // beginning.
  std::size_t slot = 0;

  bool has_run() const { return begin < end; }
};

/// Whether punctuation stands directly after the inlay, or after one blank.
bool is_before_punctuation(const Segment& segment, const Inlay& inlay);
/// Whether a bracket of a document stands directly before the inlay: it is before the next word.
bool is_after_bracket(const Segment& segment, const Inlay& inlay);

/// The words of a segment and of its translation, and the place of each inlay among the latter.
class InlayPlaces {
 public:
  /// `stand_ins`: of the translation. The segment outlives this object.
  InlayPlaces(const Segment& segment, const std::string& translation, const WordWeights& weights,
              const std::vector<FoundStandIn>& stand_ins);

  const std::vector<PlacedWord>& source() const { return source_; }
  const std::vector<PlacedWord>& target() const { return target_; }
  /// The segment; a node of each inlay, in the order of the inlays.
  const std::vector<InlayNode>& nodes() const { return nodes_; }

 private:
  /// The weights with those of each word of the translation that is a stand-in all at the word that
  /// it is in the source.
  WordWeights with_stand_ins(WordWeights weights, const std::vector<FoundStandIn>& stand_ins) const;
  /// Computes sums_ over columns, and aligned_, the row of the largest weight of each column.
  void add_up(const WordWeights& weights);
  double attention(std::size_t row, const InlayNode& to) const;
  /// The word of the translation that attends most to a source word.
  std::size_t aligned(std::size_t source) const;
  /// The first source word whose letters begin at or after this byte.
  std::size_t first_word(std::size_t byte) const;
  /// Finds runs and slots for the children of a node that has a run.
  void place(InlayNode& node);
  /// The words that together attend most to what is inside the child rather than beside it.
  void find_run(const InlayNode& node, const std::vector<std::size_t>& owner,
                InlayNode& child) const;
  /// Makes a run of the one word that attends most to the inside of the child. Links and marks of
  /// emphasis take any word that has letters, for without one they would be lost.
  void find_word(const InlayNode& node, const std::vector<std::size_t>& owner,
                 InlayNode& child) const;
  /// The slot of a child without a run, in the run of its parent.
  std::size_t slot_of(const InlayNode& child, const InlayNode& parent) const;
  /// Whether nothing but punctuation comes after the item of a document in its element.
  bool is_last(const InlayNode& child, const InlayNode& parent) const;
  /// The slot, or the nearest one outside the run of a child that it would cut.
  std::size_t outside(std::size_t slot, std::size_t child,
                      const std::vector<std::size_t>& owner) const;

  const Segment& segment_;
  std::vector<PlacedWord> source_, target_;
  std::vector<double> sums_;          // [target, source + 1]
  std::vector<std::size_t> aligned_;  // [source]
  std::vector<InlayNode> nodes_;
};

}  // namespace heed::document
