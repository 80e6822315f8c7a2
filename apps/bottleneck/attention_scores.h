// What the attention of one model of a family is worth beside its BLEU: alignments and pronouns.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "run/config.h"
#include "run/held_out.h"
#include "run/model_folder.h"
#include "study/alignment_sweep.h"
#include "study/antecedents.h"
#include "study/pronouns.h"
#include "text/pairs.h"

namespace heed {

/// What is right, by line; empty where no file of it is given.
struct AttentionGold {
  text::Pairs valid;  // data.valid, which valid_alignments are of
  std::vector<study::GoldAlignment> alignments, valid_alignments;
  std::vector<std::vector<study::Antecedent>> antecedents;
  study::PronounForms forms;
};

struct AttentionScores {
  /// Of the layer, head and step that fit evaluation.valid_alignments best, or else of those that
  /// aligner_of() starts with; nothing without gold or attention.
  std::optional<double> alignment_error;
  std::string alignment_choice;
  std::optional<double> diagonal_error;  // of a monotone guess
  std::optional<double> pronouns;        // share of genders that are right, 0..1
};

/// The files of the config's evaluation.alignments, .valid_alignments and .antecedents, as far as
/// they are given. Throws UserError naming file and line of what is wrong with them.
AttentionGold read_attention_gold(const run::Config& config, const run::TestSet& set);

AttentionScores attention_scores(const run::ModelFolder& folder, const run::Config& config,
                                 const AttentionGold& gold, const run::TestSet& set,
                                 const std::vector<std::string>& hypotheses);

}  // namespace heed
