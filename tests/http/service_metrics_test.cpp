#include "http/service_metrics.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace heed::http {
namespace {

using Type = ServiceMetrics::Type;

TEST(ServiceMetrics, AreWrittenAsPrometheusReadsThem) {
  ServiceMetrics metrics;
  metrics.declare("requests_total", Type::counter, "Requests.");
  metrics.declare("waiting", Type::gauge, "Lines that wait.");
  metrics.declare("seconds", Type::histogram, "Times.", {0.1, 2});
  metrics.note("requests_total", 1, {{"path", "/a"}, {"status", "200"}});
  metrics.note("requests_total", 2, {{"path", "/a"}, {"status", "200"}});
  metrics.note("requests_total", 1, {{"path", "\"\\\n"}});
  metrics.note("waiting", 7);
  metrics.note("waiting", 3);
  for (const double seconds : {0.05, 0.1, 1.5, 9.0}) metrics.note("seconds", seconds);
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
  metrics.declare("waiting", Type::gauge, "Lines.");
  EXPECT_THROW(metrics.declare("waiting", Type::gauge, "Lines."), Bug);
  EXPECT_THROW(metrics.note("other", 1), Bug);
}

}  // namespace
}  // namespace heed::http
