// A model as a word aligner: forced-target attention to hard alignments.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/cli/command_line.h"
#include "apps/shared/pairs.h"
#include "run/model_folder.h"
#include "study/alignment_sweep.h"

namespace heed {

/// How files of gold alignments write their links.
struct GoldForm {
  bool swapped = false;    // target-source instead of source-target
  bool one_based = false;  // the first word of a sentence is 1, not 0

  /// Declares --swap-gold and --one-based, which need `gold` where it is given.
  void add(CommandLine& command, const Argument* gold = nullptr);
};

/// Gold alignments of `pairs`, one a line; none at all without a path. Throws UserError naming file
/// and line, also of a link outside its pair.
std::vector<study::GoldAlignment> read_gold(const std::string& path, const Pairs& pairs,
                                            const GoldForm& form);

/// Gold alignments beside a model that may see other words than the text has.
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
Pairs without_long_pairs(const decode::Translator& translator, Pairs pairs, std::size_t first,
                         std::vector<std::size_t>& left_out);
/// The same, with a warning that names their file.
Pairs without_long_pairs(const decode::Translator& translator, Pairs pairs,
                         const std::string& name);

/// Where an alignment is taken from if nobody says otherwise: the layer, head and step that guided
/// alignment has taught; without it the step that emits the word, of the layer before the last
/// (Garg et al. 2019, "Jointly learning to align and translate with Transformer models"), or the
/// only one, and the mean of its heads, which is head 0 where no other is left.
study::AlignmentChoice usual_choice(const run::Config& config);

/// --layer, --head, --step and --min-weight of every command that aligns words.
struct AlignmentOptions {
  std::optional<int64_t> layer, head;
  std::string step;
  double least = 0;

  bool chosen() const { return layer || head || !step.empty(); }
  void add(CommandLine& command);
  /// What is given, in place of what `choice` says. The mean of one layer's heads becomes that of
  /// another's.
  void apply(const model::ModelConfig& config, study::AlignmentChoice& choice) const;
};

class Aligner {
 public:
  /// Throws UserError for a model without cross-attention.
  explicit Aligner(run::ModelFolder folder);

  /// At first usual_choice().
  study::AlignmentChoice choice;
  /// Words whose largest weight is below it have no link.
  double least = 0;

  /// The error rate of everything `choice` could be, over the lines whose words the vocabulary
  /// keeps and that are not too long; a warning counts the others. `gold_name` is for messages.
  study::AlignmentSweep sweep(const Pairs& given, const std::vector<study::GoldAlignment>& gold,
                              const std::string& gold_name);

  /// One per pair, by `choice`; of blank, odd and long lines it is empty. `first` is the number of
  /// the first line in its file, from 0.
  std::vector<study::Alignment> align(const Pairs& pairs, std::size_t first);

  const std::string& path() const { return folder_.path; }
  const model::ModelConfig& config() const { return folder_.config.model; }
  /// Lines in which the vocabulary finds other words than the text has: they get no links, which
  /// would count the vocabulary's words. From 1, in order; grows with every call of align().
  const std::vector<std::size_t>& odd_lines() const { return odd_lines_; }
  /// Lines with more than longest() pieces on a side: they get no links either. As odd_lines().
  const std::vector<std::size_t>& long_lines() const { return long_lines_; }
  int64_t longest() const;  // pieces: Translator::pair_limit()
  /// Whether a line, from 0, is none of both.
  bool has_links(std::size_t line) const;

 private:
  run::ModelFolder folder_;
  decode::Translator translator_;
  std::vector<std::size_t> odd_lines_, long_lines_;
};

}  // namespace heed
