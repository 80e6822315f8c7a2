#include "apps/bottleneck/family_report.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <optional>
#include <regex>
#include <set>
#include <utility>

#include "apps/cli/command_line.h"
#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/run_folder.h"
#include "base/strings.h"
#include "config/attention_kind.h"
#include "config/differences.h"
#include "config/schema.h"
#include "data/hygiene.h"
#include "decode/translator.h"
#include "draw/heatmap.h"
#include "draw/pages.h"
#include "draw/plot.h"
#include "draw/report.h"
#include "inspect/aligner.h"
#include "inspect/attention_maps.h"
#include "inspect/details.h"
#include "model/description/config.h"
#include "model/description/traits.h"
#include "model/model.h"
#include "run/config.h"
#include "run/inspect_folder.h"
#include "run/learning.h"
#include "run/line_models.h"
#include "run/model_folder.h"
#include "run/summary.h"
#include "score/chrf.h"
#include "score/config.h"
#include "score/lengths.h"
#include "score/metrics.h"
#include "score/sacrebleu.h"
#include "study/attention_matrix.h"
#include "text/table.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

struct AttentionScores {
  /// The rate at the layer, head and step that fit evaluation.valid_alignments best, or else at
  /// those that aligner_of() starts with; nothing without gold or attention.
  std::optional<double> alignment_error;
  std::string alignment_choice;
  std::optional<double> diagonal_error;  // of a monotone guess
  std::optional<double> pronouns;        // share of genders that are right, 0..1
};

inspect::AttentionRequest all_of(const model::Traits& traits) {
  inspect::AttentionRequest request{.kinds = traits.kinds, .heads = {inspect::kEvery}};
  if (traits.whole_heads > 1) request.heads.push_back(inspect::kMeanOfHeads);
  return request;
}

/// By words first; by pieces, too, where words have several.
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

/// Writes attention.html, every layer and head of the long sentence and those of other lengths;
/// attention.svg and attention.csv, by words, of the long one. They go to the model's folder.
/// Returns what the two show: the layer and head of usual_choice(). Nothing is written for a model
/// that does not attend.
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

AttentionScores attention_scores(const run::ModelFolder& folder, const run::Config& config,
                                 const AttentionGold& gold, const run::TestSet& set,
                                 const std::vector<std::string>& hypotheses) {
  AttentionScores scores;
  if (!gold.alignments.empty() && folder.model->attends())
    add_alignments(folder, config.evaluation, gold, set, scores);
  if (!gold.antecedents.empty()) scores.pronouns = pronoun_share(gold, hypotheses);
  return scores;
}

std::vector<draw::ReportFact> facts_of(const run::Summary& summary, const AttentionScores& scores) {
  std::vector<draw::ReportFact> facts = {
      {"parameters", human_count(static_cast<double>(summary.parameters))},
      {"updates", std::to_string(summary.updates)},
      {"minutes", fixed(summary.minutes, 1)},
      {"target tokens/s", human_count(summary.tokens_per_second)}};
  if (summary.validation_loss)
    facts.push_back({"validation loss", fixed(*summary.validation_loss, 3)});
  if (summary.validation_bleu)
    facts.push_back({"validation BLEU", fixed(*summary.validation_bleu, 1)});
  if (scores.alignment_error)
    facts.push_back({"alignment error", fixed(100 * *scores.alignment_error, 1) + " %",
                     fmt::format("{}; diagonal {} %", scores.alignment_choice,
                                 fixed(100 * *scores.diagonal_error, 1))});
  if (scores.pronouns)
    facts.push_back({"pronouns of the right gender", fixed(100 * *scores.pronouns, 1) + " %"});
  return facts;
}

/// The sentence of the longest bucket that has any whose translation by the baseline, or else by
/// the first system, has the middle chrF.
draw::ReportSentence typical_long_sentence(const score::LengthReport& lengths,
                                           const run::TestSet& set,
                                           const std::vector<score::SystemOutput>& outputs) {
  const auto bucket = std::find_if(lengths.buckets.rbegin(), lengths.buckets.rend(),
                                   [](const score::Bucket& one) { return !one.sentences.empty(); });
  if (bucket == lengths.buckets.rend()) throw UserError(set.name + ": no line has words");
  std::size_t judge = 0;
  for (std::size_t s = 0; s < outputs.size(); ++s)
    if (outputs[s].name == lengths.baseline) judge = s;
  std::vector<std::pair<double, std::size_t>> ranked;
  for (const std::size_t line : bucket->sentences)
    ranked.emplace_back(score::sentence_chrf(outputs[judge].hypotheses[line], set.reference[line]),
                        line);
  std::sort(ranked.begin(), ranked.end());
  const std::size_t line = ranked[ranked.size() / 2].second;
  return draw::report_sentence(line, set.source[line], set.reference[line], outputs);
}

