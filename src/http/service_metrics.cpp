#include "http/service_metrics.h"

#include <cstddef>
#include <nlohmann/json.hpp>

#include "base/error.h"

namespace heed::http {
namespace {

/// The labels as text: path="/translate",status="200"; values are quoted as in JSON.
std::string text_of(const Labels& labels) {
  std::string out;
  for (const auto& [name, value] : labels)
    out += fmt::format(
        "{}{}={}", out.empty() ? "" : ",", name,
        nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  return out;
}

constexpr const char* kTypes[] = {"counter", "gauge", "histogram"};

std::string in_braces(const std::string& labels, const std::string& more = "") {
  if (labels.empty() && more.empty()) return "";
  return "{" + labels + (labels.empty() || more.empty() ? "" : ",") + more + "}";
}

}  // namespace

void ServiceMetrics::declare(const std::string& name, Type type, const std::string& help,
                             std::vector<double> bounds) {
  const std::scoped_lock lock(mutex_);
  const bool is_new = families_.try_emplace(name, Family{type, help, std::move(bounds), {}}).second;
  expect(is_new, "a metric is declared once");
  order_.push_back(name);
}

void ServiceMetrics::note(const std::string& name, double value, const Labels& labels) {
  const std::scoped_lock lock(mutex_);
  const auto found = families_.find(name);
  expect(found != families_.end(), "a metric that was declared");
  Family& family = found->second;
  Series& one = family.series[text_of(labels)];
  one.buckets.resize(family.bounds.size());
  for (std::size_t i = 0; i < one.buckets.size(); ++i) one.buckets[i] += value <= family.bounds[i];
  one.value = family.type == Type::gauge ? value : one.value + value;
  one.count += 1;
}

std::string ServiceMetrics::text() const {
  const std::scoped_lock lock(mutex_);
  std::string out;
  for (const std::string& name : order_) {
    const Family& family = families_.at(name);
    out += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, family.help, name,
                       kTypes[static_cast<std::size_t>(family.type)]);
    for (const auto& [labels, one] : family.series) {
      if (family.type != Type::histogram) {
        out += fmt::format("{}{} {}\n", name, in_braces(labels), one.value);
        continue;
      }
      for (std::size_t i = 0; i < family.bounds.size(); ++i)
        out += fmt::format("{}_bucket{} {}\n", name,
                           in_braces(labels, fmt::format("le=\"{}\"", family.bounds[i])),
                           one.buckets[i]);
      out += fmt::format("{}_bucket{} {}\n", name, in_braces(labels, "le=\"+Inf\""), one.count);
      out += fmt::format("{}_sum{} {}\n", name, in_braces(labels), one.value);
      out += fmt::format("{}_count{} {}\n", name, in_braces(labels), one.count);
    }
  }
  return out;
}

}  // namespace heed::http
