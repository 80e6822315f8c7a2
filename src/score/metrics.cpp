#include "score/metrics.h"

#include <algorithm>
#include <string_view>

#include "base/error.h"

namespace heed::score {
namespace {

/// The first metric of sacrebleu that passes a test.
template <class Test>
std::optional<Metric> first_of_sacrebleu(Test passes) {
  const auto found = std::ranges::find_if(kMetrics, [&](const MetricInfo& each) {
    return each.source == MetricSource::sacrebleu && passes(each);
  });
  return found == kMetrics.end() ? std::nullopt : std::optional(found->metric);
}

}  // namespace

const config::EnumText& heed_enum_text(Metric) {
  static const config::EnumText text{
#define HEED_METRIC(key, source, better, listed, label, axis, decimals, brief, help) {#key, help},
#include "score/metrics.def"
#undef HEED_METRIC
  };
  return text;
}

double computed(Metric metric, const std::vector<std::string>& translations,
                const std::vector<std::string>& references) {
  expect(translations.size() == references.size(), "each translation has a reference");
#define HEED_METRIC(key, source, ...)                           \
  if constexpr (MetricSource::source == MetricSource::function) \
    if (metric == Metric::key) return key##_metric(translations, references);
#include "score/metrics.def"
#undef HEED_METRIC
  throw Bug("a function computes no " + config::name_of(metric));
}

const std::vector<std::string>& sacrebleu_keys() {
  static const std::vector<std::string> keys = [] {
    std::vector<std::string> all;
    for (const MetricInfo& each : kMetrics)
      if (each.source == MetricSource::sacrebleu) all.emplace_back(each.key);
    return all;
  }();
  return keys;
}

std::optional<Metric> sacrebleu_metric(const std::string& key) {
  return first_of_sacrebleu([&](const MetricInfo& each) { return key == each.key; });
}

std::optional<Metric> metric_named(const std::string& name) {
  return first_of_sacrebleu([&](const MetricInfo& each) { return name.starts_with(each.label); });
}

}  // namespace heed::score
