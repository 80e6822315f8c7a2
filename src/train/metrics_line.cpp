#include "train/metrics_line.h"

#include <algorithm>
#include <utility>

#include "base/files.h"
#include "base/json.h"
#include "base/strings.h"

namespace heed::train {
namespace {

/// JSON has null for what is no number.
template <class T>
std::optional<T> field(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || found->is_null()) return std::nullopt;
  return found->get<T>();
}

}  // namespace

std::optional<MetricsLine> parse_metrics(std::string_view line) {
  const auto object = json_or_discarded(line);
  if (!object.is_object()) return std::nullopt;
  MetricsLine out;
  try {
    out.event = object.at("event").get<std::string>();
    out.update = object.at("update").get<int64_t>();
    for (const score::MetricInfo& each : score::kMetrics)
      out.values[each.metric] = field<double>(object, each.key);
    out.perplexity = field<double>(object, "perplexity");
    out.seconds = field<double>(object, "seconds");
    out.speed = field<double>(object, "tokens_per_second");
    out.rate = field<double>(object, "learning_rate");
    out.left = field<double>(object, "left");
    out.epoch = field<int64_t>(object, "epoch");
    out.set = field<std::string>(object, "set").value_or("");
    out.best = field<bool>(object, "best").value_or(false);
    out.last = field<bool>(object, "last").value_or(false);
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
  return out;
}

std::vector<MetricsLine> read_metrics(const std::string& path) {
  std::vector<MetricsLine> events;
  for (const std::string& line : split(read_regular_file(path), '\n'))
    if (auto event = parse_metrics(line)) events.push_back(*std::move(event));
  return events;
}

RunMetrics summarize(const std::vector<MetricsLine>& events) {
  RunMetrics out;
  for (const MetricsLine& event : events) {
    out.updates = std::max(out.updates, event.update);
    out.seconds = std::max(out.seconds, event.seconds.value_or(0));
    if (event.event == "validation" && event.best) out.best = event;
  }
  return out;
}

}  // namespace heed::train
