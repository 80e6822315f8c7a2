// The rows of `heed lengths`: CSV for programs, a table for people.
#include "base/format.h"
#include "base/strings.h"
#include "score/lengths.h"
#include "text/csv.h"
#include "text/table.h"

namespace heed::score {
namespace {

using Row = std::vector<std::string>;

Row csv_row(const SystemLengths& system, const Bucket& bucket,
            const std::optional<BucketScore>& score) {
  Row row = {text::csv_field(system.name), std::to_string(bucket.low),
             bucket.high ? std::to_string(*bucket.high) : "inf",
             std::to_string(bucket.sentences.size()), std::to_string(bucket.source_words)};
  if (!score) {
    row.resize(10);
    return row;
  }
  row.push_back(fixed(score->bleu.score, 2));
  row.push_back(score->interval ? fixed(score->interval->low, 2) : "");
  row.push_back(score->interval ? fixed(score->interval->high, 2) : "");
  row.push_back(fixed(score->bleu.brevity_penalty, 4));
  row.push_back(fixed(score->bleu.length_ratio, 4));
  return row;
}

Row table_row(const std::string& name, const Bucket& bucket,
              const std::optional<BucketScore>& score) {
  Row row = {name, bucket.label(), std::to_string(bucket.sentences.size()),
             std::to_string(bucket.source_words)};
  if (!score) {
    row.insert(row.end(), {"-", "", "", "", ""});
    return row;
  }
  row.push_back(fixed(score->bleu.score, 2));
  row.push_back(score->interval
                    ? fixed(score->interval->low, 2) + " .. " + fixed(score->interval->high, 2)
                    : "");
  row.push_back(fixed(score->bleu.brevity_penalty, 3));
  row.push_back(fixed(score->bleu.length_ratio, 3));
  std::string test;
  if (const auto& against = score->against_baseline) {
    test = fmt::format("{}{}, wins {} %, {}", against->difference < 0 ? "" : "+",
                       fixed(against->difference, 2), fixed(100 * against->wins, 1),
                       p_text(against->p_value));
  }
  row.push_back(test);
  return row;
}

}  // namespace

std::string lengths_csv(const LengthReport& report) {
  std::string out =
      "system,bucket_low,bucket_high,sentences,source_words,bleu,bleu_low,bleu_high,"
      "brevity_penalty,length_ratio\n";
  for (const SystemLengths& system : report.systems) {
    for (std::size_t b = 0; b < report.buckets.size(); ++b) {
      out += join(csv_row(system, report.buckets[b], system.buckets[b]), ",") + '\n';
    }
  }
  return out;
}

std::string lengths_table(const LengthReport& report) {
  text::Table table{
      {"system", report.unit, "sentences", "source " + report.unit, "BLEU", "95 % interval", "BP",
       "ratio", report.baseline.empty() ? "" : "against " + report.baseline},
      {}};
  for (const SystemLengths& system : report.systems) {
    for (std::size_t b = 0; b < report.buckets.size(); ++b) {
      table.rows.push_back(table_row(system.name, report.buckets[b], system.buckets[b]));
    }
    table.rows.push_back(table_row(system.name, report.all, system.all));
  }
  std::string out = text::table_text(table, {0, 1, 8});
  for (const SystemLengths& system : report.systems) {
    out += system.name + ": " + describe(system.overall) + '\n';
  }
  return out;
}

}  // namespace heed::score