/// One sentence from each bucket but that of the long sentence, with every system's translation.
std::vector<draw::ReportSentence> samples_of(const score::LengthReport& lengths,
                                             const run::TestSet& set,
                                             const std::vector<score::SystemOutput>& outputs,
                                             std::size_t long_line) {
  std::vector<draw::ReportSentence> samples;
  for (const score::Bucket& bucket : lengths.buckets) {
    if (bucket.sentences.empty() ||
        std::binary_search(bucket.sentences.begin(), bucket.sentences.end(), long_line))
      continue;
    const std::size_t line = bucket.sentences[bucket.sentences.size() / 2];
    samples.push_back(draw::report_sentence(line, set.source[line], set.reference[line], outputs));
  }
  return samples;
}

/// Returns what all members have in common: "vocabulary, data, seed and budget", or less.
std::string common_text(const std::vector<run::FamilyMember>& members) {
  std::set<std::string> differing;  // keys
  for (const run::FamilyMember& member : members)
    for (const auto& one : config::differences(members.front().config, member.config))
      differing.insert(one.path);
  const auto same = [&](const char* keys) {
    const std::regex pattern(keys);
    return std::ranges::none_of(
        differing, [&](const std::string& key) { return std::regex_match(key, pattern); });
  };
  std::vector<std::string> more;
  if (same(R"(data\.(?!test).*)")) more.emplace_back("data");
  if (same("seed")) more.emplace_back("seed");
  if (same(R"(training\.(updates|epochs|max_minutes))")) more.emplace_back("budget");
  std::string text = "vocabulary";
  for (const std::string& one : more) text += (one == more.back() ? " and " : ", ") + one;
  return text;
}

std::string title_of(const model::ModelConfig& model) {
  const model::Traits traits = model::traits(model);
  if (traits.has_self_attention) return "Transformer";
  if (!traits.attends()) return "without attention";
  std::string title = traits.name;
  std::replace(title.begin(), title.end(), '_', ' ');
  title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  if (model.window != model::Window::global) title += ", window " + config::name_of(model.window);
  return title + (model.input_feeding ? " with input feeding" : "");
}

/// Returns the names of the models for readers, one for each member: "without attention",
/// "Bahdanau", "Luong general with input feeding", "Transformer"; where two would be the same, the
/// member's name follows.
std::vector<std::string> titles_of(const std::vector<run::FamilyMember>& members) {
  std::vector<std::string> plain, titles;
  for (const run::FamilyMember& member : members) plain.push_back(title_of(member.config.model));
  for (std::size_t i = 0; i < members.size(); ++i)
    titles.push_back(std::count(plain.begin(), plain.end(), plain[i]) == 1
                         ? plain[i]
                         : plain[i] + " (" + members[i].name + ")");
  return titles;
}

/// The report reads by titles, the files of the folder by names.
score::LengthReport titled(score::LengthReport lengths, const std::vector<std::string>& titles) {
  for (std::size_t s = 0; s < titles.size(); ++s) {
    if (lengths.systems[s].name == lengths.baseline) lengths.baseline = titles[s];
    lengths.systems[s].name = titles[s];
  }
  return lengths;
}

std::vector<score::SystemOutput> titled(std::vector<score::SystemOutput> outputs,
                                        const std::vector<std::string>& titles) {
  for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i].name = titles[i];
  return outputs;
}

/// Everything that the outputs tell: title, what the members have in common, curve and sentences.
draw::Report begin_report(const std::vector<run::FamilyMember>& members,
                          const score::LengthReport& lengths, const run::TestSet& set,
                          const std::vector<score::SystemOutput>& outputs) {
  draw::Report report{
      .title = "The long-sentence bottleneck",
      .introduction = fmt::format(
          "The same {} for every model; BLEU on {} by the number of words in the source sentence.",
          common_text(members), set.name),
      .lengths = lengths};
  if (const std::string& about = members.front().config.about; !about.empty())
    report.introduction += ' ' + about;
  draw::ReportSentence sentence = typical_long_sentence(lengths, set, outputs);
  const std::string judge = lengths.baseline.empty() ? outputs[0].name : lengths.baseline;
  const std::string chosen = fmt::format(
      "Line {} of {}: the longest sentences were ranked by the chrF of \u201c{}\u201d, and this "
      "one is in the middle.",
      sentence.line + 1, set.name, judge);
  report.samples = samples_of(lengths, set, outputs, sentence.line);
  report.long_sentence = {.sentence = std::move(sentence), .chosen = chosen, .attention = {}};
  return report;
}

