#include "apps/attention_scores.h"

#include "apps/aligner.h"
#include "eval/antecedents.h"
#include "eval/pronouns.h"

namespace heed {
namespace {

void add_alignments(const std::string& folder, const std::string& path, const TestSet& set,
                    AttentionScores& scores) {
  const Pairs pairs{set.source, set.reference};
  const auto gold = read_gold(path, pairs.source.size(), /*swapped=*/false);
  Aligner aligner(folder, {});
  const eval::AlignmentSweep sweep = aligner.sweep(pairs, gold, path);
  const eval::AlignmentChoice best = sweep.best();
  scores.alignment_error = sweep.errors().at(best).rate();
  scores.alignment_choice = eval::describe(best);
  scores.diagonal_error = sweep.diagonal().rate();
}

std::optional<double> pronoun_share(const eval::EvaluationConfig& evaluation, const TestSet& set,
                                    const std::vector<std::string>& hypotheses) {
  const auto forms = eval::parse_forms(evaluation.pronouns);
  const auto gold = eval::parse_antecedents(read_lines(evaluation.antecedents), set.source.size(),
                                            evaluation.antecedents);
  eval::PronounReport report;
  for (std::size_t i = 0; i < hypotheses.size(); ++i)
    report.add(gold[i], eval::pronoun_genders(hypotheses[i], forms));
  if (report.all.of == 0) return std::nullopt;
  return report.all.value();
}

}  // namespace

AttentionScores attention_scores(const std::string& folder, const Config& config,
                                 const TestSet& set, const std::vector<std::string>& hypotheses) {
  AttentionScores scores;
  const eval::EvaluationConfig& evaluation = config.evaluation;
  if (!evaluation.alignments.empty() && open_model(folder, {}).model->attends())
    add_alignments(folder, evaluation.alignments, set, scores);
  if (!evaluation.antecedents.empty()) scores.pronouns = pronoun_share(evaluation, set, hypotheses);
  return scores;
}

}  // namespace heed
