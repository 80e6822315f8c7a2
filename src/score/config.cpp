#include "score/config.h"

#include <algorithm>

#include "config/suggest.h"

namespace heed::score {

void check(const EvaluationConfig& config) {
  const std::vector<std::string> known = {"bleu", "chrf", "ter"};
  for (auto metric = config.metrics.begin(); metric != config.metrics.end(); ++metric) {
    if (std::find(known.begin(), known.end(), *metric) == known.end())
      throw config::ConfigError("evaluation.metrics: unknown value '{}'{}", *metric,
                                config::did_you_mean(*metric, known));
    if (std::find(config.metrics.begin(), metric, *metric) != metric)
      throw config::ConfigError("evaluation.metrics: '{}' is given twice", *metric);
  }
  if (config.alignments.empty() && !config.valid_alignments.empty())
    throw config::ConfigError(
        "evaluation.valid_alignments: needs evaluation.alignments, which are measured");
  if (config.pronouns.empty() && !config.antecedents.empty())
    throw config::ConfigError(
        "evaluation.antecedents: needs evaluation.pronouns, the forms of each gender");
  const auto& ends = config.length_buckets;
  const auto wrong = std::adjacent_find(ends.begin(), ends.end(), std::greater_equal<>());
  if (wrong != ends.end())
    throw config::ConfigError(
        "evaluation.length_buckets: {} follows {}; the ends of buckets must increase", wrong[1],
        wrong[0]);
}

}  // namespace heed::score