/// The loss of all members; by minutes where these are the budget.
draw::Plot learning_of(const std::vector<run::FamilyMember>& members,
                       const std::vector<std::string>& titles, const run::Config& config) {
  std::vector<run::Learning> runs;
  for (std::size_t i = 0; i < members.size(); ++i)
    runs.push_back(run::read_learning(members[i].folder, titles[i]));
  draw::Plot plot =
      run::learning_curves(runs, score::Metric::loss, config.training.max_minutes > 0);
  plot.title = "Loss while they learned";
  for (draw::PlotLine& line : plot.lines) line.name = line.dashed ? "" : titles[line.color];
  return plot;
}

draw::ReportSystem report_system(const run::FamilyMember& member, const std::string& title,
                                 const run::TestSet& set, const score::SystemOutput& output,
                                 const AttentionScores& attention) {
  const std::string summary = file_in(member.folder, kSummaryFile);
  const bool has_page = fs::exists(fs::path(member.folder) / "attention.html");
  return {.name = title,
          .description = describe_model(member.config.model),
          .facts = facts_of(run::Summary::read(summary), attention),
          .scores = score::score(output.hypotheses, set.reference, member.config.evaluation),
          .attention_page = has_page ? member.name + "/attention.html" : ""};
}

/// One row per system, for systems.csv: what it costs, and what its attention is worth.
std::vector<std::string> row_of(const run::FamilyMember& member,
                                const score::SystemLengths& lengths,
                                const AttentionScores& scores) {
  const run::Summary summary = run::Summary::read(file_in(member.folder, kSummaryFile));
  const auto percent = [](const std::optional<double>& share) {
    return share ? fixed(100 * *share, 2) : "";
  };
  return {member.name,
          std::to_string(summary.parameters),
          std::to_string(summary.updates),
          fixed(summary.tokens_per_second, 0),
          fixed(lengths.all.bleu.score, 2),
          percent(scores.alignment_error),
          percent(scores.pronouns)};
}

/// Returns what is needed to make the models again, as far as they have it in common.
std::vector<std::string> made_by(const std::vector<run::FamilyMember>& members) {
  std::vector<std::string> notes;
  for (const run::FamilyMember& member : members) {
    const std::string file = file_in(member.folder, kProvenanceFile);
    if (!fs::exists(file)) continue;  // trained by an older version
    const run::Provenance made = run::Provenance::read(file);
    notes.push_back(fmt::format("heed {} ({}), LibTorch {}, {}, {}, {}, threads: {}", made.heed,
                                made.commit, made.libtorch, made.processor, made.device,
                                made.precision, made.threads));
    for (const run::CorpusSum& sum : made.corpora)
      notes.push_back(fmt::format("{}: {} bytes, sha256 {}", sum.path, sum.bytes, sum.sha256));
  }
  return without_repeats(notes);
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

void write_family_report(const std::vector<run::FamilyMember>& members, const run::Config& config,
                         const run::TestSet& set, const AttentionGold& gold,
                         const std::string& baseline, const std::string& command) {
  const std::string folder = run::run_folder(config);
  std::vector<score::SystemOutput> outputs;
  for (const run::FamilyMember& member : members)
    outputs.push_back({member.name, text::read_lines(file_in(member.folder, kTestTranslations))});
  const score::LengthReport lengths =
      score::measure_lengths(set.source, set.reference, outputs, config.evaluation, baseline);
  write_atomic(file_in(folder, "lengths.csv"), score::lengths_csv(lengths));
  const std::vector<std::string> titles = titles_of(members);
  const score::LengthReport shown = titled(lengths, titles);
  write_atomic(file_in(folder, "lengths.svg"), draw::draw_plot(draw::plot_of(shown)));

  draw::Report report = begin_report(members, shown, set, titled(outputs, titles));
  report.commands = {command};
  report.learning = learning_of(members, titles, config);
  text::Table table{
      {"system", "parameters", "updates", "tokens_per_s", "bleu", "aer_%", "pronouns_%"}, {}};
  for (std::size_t i = 0; i < members.size(); ++i) {
    const run::ModelFolder model = run::open_model(members[i].folder);
    report.long_sentence->attention.push_back(
        write_attention(model, titles[i], report, outputs[i]));
    const AttentionScores scores =
        attention_scores(model, config, gold, set, outputs[i].hypotheses);
    report.systems.push_back(report_system(members[i], titles[i], set, outputs[i], scores));
    table.rows.push_back(row_of(members[i], lengths.systems[i], scores));
  }
  write_atomic(file_in(folder, "systems.csv"), text::table_csv(table));
  for (const std::string& note : made_by(members)) report.notes.push_back(note);
  for (const std::string& found : data::check_hygiene(config.data).text())
    report.notes.push_back(found);
  write_atomic(file_in(folder, "report.html"), draw::report_page(report));
  std::cout << score::lengths_table(lengths) << '\n' << text::table_text(table);
  if (const std::string line = draw::headline(shown); !line.empty()) log::info(line);
  log::info("report: " + file_in(folder, "report.html"));
}

}  // namespace heed
