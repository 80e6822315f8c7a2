#include "apps/bottleneck/attention_scores.h"

#include "base/error.h"
#include "model/model.h"
#include "run/inspect_folder.h"

namespace heed {
namespace {

void add_alignments(const run::ModelFolder& folder, const score::EvaluationConfig& evaluation,
                    const AttentionGold& gold, const run::TestSet& set, AttentionScores& scores) {
  inspect::Aligner aligner = run::aligner_of(folder);
  if (!gold.valid_alignments.empty()) {
    const study::AlignmentSweep tuned =
        aligner.sweep({gold.valid, gold.valid_alignments, evaluation.valid_alignments});
    if (tuned.sentences() > 0) aligner.choice = tuned.best();
  }
  const study::AlignmentSweep errors =
      aligner.sweep({{set.source, set.reference}, gold.alignments, evaluation.alignments});
  if (errors.sentences() == 0) return;  // a warning has said why
  scores.alignment_error = errors.errors().at(aligner.choice).rate();
  scores.alignment_choice = describe(aligner.choice);
  scores.diagonal_error = errors.diagonal().rate();
}

double pronoun_share(const AttentionGold& gold, const std::vector<std::string>& hypotheses) {
  study::PronounReport report;
  for (std::size_t i = 0; i < hypotheses.size(); ++i)
    report.add(gold.antecedents[i], study::pronoun_genders(hypotheses[i], gold.forms));
  return report.all.value();
}

}  // namespace

AttentionGold read_attention_gold(const run::Config& config, const run::TestSet& set) {
  const score::EvaluationConfig& evaluation = config.evaluation;
  AttentionGold gold;
  const inspect::GoldForm form{.one_based = evaluation.one_based};
  gold.alignments = inspect::read_gold(evaluation.alignments, {set.source, set.reference}, form);
  if (const std::string& path = evaluation.valid_alignments; !path.empty()) {
    if (config.data.valid.source.empty())
      throw UserError(
          "evaluation.valid_alignments: the alignments of data.valid, which is not set; name it, "
          "or leave them out");
    gold.valid = text::read_pairs(config.data.valid.source, config.data.valid.target);
    gold.valid_alignments = inspect::read_gold(path, gold.valid, form);
  }
  if (const std::string& path = evaluation.antecedents; !path.empty()) {
    gold.antecedents = study::parse_antecedents(text::read_lines(path), set.source.size(), path);
    gold.forms = study::parse_forms(evaluation.pronouns, "evaluation.pronouns");
    study::require_genders(gold.antecedents, gold.forms, path);
  }
  return gold;
}

AttentionScores attention_scores(const run::ModelFolder& folder, const run::Config& config,
                                 const AttentionGold& gold, const run::TestSet& set,
                                 const std::vector<std::string>& hypotheses) {
  AttentionScores scores;
  if (!gold.alignments.empty() && folder.model->attends())
    add_alignments(folder, config.evaluation, gold, set, scores);
  if (!gold.antecedents.empty()) scores.pronouns = pronoun_share(gold, hypotheses);
  return scores;
}

}  // namespace heed
