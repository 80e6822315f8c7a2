#include "draw/report.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "draw/heatmap.h"
#include "draw/page_data.h"
#include "draw/pages.h"
#include "draw/svg.h"
#include "score/bleu_statistics.h"
#include "score/chrf.h"
#include "text/words.h"

namespace heed::draw {
namespace {

// Columns are what any system states, in order of first appearance.
PageData facts_table(const std::vector<ReportSystem>& systems) {
  std::vector<Column> columns{{"model"}};
  std::vector<std::vector<ReportFact>> all;
  for (const ReportSystem& system : systems) {
    all.push_back(system.facts);
    for (const score::Score& score : system.scores)
      all.back().push_back({"test " + score.name, fixed(score.value, 2)});
    for (const ReportFact& fact : all.back())
      if (std::ranges::find(columns, fact.name, &Column::name) == columns.end())
        columns.push_back({fact.name});
  }
  std::vector<std::vector<Cell>> rows;
  for (std::size_t s = 0; s < systems.size(); ++s) {
    rows.push_back({{.text = systems[s].name,
                     .link = address_of(systems[s].attention_page),
                     .notes = {{systems[s].description}}}});
    for (std::size_t c = 1; c < columns.size(); ++c) {
      const auto fact = std::ranges::find(all[s], columns[c].name, &ReportFact::name);
      if (fact == all[s].end())
        rows.back().push_back({"\u2013"});
      else if (fact->note.empty())
        rows.back().push_back({fact->value});
      else
        rows.back().push_back({.text = fact->value, .notes = {{fact->note, "note"}}});
    }
  }
  return table_data(columns, rows);
}

std::string errors_text(const ReportTranslation& translation, const std::string& reference) {
  std::size_t wrong = 0, missing = text::words_in(reference).size();
  for (const study::TextPart& part : translation.words)
    part.common ? missing -= part.words : wrong += split(part.text, ' ').size();
  return fmt::format("chrF2 {}; {} wrong, {} missing", fixed(translation.chrf, 1),
                     counted(static_cast<int64_t>(wrong), "word"), missing);
}

/// Returns the source and the reference of a sentence.
PageData given_terms(const ReportSentence& sentence) {
  return PageData::array(
      {term_data("source", sentence.source), term_data("reference", sentence.reference)});
}

PageData long_sentence_data(const Report& report) {
  if (!report.long_sentence) return nullptr;
  const auto& [sentence, chosen, attention] = *report.long_sentence;
  expect(attention.size() == sentence.translations.size(), "each translation has a matrix or none");
  PageData models = PageData::array();
  for (std::size_t i = 0; i < attention.size(); ++i) {
    const ReportTranslation& one = sentence.translations[i];
    const auto system = std::ranges::find(report.systems, one.system, &ReportSystem::name);
    const bool attends = system != report.systems.end();
    std::string picture;
    if (attention[i])
      picture =
          draw_heatmap(*attention[i], one.system + ": " + describe(*attention[i]), Form::scrolled);
    models.push_back({{"name", one.system},
                      {"errors", errors_text(one, sentence.reference)},
                      {"words", words_data(one.words)},
                      {"link", attends ? address_of(system->attention_page) : ""},
                      {"picture", picture}});
  }
  return {{"chosen", chosen}, {"terms", given_terms(sentence)}, {"models", std::move(models)}};
}

PageData samples_data(const std::vector<ReportSentence>& samples) {
  if (samples.empty()) return nullptr;
  PageData shown = PageData::array();
  for (const ReportSentence& sample : samples) {
    PageData terms = given_terms(sample);
    for (const ReportTranslation& one : sample.translations)
      terms.push_back(term_data(one.system, one.words));
    shown.push_back({{"terms", std::move(terms)}});
  }
  return {{"list", std::move(shown)}};
}

/// Returns the methods of all systems, each once.
std::vector<std::string> methods_of(const Report& report) {
  std::vector<std::string> lines;
  const auto add = [&lines](const std::string& line) {
    if (std::ranges::find(lines, line) == lines.end()) lines.push_back(line);
  };
  for (const score::SystemLengths& system : report.lengths.systems)
    add(system.overall.name + ": " + system.overall.signature);
  for (const ReportSystem& system : report.systems)
    for (const score::Score& score : system.scores) add(score.name + ": " + score.signature);
  for (const std::string& warning : report.lengths.warnings) add(warning);
  for (const std::string& note : report.notes) add(note);
  return lines;
}

PageData learning_data(const std::optional<Plot>& learning) {
  if (!learning || learning->lines.empty()) return nullptr;
  return figure_data(draw_plot(*learning), draw_plot(*learning, Form::narrow),
                     "Solid: loss on the training data, as it is seen. Dashed: loss on the "
                     "validation set.");
}

std::string range_text(const score::Bucket& bucket) {
  if (!bucket.high) return fmt::format("more than {} words", bucket.low - 1);
  return fmt::format("{} to {} words", bucket.low, *bucket.high);
}

using Json = nlohmann::ordered_json;

/// null where there is nothing.
template <class T>
Json json_of(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}
Json json_of(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}
Json json_of(const score::Interval& interval) {
  return {interval.low, interval.high};
}

Json json_of(const score::BucketScore& score) {
  Json json{{"bleu", score.bleu.score},
            {"interval", nullptr},
            {"brevity_penalty", score.bleu.brevity_penalty},
            {"length_ratio", score.bleu.length_ratio},
            {"against_baseline", nullptr}};
  if (score.interval) json["interval"] = json_of(*score.interval);
  if (const auto& against = score.against_baseline)
    json["against_baseline"] = {{"difference", against->difference},
                                {"interval", json_of(against->interval)},
                                {"wins", against->wins},
                                {"p", against->p_value}};
  return json;
}

Json json_of(const score::Bucket& bucket) {
  return {{"low", bucket.low},
          {"high", json_of(bucket.high)},
          {"sentences", bucket.sentences.size()},
          {"source_words", bucket.source_words}};
}

Json json_of(const ReportSystem& system, const score::SystemLengths& lengths) {
  Json json{{"name", system.name},
            {"folder", system.folder},
            {"description", system.description},
            {"attention_page", json_of(system.attention_page)},
            {"lengths", Json::array()},
            {"all", json_of(lengths.all)},
            {"facts", Json::array()},
            {"scores", Json::array()}};
  for (const auto& bucket : lengths.buckets)
    json["lengths"].push_back(bucket ? json_of(*bucket) : Json(nullptr));
  for (const ReportFact& fact : system.facts)
    json["facts"].push_back({{"name", fact.name},
                             {"value", json_of(fact.number)},
                             {"text", fact.value},
                             {"note", json_of(fact.note)}});
  for (const score::Score& score : system.scores)
    json["scores"].push_back(
        {{"name", score.name}, {"value", score.value}, {"signature", score.signature}});
  return json;
}

/// The lines of one colour are those of one system; only the first has its name.
Json json_of(const Plot& learning) {
  Json json{{"x", learning.x_label}, {"y", learning.y_label}, {"lines", Json::array()}};
  for (const PlotLine& line : learning.lines) {
    const auto named = std::ranges::find_if(learning.lines, [&](const PlotLine& one) {
      return one.color == line.color && !one.name.empty();
    });
    Json points = Json::array();
    for (const PlotPoint& point : line.points) points.push_back({point.x, point.value});
    json["lines"].push_back({{"system", named == learning.lines.end() ? "" : named->name},
                             {"set", line.dashed ? "valid" : "train"},
                             {"points", std::move(points)}});
  }
  return json;
}

Json json_of(const ReportSentence& sentence) {
  Json json{{"line", sentence.line + 1},
            {"source", sentence.source},
            {"reference", sentence.reference},
            {"translations", Json::array()}};
  for (const ReportTranslation& one : sentence.translations)
    json["translations"].push_back(
        {{"system", one.system}, {"text", one.text}, {"chrf2", one.chrf}});
  return json;
}

}  // namespace

std::string headline(const score::LengthReport& report) {
  if (report.baseline.empty()) return "";
  std::vector<std::size_t> filled;
  for (std::size_t b = 0; b < report.buckets.size(); ++b)
    if (!report.buckets[b].sentences.empty()) filled.push_back(b);
  if (filled.empty()) return "";
  const auto bleu = [](const score::SystemLengths& system, std::size_t bucket) {
    return system.buckets[bucket]->bleu.score;
  };
  const score::SystemLengths *baseline = nullptr, *best = nullptr;
  for (const score::SystemLengths& system : report.systems) {
    if (!system.buckets[filled.back()]) continue;
    if (system.name == report.baseline) {
      baseline = &system;
    } else if (!best || bleu(system, filled.back()) > bleu(*best, filled.back())) {
      best = &system;
    }
  }
  if (!baseline || !best) return "";
  const score::Bucket& longest = report.buckets[filled.back()];
  std::string text;
  if (filled.size() > 1 && baseline->buckets[filled[0]] && best->buckets[filled[0]]) {
    const auto change = [&](const score::SystemLengths& system, const char* unit) {
      const double from = bleu(system, filled[0]), to = bleu(system, filled.back());
      return fmt::format("the model {} {} {}{} (from {} to {})", system.name,
                         to < from ? "loses" : "gains", fixed(std::abs(to - from), 1), unit,
                         fixed(from, 1), fixed(to, 1));
    };
    text = fmt::format("From source sentences of {} to those of {}, {}; {}. ",
                       range_text(report.buckets[filled[0]]), range_text(longest),
                       change(*baseline, " BLEU"), change(*best, ""));
  } else {
    text = fmt::format("BLEU on source sentences of {}: {} {}, {} {}. ", range_text(longest),
                       baseline->name, fixed(bleu(*baseline, filled.back()), 1), best->name,
                       fixed(bleu(*best, filled.back()), 1));
  }
  text += fmt::format("({}", counted(std::ssize(longest.sentences), "long sentence"));
  if (const auto& against = best->buckets[filled.back()]->against_baseline)
    text += fmt::format("; {}, paired bootstrap", score::p_text(against->p_value));
  return text + ")";
}

ReportSentence report_sentence(std::size_t line, const std::string& source,
                               const std::string& reference,
                               const std::vector<score::SystemOutput>& outputs) {
  ReportSentence sentence{.line = line, .source = source, .reference = reference};
  const std::vector<std::string> right = text::words_in(reference);
  for (const score::SystemOutput& output : outputs) {
    const std::string& text = output.hypotheses.at(line);
    sentence.translations.push_back(
        {.system = output.name,
         .text = text,
         .chrf = score::sentence_chrf(text, reference),
         .words = study::marked_differences(text::words_in(text), right)});
  }
  return sentence;
}

std::string report_page(const Report& report) {
  return render_page("report", {{"title", report.title},
                                {"headline", headline(report.lengths)},
                                {"introduction", report.introduction},
                                {"lengths", lengths_data(report.lengths)},
                                {"learning", learning_data(report.learning)},
                                {"long_sentence", long_sentence_data(report)},
                                {"facts", facts_table(report.systems)},
                                {"samples", samples_data(report.samples)},
                                {"commands", join(report.commands, "\n")},
                                {"methods", methods_of(report)}});
}

std::string report_json(const Report& report) {
  const score::LengthReport& lengths = report.lengths;
  expect(report.systems.size() == lengths.systems.size(), "each system has its lengths");
  Json json{{"title", report.title},
            {"headline", headline(lengths)},
            {"introduction", report.introduction},
            {"unit", lengths.unit},
            {"baseline", json_of(lengths.baseline)},
            {"buckets", Json::array()},
            {"systems", Json::array()},
            {"learning", nullptr},
            {"long_sentence", nullptr},
            {"samples", Json::array()},
            {"commands", report.commands},
            {"notes", methods_of(report)}};
  for (const score::Bucket& bucket : lengths.buckets) json["buckets"].push_back(json_of(bucket));
  for (std::size_t i = 0; i < report.systems.size(); ++i)
    json["systems"].push_back(json_of(report.systems[i], lengths.systems[i]));
  if (report.learning) json["learning"] = json_of(*report.learning);
  if (report.long_sentence) json["long_sentence"] = json_of(report.long_sentence->sentence);
  for (const ReportSentence& sample : report.samples) json["samples"].push_back(json_of(sample));
  return json.dump(2, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace) + '\n';
}

}  // namespace heed::draw
