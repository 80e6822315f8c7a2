#include "http/service_metrics.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace heed::http {
namespace {

TEST(ServiceMetrics, AreWrittenAsPrometheusReadsThem) {
  ServiceMetrics metrics;
  metrics.counter("requests_total", "Requests.");
  metrics.gauge("waiting", "Lines that wait.");
  metrics.histogram("seconds", "Times.", {0.1, 2});
  metrics.add("requests_total", 1, {{"path", "/a"}, {"status", "200"}});
  metrics.add("requests_total", 2, {{"path", "/a"}, {"status", "200"}});
  metrics.add("requests_total", 1, {{"path", "\"\\\n"}});
  metrics.set("waiting", 7);
  metrics.set("waiting", 3);
  for (const double seconds : {0.05, 0.1, 1.5, 9.0}) metrics.observe("seconds", seconds);
  EXPECT_EQ(metrics.text(), R"(# HELP requests_total Requests.
# TYPE requests_total counter
requests_total{path="/a",status="200"} 3
requests_total{path="\"\\\n"} 1
# HELP waiting Lines that wait.
# TYPE waiting gauge
waiting 3
# HELP seconds Times.
# TYPE seconds histogram
seconds_bucket{le="0.1"} 2
seconds_bucket{le="2"} 3
seconds_bucket{le="+Inf"} 4
seconds_sum 10.65
seconds_count 4
)");
}

TEST(ServiceMetrics, MustBeDeclared) {
  ServiceMetrics metrics;
  metrics.gauge("waiting", "Lines.");
  EXPECT_THROW(metrics.gauge("waiting", "Lines."), Bug);
  EXPECT_THROW(metrics.add("waiting"), Bug);
  EXPECT_THROW(metrics.set("other", 1), Bug);
}

}  // namespace
}  // namespace heed::http
