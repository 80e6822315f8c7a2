#include "draw/comparison_page.h"

#include <nlohmann/json.hpp>

#include "base/strings.h"
#include "draw/html.h"
#include "draw/lengths_section.h"
#include "draw/marked.h"
#include "draw/page/page.h"
#include "draw/svg.h"
#include "text/table.h"

namespace heed::draw {
namespace {

using nlohmann::ordered_json;

std::string with_sign(double value, int digits) {
  return (value > 0 ? "+" : "") + fixed(value, digits);
}

std::string interval_text(const score::Interval& interval) {
  return with_sign(interval.low, 2) + " to " + with_sign(interval.high, 2);
}

/// BLEU, its interval, the p of both tests, sentences better and worse: blank where unknown.
std::vector<std::string> change_of(const ComparedSystem& system) {
  std::vector<std::string> cells(6);
  if (!system.to_first) return cells;
  const ComparedToFirst& change = *system.to_first;
  if (change.bleu) cells[0] = with_sign(*change.bleu, 2);
  if (change.bootstrap) {
    cells[1] = interval_text(change.bootstrap->interval);
    cells[2] = score::p_text(change.bootstrap->p_value);
  }
  if (change.randomisation) cells[3] = score::p_text(*change.randomisation);
  cells[4] = std::to_string(change.better);
  cells[5] = std::to_string(change.worse);
  return cells;
}

/// For a page: what is significant in colour.
std::vector<std::string> coloured_change_of(const ComparedSystem& system) {
  std::vector<std::string> cells = change_of(system);
  std::string look;
  if (system.to_first && system.to_first->bootstrap && system.to_first->bootstrap->p_value < 0.05)
    look = *system.to_first->bleu > 0 ? "class=\"better\"" : "class=\"worse\"";
  for (std::string& cell : cells) cell = xml_escape(cell);
  if (!look.empty()) cells[0] = element("span " + look, cells[0]);
  return cells;
}

std::string scores_section(const ComparisonReport& report) {
  std::vector<Column> columns{{"system"}};
  for (const score::Score& score : report.systems.front().scores) columns.push_back({score.name});
  for (const char* name : {"BLEU against the first", "95 %", "p, bootstrap", "p, randomisation",
                           "sentences better", "worse"})
    columns.push_back({name});
  std::vector<std::vector<std::string>> rows;
  for (const ComparedSystem& system : report.systems) {
    std::vector<std::string> row{text_element("span", system.name)};
    for (const score::Score& score : system.scores) row.push_back(fixed(score.value, 2));
    for (std::string& cell : coloured_change_of(system)) row.push_back(std::move(cell));
    rows.push_back(std::move(row));
  }
  return text_element("h2", "Scores") + table(columns, rows);
}

std::string frequency_section(const ComparisonReport& report) {
  std::vector<Column> columns{{"times in " + report.counted_in}, {"words in the reference"}};
  for (const ComparedSystem& system : report.systems) columns.push_back({system.name});
  std::vector<std::vector<std::string>> rows;
  for (const study::FrequencyBucket& bucket : report.frequencies) {
    std::vector<std::string> row{text_element("span", bucket.label()),
                                 std::to_string(bucket.systems.front().reference)};
    for (const study::WordMatches& matches : bucket.systems)
      row.push_back(fixed(100 * matches.f1(), 1) +
                    text_element("small", fixed(100 * matches.precision(), 1) + " / " +
                                              fixed(100 * matches.recall(), 1)));
    rows.push_back(std::move(row));
  }
  return text_element("h2", "Words by frequency") + table(columns, rows) +
         text_element("p", "F1 of words in per cent; below it precision and recall.",
                      "class=\"quiet\"") +
         '\n';
}

std::string ngrams_section(const ComparisonReport& report) {
  const std::string& first = report.systems.front().name;
  std::string out = text_element("h2", "What only one gets right");
  for (std::size_t i = 1; i < report.systems.size(); ++i) {
    const ComparedSystem& other = report.systems[i];
    const study::NgramDifferences& ngrams_of_both = other.to_first->ngrams;
    const auto block = [&](const std::string& title,
                           const std::vector<study::NgramDifference>& ngrams) {
      if (ngrams.empty()) return std::string();
      std::vector<std::vector<std::string>> rows;
      for (const study::NgramDifference& one : ngrams)
        rows.push_back({text_element("span", one.ngram), std::to_string(one.first),
                        std::to_string(one.second)});
      return text_element("h3", title) + table(columns_of({"words", first, other.name}), rows);
    };
    out +=
        element("div class=\"pictures\"",
                element("div", block(first + " rather than " + other.name, ngrams_of_both.first)) +
                    element("div",
                            block(other.name + " rather than " + first, ngrams_of_both.second))) +
        '\n';
  }
  return out +
         text_element("p", "How often each has words that the reference has in the same line.",
                      "class=\"quiet\"") +
         '\n';
}

std::string sentences_section(const ComparisonReport& report) {
  std::string out = text_element("h2", "Sentences that differ most");
  for (const ComparedSentence& sentence : report.sentences) {
    std::string list = text_element("dt", "line " + std::to_string(sentence.line + 1)) +
                       text_element("dd", sentence.source, "dir=\"auto\"") +
                       text_element("dt", "reference") +
                       text_element("dd", sentence.reference, "dir=\"auto\"");
    for (std::size_t i = 0; i < sentence.outputs.size(); ++i)
      list += text_element(
                  "dt", report.systems[i].name + ", chrF2 " + fixed(sentence.outputs[i].chrf, 1)) +
              element("dd", marked(sentence.outputs[i].parts), "dir=\"auto\"");
    out += element("div class=\"sample\"", element("dl", list)) + '\n';
  }
  return out +
         text_element("p", "Marked words are not in the reference at their place.",
                      "class=\"quiet\"") +
         '\n';
}

std::string methods_section(const ComparisonReport& report) {
  std::string lines;
  for (const score::Score& score : report.systems.front().scores)
    lines += element("li", text_element("code", score.name + ": " + score.signature)) + '\n';
  for (const std::string& note : report.notes) lines += text_element("li", note) + '\n';
  return text_element("h2", "How it was made") + element("ul", lines) + '\n';
}

ordered_json to_json(const study::NgramDifference& one) {
  return {{"ngram", one.ngram}, {"first", one.first}, {"second", one.second}};
}

ordered_json or_null(std::optional<int64_t> number) {
  return number ? ordered_json(*number) : ordered_json(nullptr);
}

ordered_json to_json(const score::Comparison& comparison) {
  return {{"bleu", comparison.difference},
          {"low", comparison.interval.low},
          {"high", comparison.interval.high},
          {"p_bootstrap", comparison.p_value}};
}

ordered_json to_json(const std::optional<score::BucketScore>& score) {
  if (!score) return nullptr;
  ordered_json out{{"bleu", score->bleu.score},
                   {"brevity_penalty", score->bleu.brevity_penalty},
                   {"length_ratio", score->bleu.length_ratio}};
  if (score->interval) {
    out["low"] = score->interval->low;
    out["high"] = score->interval->high;
  }
  if (score->against_baseline) out["against_first"] = to_json(*score->against_baseline);
  return out;
}

/// A row for each bucket, and the last one for all sentences that are in one.
ordered_json bleu_by_length(const score::LengthReport& lengths) {
  ordered_json rows = ordered_json::array();
  for (std::size_t b = 0; b <= lengths.buckets.size(); ++b) {
    const bool all = b == lengths.buckets.size();
    const score::Bucket& bucket = all ? lengths.all : lengths.buckets[b];
    ordered_json row{{"words", bucket.label()},
                     {"low", bucket.low},
                     {"high", or_null(bucket.high)},
                     {"sentences", bucket.sentences.size()},
                     {"source_words", bucket.source_words},
                     {"systems", ordered_json::array()}};
    for (const score::SystemLengths& system : lengths.systems)
      row["systems"].push_back(to_json(all ? system.all : system.buckets[b]));
    rows.push_back(std::move(row));
  }
  return rows;
}

ordered_json words_by_frequency(const std::vector<study::FrequencyBucket>& buckets) {
  ordered_json rows = ordered_json::array();
  for (const study::FrequencyBucket& bucket : buckets) {
    ordered_json row{{"times", bucket.label()},
                     {"low", bucket.low},
                     {"high", or_null(bucket.high)},
                     {"systems", ordered_json::array()}};
    for (const study::WordMatches& one : bucket.systems)
      row["systems"].push_back({{"matches", one.matches},
                                {"output", one.output},
                                {"reference", one.reference},
                                {"precision", one.precision()},
                                {"recall", one.recall()},
                                {"f1", one.f1()}});
    rows.push_back(std::move(row));
  }
  return rows;
}

void add(ordered_json& system, const ComparedToFirst& change) {
  ordered_json against = ordered_json::object();
  if (change.bootstrap)
    against = to_json(*change.bootstrap);
  else if (change.bleu)
    against["bleu"] = *change.bleu;
  if (change.randomisation) against["p_randomisation"] = *change.randomisation;
  against["sentences_better"] = change.better;
  against["sentences_worse"] = change.worse;
  system["against_first"] = std::move(against);
  ordered_json first = ordered_json::array(), second = ordered_json::array();
  for (const auto& ngram : change.ngrams.first) first.push_back(to_json(ngram));
  for (const auto& ngram : change.ngrams.second) second.push_back(to_json(ngram));
  system["ngrams"] = {{"first_right", first}, {"this_right", second}};
}

ordered_json to_json(const ComparedSentence& sentence) {
  ordered_json row{{"line", sentence.line + 1},
                   {"source", sentence.source},
                   {"reference", sentence.reference},
                   {"outputs", ordered_json::array()}};
  for (const ComparedOutput& output : sentence.outputs)
    row["outputs"].push_back({{"text", output.text}, {"chrf", output.chrf}});
  return row;
}

}  // namespace

std::string comparison_page(const ComparisonReport& report) {
  std::string body = text_element("h1", report.title) + '\n' + scores_section(report);
  if (report.lengths) body += lengths_section(*report.lengths);
  body += frequency_section(report) + ngrams_section(report) + sentences_section(report) +
          methods_section(report);
  return fill(page_file("report.html"), {{"@title@", xml_escape(report.title)},
                                         {"@style@", page_file("report.css")},
                                         {"@body@", body}});
}

std::string comparison_table(const ComparisonReport& report) {
  text::Table table{{"system"}, {}};
  for (const score::Score& score : report.systems.front().scores)
    table.columns.push_back(score.name);
  for (const char* column :
       {"BLEU change", "95 %", "bootstrap", "randomisation", "better", "worse"})
    table.columns.emplace_back(column);
  for (const ComparedSystem& system : report.systems) {
    std::vector<std::string> row{system.name};
    for (const score::Score& score : system.scores) row.push_back(fixed(score.value, 2));
    for (std::string& cell : change_of(system)) row.push_back(std::move(cell));
    table.rows.push_back(std::move(row));
  }
  return text::table_text(table);
}

std::string comparison_json(const ComparisonReport& report) {
  ordered_json all{{"systems", ordered_json::array()}};
  for (const ComparedSystem& system : report.systems) {
    ordered_json one{{"name", system.name}};
    for (const score::Score& score : system.scores)
      one[score.metric] = {{"score", score.value}, {"signature", score.signature}};
    if (system.to_first) add(one, *system.to_first);
    all["systems"].push_back(std::move(one));
  }
  if (report.lengths) all["bleu_by_length"] = bleu_by_length(*report.lengths);
  all["words_by_frequency"] = words_by_frequency(report.frequencies);
  all["sentences"] = ordered_json::array();
  for (const ComparedSentence& sentence : report.sentences)
    all["sentences"].push_back(to_json(sentence));
  return all.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace heed::draw
