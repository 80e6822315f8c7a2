#include "draw/lengths_section.h"

#include "base/strings.h"
#include "draw/curve.h"
#include "draw/html.h"
#include "draw/svg.h"

namespace heed::draw {
namespace {

std::string signed_text(double value) {
  return (value < 0 ? "\u2212" : "+") + fixed(value < 0 ? -value : value, 1);
}

std::string bucket_cell(const std::optional<score::BucketScore>& score) {
  if (!score) return element("td", "\u2013");
  std::string content = fixed(score->bleu.score, 1);
  if (score->interval) {
    content += text_element(
        "small", fixed(score->interval->low, 1) + " \u2013 " + fixed(score->interval->high, 1));
  }
  if (const auto& against = score->against_baseline) {
    const bool clear = against->p_value < 0.05;
    const std::string look = !clear ? "" : against->difference > 0 ? "better" : "worse";
    content += text_element("small", signed_text(against->difference),
                            look.empty() ? "" : "class=\"" + look + '"') +
               text_element("small", score::p_text(against->p_value));
  }
  return element("td", content);
}

std::string bucket_head(const score::Bucket& bucket) {
  const std::string count = std::to_string(bucket.sentences.size());
  return element("th", xml_escape(bucket.label()) + text_element("small", "n = " + count),
                 "scope=\"col\"");
}

}  // namespace

std::string lengths_section(const score::LengthReport& lengths) {
  std::string head = element("th", "words in the source", "scope=\"col\"");
  for (const score::Bucket& bucket : lengths.buckets) head += bucket_head(bucket);
  head += bucket_head(lengths.all);
  std::string rows;
  for (const score::SystemLengths& system : lengths.systems) {
    std::string row = text_element("th", system.name, "scope=\"row\"");
    for (const auto& score : system.buckets) row += bucket_cell(score);
    rows += element("tr", row + bucket_cell(system.all)) + '\n';
  }
  std::string notes = "BLEU; below it the 95 % bootstrap interval";
  if (!lengths.baseline.empty()) {
    notes += " and the difference to \u201c" + lengths.baseline +
             "\u201d with the p-value of a paired bootstrap test on the same sentences";
  }
  return text_element("h2", "Quality and length") +
         element("figure class=\"curve wide\"", draw_curve(curve_of(lengths))) + '\n' +
         table(head, rows) + text_element("p", notes + '.', "class=\"quiet\"") + '\n';
}

}  // namespace heed::draw
