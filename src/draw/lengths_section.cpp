#include "draw/lengths_section.h"

#include <algorithm>

#include "base/strings.h"
#include "draw/curve.h"
#include "draw/html.h"

namespace heed::draw {
namespace {

std::string signed_text(double value) {
  return (value < 0 ? "\u2212" : "+") + fixed(value < 0 ? -value : value, 1);
}

std::string bucket_cell(const score::BucketScore& score) {
  std::string content = fixed(score.bleu.score, 1);
  if (score.interval) {
    content += text_element(
        "small", fixed(score.interval->low, 1) + " \u2013 " + fixed(score.interval->high, 1));
  }
  if (const auto& against = score.against_baseline) {
    const bool clear = against->p_value < 0.05;
    const std::string look = !clear ? "" : against->difference > 0 ? "better" : "worse";
    content += text_element("small", signed_text(against->difference),
                            look.empty() ? "" : "class=\"" + look + '"') +
               text_element("small", score::p_text(against->p_value));
  }
  return content;
}

Column bucket_column(const score::Bucket& bucket) {
  return {bucket.label(), "n = " + std::to_string(bucket.sentences.size())};
}

// Buckets without sentences are left out.
std::string buckets_table(const score::LengthReport& lengths) {
  std::vector<Column> columns{{lengths.unit + " in the source"}};
  std::vector<std::vector<std::string>> rows;
  for (const score::SystemLengths& system : lengths.systems)
    rows.push_back({text_element("span", system.name)});
  for (std::size_t b = 0; b < lengths.buckets.size(); ++b) {
    if (lengths.buckets[b].sentences.empty()) continue;
    columns.push_back(bucket_column(lengths.buckets[b]));
    for (std::size_t s = 0; s < rows.size(); ++s) {
      const auto& score = lengths.systems[s].buckets[b];
      rows[s].push_back(score ? bucket_cell(*score) : "\u2013");
    }
  }
  columns.push_back(bucket_column(lengths.all));
  for (std::size_t s = 0; s < rows.size(); ++s)
    rows[s].push_back(bucket_cell(lengths.systems[s].all));
  return table(columns, rows);
}

}  // namespace

std::string lengths_section(const score::LengthReport& lengths) {
  const auto is_compared = [](const score::SystemLengths& system) {
    return system.all.against_baseline.has_value();
  };
  std::string notes = "BLEU";
  if (lengths.systems.front().all.interval) notes += "; below it the 95 % bootstrap interval";
  if (std::ranges::any_of(lengths.systems, is_compared)) {
    notes += ", the difference to \u201c" + lengths.baseline +
             "\u201d, and the p-value of a paired bootstrap test on the same sentences";
  }
  const Curve curve = curve_of(lengths);
  return text_element("h2", "Quality and length") +
         figure(draw_curve(curve), draw_curve(curve, Form::narrow)) + buckets_table(lengths) +
         text_element("p", notes + '.', "class=\"quiet\"") + '\n';
}

}  // namespace heed::draw
