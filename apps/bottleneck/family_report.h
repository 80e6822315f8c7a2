// The report of a family: the attention of its models, each as a page, a picture and a table beside
// the weights, what it is worth beside BLEU, alignments and pronouns, and all of it put together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "draw/report.h"
#include "run/config.h"
#include "run/family.h"
#include "run/held_out.h"
#include "run/model_folder.h"
#include "score/lengths.h"
#include "study/alignment.h"
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

/// What the models are called where people read about them, one for each member: "without
/// attention", "Bahdanau", "Luong general with input feeding", "Transformer"; where two would be
/// the same, with the member's name behind.
std::vector<std::string> titles_of(const std::vector<run::FamilyMember>& members);

/// The report reads by titles, the files of the folder by names.
score::LengthReport titled(score::LengthReport lengths, const std::vector<std::string>& titles);
std::vector<score::SystemOutput> titled(std::vector<score::SystemOutput> outputs,
                                        const std::vector<std::string>& titles);

/// Everything that the outputs tell: title, what the members have in common, curve and sentences.
/// Throws UserError where no source line has words.
draw::Report begin_report(const std::vector<run::FamilyMember>& members,
                          const score::LengthReport& lengths, const run::TestSet& set,
                          const std::vector<score::SystemOutput>& outputs);

/// The loss of all members; by minutes where these are the budget.
draw::Plot learning_of(const std::vector<run::FamilyMember>& members,
                       const std::vector<std::string>& titles, const run::Config& config);

/// What of a model goes to its attention page: the long sentence, then those of other lengths.
std::vector<Translated> sentences_of(const draw::Report& report, const score::SystemOutput& output);

/// What is told of one model.
draw::ReportSystem report_system(const run::FamilyMember& member, const std::string& title,
                                 const run::TestSet& set, const score::SystemOutput& output,
                                 const AttentionScores& attention);

}  // namespace heed
