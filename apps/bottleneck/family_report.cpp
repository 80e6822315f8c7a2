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
#include "config/differences.h"
#include "config/schema.h"
#include "data/hygiene.h"
#include "draw/pages.h"
#include "draw/plot.h"
#include "draw/report.h"
#include "model/description/config.h"
#include "model/description/traits.h"
#include "run/config.h"
#include "run/learning.h"
#include "run/model_folder.h"
#include "run/summary.h"
#include "score/chrf.h"
#include "score/lengths.h"
#include "score/metrics.h"
#include "score/sacrebleu.h"
#include "text/pairs.h"
#include "text/table.h"
#include "train/config.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

std::vector<draw::ReportFact> facts_of(const run::Summary& summary, const AttentionScores& scores) {
  std::vector<draw::ReportFact> facts;
  const auto add = [&](const std::string& name, double number, const std::string& shown,
                       const std::string& note = "") {
    facts.push_back({.name = name, .value = shown, .note = note, .number = number});
  };
  const auto add_count = [&](const std::string& name, double count) {
    add(name, count, human_count(count));
  };
  const auto add_share = [&](const std::string& name, double share, const std::string& note = "") {
    add(name, share, fixed(100 * share, 1) + " %", note);
  };
  const auto updates = static_cast<double>(summary.updates);
  add_count("parameters", static_cast<double>(summary.parameters));
  add("updates", updates, std::to_string(summary.updates));
  add("minutes", summary.minutes, fixed(summary.minutes, 1));
  add_count("target tokens/s", summary.tokens_per_second);
  if (const auto& loss = summary.validation_loss) add("validation loss", *loss, fixed(*loss, 3));
  if (const auto& bleu = summary.validation_bleu) add("validation BLEU", *bleu, fixed(*bleu, 1));
  if (scores.alignment_error)
    add_share("alignment error", *scores.alignment_error,
              fmt::format("{}; diagonal {} %", scores.alignment_choice,
                          fixed(100 * *scores.diagonal_error, 1)));
  if (scores.pronouns) add_share("pronouns of the right gender", *scores.pronouns);
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

/// Returns the lengths with the members' titles in place of their names: the report is for readers,
/// and the other files of the folder name the members as the configuration does.
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

/// Whether time ended the training of a member before its updates were made.
bool ended_by_time(const run::FamilyMember& member) {
  const train::TrainConfig& training = member.config.training;
  return training.max_minutes > 0 &&
         run::Summary::read(file_in(member.folder, kSummaryFile)).updates < training.updates;
}

/// The loss of all members; by minutes where these were the budget.
draw::Plot learning_of(const std::vector<run::FamilyMember>& members,
                       const std::vector<std::string>& titles) {
  std::vector<run::Learning> runs;
  for (std::size_t i = 0; i < members.size(); ++i)
    runs.push_back(run::read_learning(members[i].folder, titles[i]));
  draw::Plot plot =
      run::learning_curves(runs, score::Metric::loss, std::ranges::any_of(members, ended_by_time));
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
          .attention_page = has_page ? member.name + "/attention.html" : "",
          .folder = member.name};
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
  report.learning = learning_of(members, titles);
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
  write_atomic(file_in(folder, "report.json"), draw::report_json(report));
  write_atomic(file_in(folder, "report.html"), draw::report_page(report));
  std::cout << score::lengths_table(lengths) << '\n' << text::table_text(table);
  if (const std::string line = draw::headline(shown); !line.empty()) log::info(line);
  log::info("report: " + file_in(folder, "report.html"));
}

}  // namespace heed
