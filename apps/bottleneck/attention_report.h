// The part of a family's report about the attention of one model: its files, its alignment error
// and the pronouns that it translates.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "draw/report.h"
#include "run/config.h"
#include "run/held_out.h"
#include "run/model_folder.h"
#include "score/lengths.h"
#include "study/alignment.h"
#include "study/attention_matrix.h"
#include "study/pronouns.h"
#include "text/pairs.h"

namespace heed {

/// The gold annotations by line; empty where no file of them is given.
struct AttentionGold {
  text::Pairs valid;  // data.valid, which valid_alignments are of
  std::vector<study::GoldAlignment> alignments, valid_alignments;
  std::vector<std::vector<study::Antecedent>> antecedents;
  study::PronounForms forms;
};

/// The files of the config's evaluation.alignments, .valid_alignments and .antecedents, as far as
/// they are given. Throws UserError naming file and line of what is wrong with them.
AttentionGold read_attention_gold(const run::Config& config, const run::TestSet& set);

struct AttentionScores {
  /// The rate at the layer, head and step that fit evaluation.valid_alignments best, or else at
  /// those that aligner_of() starts with; nothing without gold or attention.
  std::optional<double> alignment_error;
  std::string alignment_choice;
  std::optional<double> diagonal_error;  // of a monotone guess
  std::optional<double> pronouns;        // share of genders that are right, 0..1
};

/// Compares the model with the gold annotations that there are. `hypotheses` are its translations
/// of the test set.
AttentionScores attention_scores(const run::ModelFolder& folder, const run::Config& config,
                                 const AttentionGold& gold, const run::TestSet& set,
                                 const std::vector<std::string>& hypotheses);

/// Writes attention.html, every layer and head of the long sentence and those of other lengths;
/// attention.svg and attention.csv, by words, of the long one. They go to the model's folder.
/// Returns what the two show: the layer and head of usual_choice(). Nothing is written for a model
/// that does not attend.
std::optional<study::AttentionMatrix> write_attention(const run::ModelFolder& model,
                                                      const std::string& title,
                                                      const draw::Report& report,
                                                      const score::SystemOutput& output);

}  // namespace heed
