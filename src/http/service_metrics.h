// Counters and times of a running program, as Prometheus reads them.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace heed::http {

using Labels = std::vector<std::pair<std::string, std::string>>;

/// Safe to use from several threads.
class ServiceMetrics {
 public:
  ServiceMetrics& operator=(ServiceMetrics&&) = delete;

  /// A number that only grows; its name ends in _total.
  void counter(const std::string& name, const std::string& help) {
    declare(name, "counter", help, {});
  }
  /// A number that goes up and down.
  void gauge(const std::string& name, const std::string& help) { declare(name, "gauge", help, {}); }
  /// How many values were at most `bounds[i]`, which ascend.
  void histogram(const std::string& name, const std::string& help, std::vector<double> bounds) {
    declare(name, "histogram", help, std::move(bounds));
  }

  // Of a name that was declared; others are a Bug.
  void add(const std::string& name, double by = 1, const Labels& labels = {});
  void set(const std::string& name, double value, const Labels& labels = {});
  void observe(const std::string& name, double value, const Labels& labels = {});

  /// All of them in the text format, version 0.0.4.
  std::string text() const;

 private:
  struct Series {
    double value = 0;             // of a counter or gauge; the sum of a histogram's
    double count = 0;             // of a histogram
    std::vector<double> buckets;  // of a histogram, one a bound
  };
  struct Family {
    std::string type, help;
    std::vector<double> bounds;
    std::map<std::string, Series> series;  // by the text of the labels
  };

  void declare(const std::string& name, const char* type, const std::string& help,
               std::vector<double> bounds);
  Series& series(const std::string& name, const char* type, const Labels& labels);

  mutable std::mutex mutex_;
  std::vector<std::string> order_;
  std::map<std::string, Family> families_;
};

}  // namespace heed::http
