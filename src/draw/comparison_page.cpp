#include "draw/comparison_page.h"

#include "base/strings.h"
#include "draw/page_data.h"
#include "text/table.h"

namespace heed::draw {
namespace {

/// BLEU, its interval, the p of both tests, sentences better and worse: blank where unknown.
std::vector<std::string> change_of(const ComparedSystem& system) {
  std::vector<std::string> cells(6);
  if (!system.to_first) return cells;
  const ComparedToFirst& change = *system.to_first;
  if (change.bleu) cells[0] = score::with_sign(*change.bleu, 2);
  if (change.bootstrap) {
    cells[1] = score::with_signs(change.bootstrap->interval, 2);
    cells[2] = score::p_text(change.bootstrap->p_value);
  }
  if (change.randomisation) cells[3] = score::p_text(*change.randomisation);
  cells[4] = std::to_string(change.better);
  cells[5] = std::to_string(change.worse);
  return cells;
}

/// The system, its scores and its change.
std::vector<std::string> row_of(const ComparedSystem& system) {
  std::vector<std::string> row{system.name};
  for (const score::Score& score : system.scores) row.push_back(fixed(score.value, 2));
  for (std::string& cell : change_of(system)) row.push_back(std::move(cell));
  return row;
}

/// What is significant in colour.
PageData scores_table(const ComparisonReport& report) {
  std::vector<Column> columns{{"system"}};
  for (const score::Score& score : report.systems.front().scores) columns.push_back({score.name});
  for (const char* name : {"BLEU against the first", "95 %", "p, bootstrap", "p, randomisation",
                           "sentences better", "worse"})
    columns.push_back({name});
  std::vector<std::vector<Cell>> rows;
  for (const ComparedSystem& system : report.systems) {
    std::vector<Cell> row;
    for (const std::string& cell : row_of(system)) row.push_back({cell});
    if (system.to_first && system.to_first->bootstrap && system.to_first->bootstrap->p_value < 0.05)
      row[1 + system.scores.size()].look = *system.to_first->bleu > 0 ? "better" : "worse";
    rows.push_back(std::move(row));
  }
  return table_data(columns, rows);
}

PageData frequency_table(const ComparisonReport& report) {
  std::vector<Column> columns{{"times in " + report.counted_in}, {"words in the reference"}};
  for (const ComparedSystem& system : report.systems) columns.push_back({system.name});
  std::vector<std::vector<Cell>> rows;
  for (const study::FrequencyBucket& bucket : report.frequencies) {
    std::vector<Cell> row{{bucket.label()}, {std::to_string(bucket.systems.front().reference)}};
    for (const study::WordMatches& matches : bucket.systems)
      row.push_back({.text = fixed(100 * matches.f1(), 1),
                     .notes = {{fixed(100 * matches.precision(), 1) + " / " +
                                fixed(100 * matches.recall(), 1)}}});
    rows.push_back(std::move(row));
  }
  return table_data(columns, rows);
}

/// What only one of the first system and each other gets right.
PageData ngrams_data(const ComparisonReport& report) {
  const std::string& first = report.systems.front().name;
  PageData pairs = PageData::array();
  for (std::size_t i = 1; i < report.systems.size(); ++i) {
    const std::string& other = report.systems[i].name;
    const auto side = [&](const std::string& title,
                          const std::vector<study::NgramDifference>& ngrams) -> PageData {
      if (ngrams.empty()) return {{"title", ""}};
      std::vector<std::vector<Cell>> rows;
      for (const study::NgramDifference& one : ngrams)
        rows.push_back({{one.ngram}, {std::to_string(one.first)}, {std::to_string(one.second)}});
      return {{"title", title}, {"table", table_data({{"words"}, {first}, {other}}, rows)}};
    };
    const study::NgramDifferences& ngrams = report.systems[i].to_first->ngrams;
    pairs.push_back(
        {{"sides", PageData::array({side(first + " rather than " + other, ngrams.first),
                                    side(other + " rather than " + first, ngrams.second)})}});
  }
  return pairs;
}

PageData sentences_data(const ComparisonReport& report) {
  PageData sentences = PageData::array();
  for (const ReportSentence& sentence : report.sentences) {
    PageData terms =
        PageData::array({term_data("line " + std::to_string(sentence.line + 1), sentence.source),
                         term_data("reference", sentence.reference)});
    for (const ReportTranslation& output : sentence.translations)
      terms.push_back(term_data(output.system + ", chrF2 " + fixed(output.chrf, 1), output.words));
    sentences.push_back({{"terms", std::move(terms)}});
  }
  return sentences;
}

PageData to_json(const study::NgramDifference& one) {
  return {{"ngram", one.ngram}, {"first", one.first}, {"second", one.second}};
}

PageData or_null(std::optional<int64_t> number) {
  return number ? PageData(*number) : PageData(nullptr);
}

PageData to_json(const score::Comparison& comparison) {
  return {{"bleu", comparison.difference},
          {"low", comparison.interval.low},
          {"high", comparison.interval.high},
          {"p_bootstrap", comparison.p_value}};
}

PageData to_json(const std::optional<score::BucketScore>& score) {
  if (!score) return nullptr;
  PageData out{{"bleu", score->bleu.score},
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
PageData bleu_by_length(const score::LengthReport& lengths) {
  PageData rows = PageData::array();
  for (std::size_t b = 0; b <= lengths.buckets.size(); ++b) {
    const bool all = b == lengths.buckets.size();
    const score::Bucket& bucket = all ? lengths.all : lengths.buckets[b];
    PageData row{{"words", bucket.label()},
                 {"low", bucket.low},
                 {"high", or_null(bucket.high)},
                 {"sentences", bucket.sentences.size()},
                 {"source_words", bucket.source_words},
                 {"systems", PageData::array()}};
    for (const score::SystemLengths& system : lengths.systems)
      row["systems"].push_back(to_json(all ? system.all : system.buckets[b]));
    rows.push_back(std::move(row));
  }
  return rows;
}

PageData words_by_frequency(const std::vector<study::FrequencyBucket>& buckets) {
  PageData rows = PageData::array();
  for (const study::FrequencyBucket& bucket : buckets) {
    PageData row{{"times", bucket.label()},
                 {"low", bucket.low},
                 {"high", or_null(bucket.high)},
                 {"systems", PageData::array()}};
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

void add(PageData& system, const ComparedToFirst& change) {
  PageData against = PageData::object();
  if (change.bootstrap)
    against = to_json(*change.bootstrap);
  else if (change.bleu)
    against["bleu"] = *change.bleu;
  if (change.randomisation) against["p_randomisation"] = *change.randomisation;
  against["sentences_better"] = change.better;
  against["sentences_worse"] = change.worse;
  system["against_first"] = std::move(against);
  PageData first = PageData::array(), second = PageData::array();
  for (const auto& ngram : change.ngrams.first) first.push_back(to_json(ngram));
  for (const auto& ngram : change.ngrams.second) second.push_back(to_json(ngram));
  system["ngrams"] = {{"first_right", first}, {"this_right", second}};
}

PageData to_json(const ReportSentence& sentence) {
  PageData row{{"line", sentence.line + 1},
               {"source", sentence.source},
               {"reference", sentence.reference},
               {"outputs", PageData::array()}};
  for (const ReportTranslation& output : sentence.translations)
    row["outputs"].push_back({{"text", output.text}, {"chrf", output.chrf}});
  return row;
}

}  // namespace

std::string comparison_page(const ComparisonReport& report) {
  std::vector<std::string> signatures;
  for (const score::Score& score : report.systems.front().scores)
    signatures.push_back(score.name + ": " + score.signature);
  return render("comparison.html",
                {{"title", report.title},
                 {"scores", scores_table(report)},
                 {"lengths", report.lengths ? lengths_data(*report.lengths) : PageData()},
                 {"frequencies", frequency_table(report)},
                 {"ngrams", ngrams_data(report)},
                 {"sentences", sentences_data(report)},
                 {"signatures", signatures},
                 {"notes", report.notes}});
}

std::string comparison_table(const ComparisonReport& report) {
  text::Table table{{"system"}, {}};
  for (const score::Score& score : report.systems.front().scores)
    table.columns.push_back(score.name);
  for (const char* column :
       {"BLEU change", "95 %", "bootstrap", "randomisation", "better", "worse"})
    table.columns.emplace_back(column);
  for (const ComparedSystem& system : report.systems) table.rows.push_back(row_of(system));
  return text::table_text(table);
}

std::string comparison_json(const ComparisonReport& report) {
  PageData all{{"systems", PageData::array()}};
  for (const ComparedSystem& system : report.systems) {
    PageData one{{"name", system.name}};
    for (const score::Score& score : system.scores)
      one[score.metric] = {{"score", score.value}, {"signature", score.signature}};
    if (system.to_first) add(one, *system.to_first);
    all["systems"].push_back(std::move(one));
  }
  if (report.lengths) all["bleu_by_length"] = bleu_by_length(*report.lengths);
  all["words_by_frequency"] = words_by_frequency(report.frequencies);
  all["sentences"] = PageData::array();
  for (const ReportSentence& sentence : report.sentences)
    all["sentences"].push_back(to_json(sentence));
  return all.dump(2, ' ', false, PageData::error_handler_t::replace) + "\n";
}

}  // namespace heed::draw
