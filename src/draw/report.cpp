#include "draw/report.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "draw/bottleneck_drawing.h"
#include "draw/heatmap.h"
#include "draw/html.h"
#include "draw/lengths_section.h"
#include "draw/marked.h"
#include "draw/page/page.h"
#include "draw/svg.h"
#include "score/chrf.h"

namespace heed::draw {
namespace {

std::string why_section() {
  return fill(page_file("why.html"), {{"@one@", draw_one_vector()}, {"@all@", draw_all_states()}});
}

std::string learning_section(const std::optional<Lines>& learning) {
  if (!learning || learning->lines.empty()) return "";
  return text_element("h2", "How they learned") +
         figure(draw_lines(*learning), draw_lines(*learning, Form::narrow),
                "Solid: loss on the training data, as it is seen. Dashed: loss on the validation "
                "set.");
}

// Columns are what any system states, in order of first appearance.
std::string facts_section(const std::vector<ReportSystem>& systems) {
  std::vector<Column> columns{{"model"}};
  std::vector<std::vector<ReportFact>> all;
  for (const ReportSystem& system : systems) {
    all.push_back(system.facts);
    for (const score::Score& score : system.scores)
      all.back().push_back({"test " + score.name, fixed(score.value, 2)});
    for (const ReportFact& fact : all.back())
      if (std::none_of(columns.begin(), columns.end(),
                       [&](const Column& column) { return column.name == fact.name; }))
        columns.push_back({fact.name});
  }
  std::vector<std::vector<std::string>> rows;
  for (std::size_t s = 0; s < systems.size(); ++s) {
    const ReportSystem& system = systems[s];
    std::string name = text_element("span", system.name);
    if (!system.attention_page.empty()) name = file_link(system.name, system.attention_page);
    rows.push_back({name + text_element("small", system.description)});
    for (std::size_t c = 1; c < columns.size(); ++c) {
      const auto fact = std::find_if(all[s].begin(), all[s].end(), [&](const ReportFact& one) {
        return one.name == columns[c].name;
      });
      if (fact == all[s].end()) {
        rows.back().push_back("\u2013");
      } else {
        rows.back().push_back(
            xml_escape(fact->value) +
            (fact->note.empty() ? "" : text_element("small", fact->note, "class=\"note\"")));
      }
    }
  }
  return text_element("h2", "The models and their training") + table(columns, rows) +
         text_element("p", "The name of a model leads to its attention page.", "class=\"quiet\"") +
         '\n';
}

std::string errors_text(const ReportTranslation& translation) {
  std::size_t wrong = 0;
  for (const study::TextPart& part : translation.words)
    if (!part.common) wrong += split(part.text, ' ').size();
  return "chrF2 " + fixed(translation.chrf, 1) + "; " +
         counted(static_cast<int64_t>(wrong), "word") + " wrong, " +
         std::to_string(translation.missing) + " missing";
}

std::string address_of(const std::vector<ReportSystem>& systems, const std::string& name) {
  for (const ReportSystem& system : systems)
    if (system.name == name) return system.attention_page;
  return "";
}

/// What is to be translated and what a person made of it, as terms of a list.
std::string given_terms(const ReportSentence& sentence) {
  return text_element("dt", "source") + text_element("dd", sentence.source, "dir=\"auto\"") +
         text_element("dt", "reference") + text_element("dd", sentence.reference, "dir=\"auto\"");
}

std::string long_sentence_section(const Report& report) {
  if (!report.long_sentence) return "";
  const LongSentence& shown = *report.long_sentence;
  const ReportSentence& sentence = shown.sentence;
  expect(shown.attention.size() == sentence.translations.size(),
         "each translation has a matrix or none");
  std::string out =
      text_element("h2", "One long sentence through every model") +
      text_element("p", shown.chosen + " Marked words are not in the reference at their place.",
                   "class=\"quiet\"") +
      element("div class=\"sample\"", element("dl", given_terms(sentence))) + '\n';
  for (std::size_t i = 0; i < sentence.translations.size(); ++i) {
    const ReportTranslation& translation = sentence.translations[i];
    const std::string page = address_of(report.systems, translation.system);
    std::string text = text_element("h3", translation.system) +
                       text_element("p", errors_text(translation), "class=\"quiet\"") +
                       element("p", marked(translation.words), "dir=\"auto\"");
    if (!page.empty()) text += element("p", file_link("all layers and heads", page));
    const auto& matrix = shown.attention[i];
    const std::string picture =
        matrix ? element("figure",
                         draw_heatmap_grid({&*matrix, 1}, describe(translation.system, *matrix)))
               : text_element("p", "No attention: there is nothing to show.", "class=\"quiet\"");
    out += element("div class=\"model\"", element("div", text) + element("div", picture)) + '\n';
  }
  return out;
}

std::string samples_section(const std::vector<ReportSentence>& samples) {
  std::string shown;
  for (const ReportSentence& sample : samples) {
    std::string list = given_terms(sample);
    for (const ReportTranslation& one : sample.translations)
      list += text_element("dt", one.system) + element("dd", marked(one.words), "dir=\"auto\"");
    shown += element("div class=\"sample\"", element("dl", list)) + '\n';
  }
  if (shown.empty()) return "";
  return text_element("h2", "Sentences of other lengths") +
         element("details", text_element("summary", "One of each length, by every model") + shown) +
         '\n';
}

std::string methods_section(const Report& report) {
  std::vector<std::string> lines;
  const auto add = [&lines](const std::string& line) {
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
  };
  for (const score::SystemLengths& system : report.lengths.systems)
    add(system.overall.name + ": " + system.overall.signature);
  for (const ReportSystem& system : report.systems)
    for (const score::Score& score : system.scores) add(score.name + ": " + score.signature);
  for (const std::string& warning : report.lengths.warnings) add(warning);
  for (const std::string& note : report.notes) add(note);
  std::string list;
  for (const std::string& line : lines) list += text_element("li", line) + '\n';
  std::string out = text_element("h2", "How it was made");
  if (!report.commands.empty())
    out += element("pre", text_element("code", join(report.commands, "\n"))) + '\n';
  return out + element("ul class=\"quiet\"", list) + '\n';
}

std::string range_text(const score::Bucket& bucket) {
  if (!bucket.high) return "more than " + std::to_string(bucket.low - 1) + " words";
  return std::to_string(bucket.low) + " to " + std::to_string(*bucket.high) + " words";
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
  std::string text = "BLEU on source sentences of " + range_text(longest) + ": " + baseline->name +
                     ' ' + fixed(bleu(*baseline, filled.back()), 1) + ", " + best->name + ' ' +
                     fixed(bleu(*best, filled.back()), 1) + " (" +
                     counted(std::ssize(longest.sentences), "sentence");
  if (const auto& against = best->buckets[filled.back()]->against_baseline)
    text += "; " + score::p_text(against->p_value) + ", paired bootstrap";
  text += ").";
  if (filled.size() > 1 && baseline->buckets[filled[0]] && best->buckets[filled[0]])
    text += " On sentences of " + range_text(report.buckets[filled[0]]) + ": " +
            fixed(bleu(*baseline, filled[0]), 1) + " and " + fixed(bleu(*best, filled[0]), 1) + '.';
  return text;
}

ReportSentence report_sentence(std::size_t line, const std::string& source,
                               const std::string& reference,
                               const std::vector<score::SystemOutput>& outputs) {
  ReportSentence sentence{.line = line, .source = source, .reference = reference};
  const auto right = study::tokens_of({reference})[0];
  for (const score::SystemOutput& output : outputs) {
    const std::string& text = output.hypotheses.at(line);
    ReportTranslation one{.system = output.name,
                          .chrf = score::sentence_chrf(text, reference),
                          .words = study::marked_differences(study::tokens_of({text})[0], right),
                          .missing = right.size()};
    for (const study::TextPart& part : one.words)
      if (part.common) one.missing -= part.words;
    sentence.translations.push_back(std::move(one));
  }
  return sentence;
}

std::string report_page(const Report& report) {
  std::string body = text_element("h1", report.title) + '\n';
  if (const std::string line = headline(report.lengths); !line.empty())
    body += text_element("p", line, "class=\"headline\"") + '\n';
  if (!report.introduction.empty())
    body += text_element("p", report.introduction, "class=\"quiet\"") + '\n';
  body += lengths_section(report.lengths) + why_section() + learning_section(report.learning) +
          long_sentence_section(report) + facts_section(report.systems) +
          samples_section(report.samples) + methods_section(report);
  return fill(page_file("report.html"), {{"@title@", xml_escape(report.title)},
                                         {"@style@", page_file("report.css")},
                                         {"@body@", body}});
}

}  // namespace heed::draw
