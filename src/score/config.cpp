#include "score/config.h"

#include <algorithm>

#include "base/strings.h"
#include "config/suggest.h"

namespace heed::score {

const std::string& metrics_help() {
  static const std::string help = "What sacrebleu computes: " + join(sacrebleu_keys(), ", ") + ".";
  return help;
}

void check(const EvaluationConfig& config) {
  for (auto metric = config.metrics.begin(); metric != config.metrics.end(); ++metric) {
    if (!sacrebleu_metric(*metric))
      throw config::ConfigError("evaluation.metrics: unknown value '{}'{}", *metric,
                                config::did_you_mean(*metric, sacrebleu_keys()));
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
