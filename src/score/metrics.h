// The metrics that say how good a model or its translations are. Each is a row of
// score/metrics.def, and whoever computes, logs, saves, compares or draws metrics walks these rows.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/schema.h"

namespace heed::score {

enum class Metric {
#define HEED_METRIC(key, ...) key,
#include "score/metrics.def"
#undef HEED_METRIC
};

/// The program that computes a metric at a validation.
enum class MetricSource {
  heed,       // the loss, from the model's probabilities
  sacrebleu,  // from the translations
  function,   // of heed, from translations and references: <key>_metric
  command,    // training.validation_command; the scale of its number is unknown
};

enum class Better { less, more };

/// The outputs that list a metric even if no run has computed it, for programs that look for
/// it there.
enum class MetricListing {
  everywhere,   // in each validation's line of metrics.jsonl, and in tables
  in_tables,    // in what `heed runs` and `heed watch` print as JSON or CSV
  where_known,  // nowhere
};

/// A row of the table.
struct MetricInfo {
  Metric metric;
  const char* key;
  MetricSource source;
  Better better;
  MetricListing listed;
  const char* label;
  const char* axis;
  int decimals;
  int brief;  // decimals where there is little room
};

inline constexpr auto kMetrics = std::to_array<MetricInfo>({
#define HEED_METRIC(key, source, better, listed, label, axis, decimals, brief, help)            \
  {Metric::key, #key, MetricSource::source, Better::better, MetricListing::listed, label, axis, \
   decimals,    brief},
#include "score/metrics.def"
#undef HEED_METRIC
});

constexpr std::size_t index_of(Metric metric) {
  return static_cast<std::size_t>(metric);
}

constexpr const MetricInfo& info_of(Metric metric) {
  return kMetrics.at(index_of(metric));
}

// One function for each row of which the source is `function`; others have no definition. It
// returns the metric of some translations, of which each has one reference.
#define HEED_METRIC(key, ...)                                       \
  double key##_metric(const std::vector<std::string>& translations, \
                      const std::vector<std::string>& references);
#include "score/metrics.def"
#undef HEED_METRIC

/// The number that the function of `metric` computes. Throws Bug where its source is another one.
double computed(Metric metric, const std::vector<std::string>& translations,
                const std::vector<std::string>& references);

/// The metrics as values of an option.
const config::EnumText& heed_enum_text(Metric);

/// The keys of the metrics that sacrebleu computes, in the order of the table.
const std::vector<std::string>& sacrebleu_keys();

/// The metric of sacrebleu with this key; nothing where there is none.
std::optional<Metric> sacrebleu_metric(const std::string& key);

/// The metric that sacrebleu calls `name` in its answer (BLEU, chrF2++); nothing where there is
/// none.
std::optional<Metric> metric_named(const std::string& name);

/// A number for each metric that was computed.
class MetricValues {
 public:
  MetricValues() = default;
  MetricValues(std::initializer_list<std::pair<Metric, double>> values) {
    for (const auto& [metric, value] : values) (*this)[metric] = value;
  }

  std::optional<double>& operator[](Metric metric) { return values_.at(index_of(metric)); }
  const std::optional<double>& operator[](Metric metric) const {
    return values_.at(index_of(metric));
  }
  bool operator==(const MetricValues&) const = default;

 private:
  std::array<std::optional<double>, kMetrics.size()> values_ = {};
};

}  // namespace heed::score
