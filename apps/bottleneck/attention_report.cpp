#include "apps/bottleneck/attention_report.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "config/attention_kind.h"
#include "decode/translator.h"
#include "draw/heatmap.h"
#include "draw/pages.h"
#include "inspect/aligner.h"
#include "inspect/attention_maps.h"
#include "inspect/details.h"
#include "model/description/traits.h"
#include "model/model.h"
#include "run/inspect_folder.h"
#include "run/line_models.h"
#include "score/config.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

inspect::AttentionRequest all_of(const model::Traits& traits) {
  inspect::AttentionRequest request{.kinds = traits.kinds, .heads = {inspect::kEvery}};
  if (traits.whole_heads > 1) request.heads.push_back(inspect::kMeanOfHeads);
  return request;
}

/// Returns each matrix with a row and a column for a word and, where a word has several pieces, the
/// same matrix by pieces after it: the page shows the first of the two until a reader asks for the
/// other.
std::vector<study::AttentionMatrix> in_both_units(
    const std::vector<study::AttentionMatrix>& pieces) {
  std::vector<study::AttentionMatrix> out;
  for (const study::AttentionMatrix& matrix : pieces) {
    out.push_back(study::merge_words(matrix));
    if (out.back().weights.size() < matrix.weights.size()) out.push_back(matrix);
  }
  return out;
}

void add_alignments(const run::ModelFolder& folder, const score::EvaluationConfig& evaluation,
                    const AttentionGold& gold, const run::TestSet& set, AttentionScores& scores) {
  auto [aligner, rule] = run::aligner_of(folder);
  if (!gold.valid_alignments.empty()) {
    const study::AlignmentSweep tuned =
        aligner.sweep({gold.valid, gold.valid_alignments, evaluation.valid_alignments});
    if (tuned.sentences() > 0) rule.choice = tuned.best();
  }
  const study::AlignmentSweep errors =
      aligner.sweep({{set.source, set.reference}, gold.alignments, evaluation.alignments});
  if (errors.sentences() == 0) return;  // a warning has said why
  scores.alignment_error = errors.errors().at(rule.choice).rate();
  scores.alignment_choice = describe(rule.choice);
  scores.diagonal_error = errors.diagonal().rate();
}

double pronoun_share(const AttentionGold& gold, const std::vector<std::string>& hypotheses) {
  study::PronounReport report;
  for (std::size_t i = 0; i < hypotheses.size(); ++i)
    report.add(gold.antecedents[i], study::pronoun_genders(hypotheses[i], gold.forms));
  return report.all().value();
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

std::optional<study::AttentionMatrix> write_attention(const run::ModelFolder& model,
                                                      const std::string& title,
                                                      const draw::Report& report,
                                                      const score::SystemOutput& output) {
  const model::Traits traits = model::traits(model.config.model);
  if (!traits.attends()) return std::nullopt;
  std::vector<draw::ReportSentence> sentences{report.long_sentence->sentence};
  sentences.insert(sentences.end(), report.samples.begin(), report.samples.end());
  std::vector<std::string> sources;
  std::vector<std::vector<int32_t>> translations;  // as pieces: what is too long is cut
  for (const draw::ReportSentence& one : sentences) {
    sources.push_back(one.source);
    translations.push_back(model.target.encode(output.hypotheses[one.line]));
  }
  decode::Translator translator = model.translator();
  auto attended = inspect::attention_maps(translator, sources, translations, all_of(traits));
  std::vector<study::AttentionMatrix> matrices;
  for (std::size_t i = 0; i < attended.size(); ++i)
    for (study::AttentionMatrix& matrix : attended[i].matrices) {
      matrix.sentence = static_cast<int64_t>(sentences[i].line) + 1;
      matrices.push_back(std::move(matrix));
    }
  if (matrices.empty()) return std::nullopt;
  inspect::mark_softmax(matrices, model.config.model);
  const fs::path folder(model.path);
  write_atomic((folder / "attention.html").string(),
               draw::attention_page(in_both_units(matrices), "Attention: " + title));

  const study::AlignmentChoice choice = run::usual_choice(model.config);
  const auto shown = std::ranges::find_if(matrices, [&](const study::AttentionMatrix& matrix) {
    return matrix.kind == config::AttentionKind::cross && matrix.layer == choice.layer &&
           matrix.head == choice.head;
  });
  if (shown == matrices.end()) return std::nullopt;
  const study::AttentionMatrix words = study::merge_words(*shown);
  write_atomic((folder / "attention.svg").string(),
               draw::draw_heatmap(words, title + ": " + draw::describe(words)));
  write_atomic((folder / "attention.csv").string(),
               study::attention_csv_header() + study::attention_csv_rows(words));
  return words;
}

}  // namespace heed
