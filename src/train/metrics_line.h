// A line of metrics.jsonl as its readers see it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "score/metrics.h"

namespace heed::train {

struct MetricsLine {
  std::string event;  // train, validation, further_validation or rollback
  int64_t update = 0;
  std::string set;                // the name of a further validation's set
  std::optional<double> seconds;  // since the run began, interruptions left out
  score::MetricValues values;  // the loss: all but a rollback's, if finite; scores: a validation's
  std::optional<double> perplexity;   // as the loss
  std::optional<double> speed, rate;  // of training: target tokens a second, learning rate
  std::optional<double> left;         // of training: seconds to its end
  std::optional<int64_t> epoch;       // from 1
  bool best = false;                  // this validation was the best so far
  bool last = false;                  // the run ended before the interval was full
};

/// Returns the values of a line; nothing for a line that a crash cut off or another program wrote.
/// Such a line is no JSON object, lacks event or update, or has a value of another type.
std::optional<MetricsLine> parse_metrics(std::string_view line);

/// Returns the lines of a file that parse_metrics() can read, in order. Throws as read_file() does.
std::vector<MetricsLine> read_metrics(const std::string& path);

/// The last update of a run, and its best validation.
struct RunMetrics {
  int64_t updates = 0;
  double seconds = 0;
  MetricsLine best;  // its update is 0 where there was none
};
RunMetrics summarize(const std::vector<MetricsLine>& events);

}  // namespace heed::train
