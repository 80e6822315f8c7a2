// The attention of one model of a family: a page, a picture and a table of it beside the model's
// weights, and what it is worth beside BLEU, alignments and pronouns.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "run/config.h"
#include "run/held_out.h"
#include "run/model_folder.h"
#include "study/alignment_sweep.h"
#include "study/antecedents.h"
#include "study/attention_matrix.h"
#include "study/pronouns.h"
#include "text/pairs.h"

namespace heed {

/// A sentence of the test set and this model's translation of it.
struct Translated {
  std::size_t line = 0;  // from 0
  std::string source, translation;
};

/// Writes attention.html, every layer and head of these sentences; attention.svg and attention.csv,
/// by words, of the first one. They go to the model's folder. Returns what the two show: the layer
/// and head of usual_choice(). Nothing is written for a model that does not attend.
std::optional<study::AttentionMatrix> write_attention(const run::ModelFolder& model,
                                                      const std::string& title,
                                                      const std::vector<Translated>& sentences);

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
