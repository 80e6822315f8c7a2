#include "http/service_metrics.h"

#include <array>
#include <charconv>

#include "base/error.h"

namespace heed::http {
namespace {

/// As short as it can be said without loss.
std::string number(double value) {
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

/// path="/translate",status="200"
std::string text_of(const Labels& labels) {
  std::string out;
  for (const auto& [name, value] : labels) {
    out += (out.empty() ? "" : ",") + name + "=\"";
    for (const char c : value) {
      if (c == '\n') {
        out += "\\n";
        continue;
      }
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    out += '"';
  }
  return out;
}

std::string in_braces(const std::string& labels, const std::string& more = "") {
  if (labels.empty() && more.empty()) return "";
  return "{" + labels + (labels.empty() || more.empty() ? "" : ",") + more + "}";
}

}  // namespace

void ServiceMetrics::declare(const std::string& name, const char* type, const std::string& help,
                             std::vector<double> bounds) {
  const std::scoped_lock lock(mutex_);
  const bool is_new = families_.try_emplace(name, Family{type, help, std::move(bounds), {}}).second;
  expect(is_new, "a metric is declared once");
  order_.push_back(name);
}

ServiceMetrics::Series& ServiceMetrics::series(const std::string& name, const char* type,
                                               const Labels& labels) {
  const auto found = families_.find(name);
  expect(found != families_.end() && found->second.type == type, "a metric of this type");
  Series& out = found->second.series[text_of(labels)];
  out.buckets.resize(found->second.bounds.size());
  return out;
}

void ServiceMetrics::add(const std::string& name, double by, const Labels& labels) {
  const std::scoped_lock lock(mutex_);
  series(name, "counter", labels).value += by;
}

void ServiceMetrics::set(const std::string& name, double value, const Labels& labels) {
  const std::scoped_lock lock(mutex_);
  series(name, "gauge", labels).value = value;
}

void ServiceMetrics::observe(const std::string& name, double value, const Labels& labels) {
  const std::scoped_lock lock(mutex_);
  Series& one = series(name, "histogram", labels);
  const std::vector<double>& bounds = families_.at(name).bounds;
  for (std::size_t i = 0; i < bounds.size(); ++i) one.buckets[i] += value <= bounds[i];
  one.value += value;
  one.count += 1;
}

std::string ServiceMetrics::text() const {
  const std::scoped_lock lock(mutex_);
  std::string out;
  for (const std::string& name : order_) {
    const Family& family = families_.at(name);
    out += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, family.help, name, family.type);
    for (const auto& [labels, one] : family.series) {
      if (family.type != "histogram") {
        out += name + in_braces(labels) + " " + number(one.value) + "\n";
        continue;
      }
      for (std::size_t i = 0; i < family.bounds.size(); ++i)
        out += fmt::format("{}_bucket{} {}\n", name,
                           in_braces(labels, "le=\"" + number(family.bounds[i]) + "\""),
                           number(one.buckets[i]));
      out += fmt::format("{}_bucket{} {}\n", name, in_braces(labels, "le=\"+Inf\""),
                         number(one.count));
      out += fmt::format("{}_sum{} {}\n", name, in_braces(labels), number(one.value));
      out += fmt::format("{}_count{} {}\n", name, in_braces(labels), number(one.count));
    }
  }
  return out;
}

}  // namespace heed::http
