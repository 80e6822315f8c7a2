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

  /// The type of a metric says what note() adds to it: the growth of a counter, whose name ends in
  /// _total; the value of a gauge; or one value number of values of a histogram, which counts the
  /// values of at most `bounds[i]`, ascending.
  enum class Type { counter, gauge, histogram };
  void declare(const std::string& name, Type type, const std::string& help,
               std::vector<double> bounds = {});
  /// Notes a value of a declared metric; any other name is a Bug.
  void note(const std::string& name, double value = 1, const Labels& labels = {});

  /// All metrics in the text format of Prometheus, version 0.0.4.
  std::string text() const;

 private:
  struct Series {
    double value = 0;             // value of a counter or gauge; the sum of a histogram
    double count = 0;             // of a histogram
    std::vector<double> buckets;  // of a histogram, one a bound
  };
  struct Family {
    Type type;
    std::string help;
    std::vector<double> bounds;
    std::map<std::string, Series> series;  // by the text of the labels
  };

  mutable std::mutex mutex_;
  std::vector<std::string> order_;
  std::map<std::string, Family> families_;
};

}  // namespace heed::http
