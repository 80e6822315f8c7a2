// A model as a word aligner, forced-target attention to hard alignments; two models joined; and
// gold alignments beside models that may see other words than the text has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "decode/translator.h"
#include "inspect/details.h"
#include "model/description/config.h"
#include "model/description/traits.h"
#include "study/alignment.h"
#include "study/attention_matrix.h"
#include "text/pairs.h"

namespace heed::inspect {

/// Gold alignments of `pairs`, one a line; none at all without a path. Throws UserError naming file
/// and line, also of a link outside its pair.
std::vector<study::GoldAlignment> read_gold(const std::string& path, const text::Pairs& pairs,
                                            const GoldForm& form);

struct GoldPairs {
  text::Pairs pairs;
  std::vector<study::GoldAlignment> gold;  // of each pair
  std::string name;                        // of their file, for messages
};

/// Returns the pairs for a model that translates from the target to the source.
GoldPairs reversed(GoldPairs pairs);

/// Whether the words of a sentence's matrices, by pieces, are as many as the two lines have. Where
/// a vocabulary finds others, their positions are not those of the text. The encoder's matrices
/// have words of the source only, the decoder's of the target; without any it is true.
bool keeps_words(const std::vector<study::AttentionMatrix>& pieces, const std::string& source,
                 const std::string& target);

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

/// Blank where a line has more pieces on a side than Translator::pair_limit(); its number, from 1,
/// is added to `left_out`. `first` is the number of the first line, from 0.
text::Pairs without_long_pairs(const decode::Translator& translator, text::Pairs pairs,
                               std::size_t first, std::vector<std::size_t>& left_out);
/// Does the same, with a warning that names the pairs' file.
text::Pairs without_long_pairs(const decode::Translator& translator, text::Pairs pairs,
                               const std::string& name);

/// The weights by which words are linked.
struct LinkRule {
  study::AlignmentChoice choice;
  double least = 0;  // words whose largest weight is below it have no link
};

class Aligner {
 public:
  /// `name` is the model's, for messages. Throws UserError for a model without cross-attention.
  Aligner(decode::Translator translator, const model::ModelConfig& config, std::string name);

  /// The error rate of everything that LinkRule::choice could be, with `least`, over the lines
  /// whose words the vocabulary keeps and that are not too long; a warning counts the others.
  study::AlignmentSweep sweep(const GoldPairs& gold, double least = 0);

  /// One per pair; of blank, odd and long lines it is empty. `first` is the number of the first
  /// line in its file, from 0.
  std::vector<study::Alignment> align(const text::Pairs& pairs, std::size_t first,
                                      const LinkRule& rule);

  const std::string& name() const { return name_; }
  const model::Traits& traits() const { return traits_; }
  /// Whether a line, from 0, is none of those that get no links: it has more pieces on a side than
  /// Translator::pair_limit(), or the vocabulary finds other words in it than the text has, and
  /// links would count these.
  bool has_links(std::size_t line) const;
  void warn_of_lines_without_links() const;

 private:
  decode::Translator translator_;
  model::Traits traits_;
  std::string name_;
  std::vector<std::size_t> odd_lines_, long_lines_;  // from 1, in order
};

struct AlignerByRule {
  Aligner aligner;
  LinkRule rule;

  /// Aligns as Aligner::align() does.
  std::vector<study::Alignment> align(const text::Pairs& pairs, std::size_t first) {
    return aligner.align(pairs, first, rule);
  }
};

class SymmetrizedAligner {
 public:
  /// `backward` translates from the target to the source. Both must live on. `gold`, by line of the
  /// whole file or empty, is what errors are counted by.
  SymmetrizedAligner(AlignerByRule& forward, AlignerByRule& backward, study::Symmetrization method,
                     std::vector<study::GoldAlignment> gold = {})
      : forward_(forward), backward_(backward), method_(method), gold_(std::move(gold)) {}

  /// Aligns as Aligner::align() does. A line to which one of the models gives no links has none,
  /// because the method needs the links of both.
  std::vector<study::Alignment> align(const text::Pairs& pairs, std::size_t first);

  /// Return the errors of the backward model and of the joined alignments, in all lines so far that
  /// both models can read.
  const study::AlignmentError& backward_error() const { return backward_error_; }
  const study::AlignmentError& joined_error() const { return joined_error_; }

 private:
  AlignerByRule &forward_, &backward_;
  study::Symmetrization method_;
  std::vector<study::GoldAlignment> gold_;
  study::AlignmentError backward_error_, joined_error_;
};

}  // namespace heed::inspect
