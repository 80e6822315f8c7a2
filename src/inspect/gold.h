// Gold alignments, beside models that may see other words than the text has.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "study/alignment.h"
#include "study/attention_matrix.h"
#include "text/pairs.h"

namespace heed::inspect {

/// How files of gold alignments write their links.
struct GoldForm {
  bool swapped = false;    // target-source instead of source-target
  bool one_based = false;  // the first word of a sentence is 1, not 0
};

/// Gold alignments of `pairs`, one a line; none at all without a path. Throws UserError naming file
/// and line, also of a link outside its pair.
std::vector<study::GoldAlignment> read_gold(const std::string& path, const text::Pairs& pairs,
                                            const GoldForm& form);

struct GoldPairs {
  text::Pairs pairs;
  std::vector<study::GoldAlignment> gold;  // of each pair
  std::string name;                        // of their file, for messages
};

/// For a model that translates from the target to the source.
GoldPairs turned_round(GoldPairs pairs);

/// Whether the words of a sentence's matrices, by pieces, are as many as the two lines have. Where
/// a vocabulary finds others, their positions are not those of the text. The encoder's matrices
/// have words of the source only, the decoder's of the target; without any it is true.
bool keeps_words(const std::vector<study::AttentionMatrix>& pieces, const std::string& source,
                 const std::string& target);

/// Warns that these lines of file `name`, from 1, are left out, and why. Nothing where there are
/// none.
void warn_of_left_out(const std::string& name, const std::vector<std::size_t>& lines,
                      const std::string& why);

class ComparableGold {
 public:
  /// `name` is for messages. No `gold` at all: nothing to compare with.
  ComparableGold(std::vector<study::GoldAlignment> gold, std::string name)
      : gold_(std::move(gold)), name_(std::move(name)) {}

  /// The gold of a line, from 0, of which `pieces` are what was seen; nullptr without gold, without
  /// a matrix, and where keeps_words() is false.
  const study::GoldAlignment* of(std::size_t line,
                                 const std::vector<study::AttentionMatrix>& pieces,
                                 const std::string& source, const std::string& target);
  /// Warns of the lines that were left out, if there are any.
  void tell(const std::string& model) const;

 private:
  std::vector<study::GoldAlignment> gold_;
  std::string name_;
  std::vector<std::size_t> left_out_;  // from 1
};

}  // namespace heed::inspect
