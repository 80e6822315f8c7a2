#include "apps/bottleneck/attention_scores.h"

#include "apps/shared/aligner.h"
#include "model/model.h"
#include "study/antecedents.h"
#include "study/pronouns.h"

namespace heed {
namespace {

study::AlignmentSweep sweep(Aligner& aligner, const Pairs& pairs, const std::string& path) {
  return aligner.sweep(pairs, read_gold(path, pairs.source.size(), /*swapped=*/false), path);
}

void add_alignments(const ModelFolder& folder, const Config& config, const TestSet& set,
                    AttentionScores& scores) {
  Aligner aligner(folder);
  if (const std::string& gold = config.evaluation.valid_alignments; !gold.empty()) {
    const data::CorpusFiles& valid = config.data.valid;
    aligner.choice = sweep(aligner, read_pairs(valid.source, valid.target), gold).best();
  }
  const study::AlignmentSweep errors =
      sweep(aligner, {set.source, set.reference}, config.evaluation.alignments);
  scores.alignment_error = errors.errors().at(aligner.choice).rate();
  scores.alignment_choice = describe(aligner.choice);
  scores.diagonal_error = errors.diagonal().rate();
}

std::optional<double> pronoun_share(const score::EvaluationConfig& evaluation, const TestSet& set,
                                    const std::vector<std::string>& hypotheses) {
  const auto forms = study::parse_forms(evaluation.pronouns);
  const auto gold = study::parse_antecedents(read_lines(evaluation.antecedents), set.source.size(),
                                             evaluation.antecedents);
  study::PronounReport report;
  for (std::size_t i = 0; i < hypotheses.size(); ++i)
    report.add(gold[i], study::pronoun_genders(hypotheses[i], forms));
  if (report.all.of == 0) return std::nullopt;
  return report.all.value();
}

}  // namespace

AttentionScores attention_scores(const ModelFolder& folder, const Config& config,
                                 const TestSet& set, const std::vector<std::string>& hypotheses) {
  AttentionScores scores;
  const score::EvaluationConfig& evaluation = config.evaluation;
  if (!evaluation.alignments.empty() && folder.model->attends())
    add_alignments(folder, config, set, scores);
  if (!evaluation.antecedents.empty()) scores.pronouns = pronoun_share(evaluation, set, hypotheses);
  return scores;
}

}  // namespace heed
