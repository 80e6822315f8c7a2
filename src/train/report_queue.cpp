#include "train/report_queue.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "base/log.h"
#include "base/strings.h"
#include "train/metrics.h"
#include "train/setup.h"

namespace heed::train {
namespace {

constexpr int64_t kSkipsInARow = 5;     // until the last checkpoint is taken back
constexpr int64_t kScaleGrowth = 2000;  // updates after which fp16 tries a larger loss scale

}  // namespace

void ReportQueue::clear() {
  reports_.clear();
  wants_rollback_ = false;
}

void ReportQueue::collect_reports(std::size_t may_wait, Progress& progress) {
  const auto has_come = [&] { return group_.alone() && reports_.front().ready(); };
  while (!reports_.empty() && (reports_.size() > may_wait || has_come())) {
    const UpdateReport report = std::move(reports_.front());
    reports_.pop_front();
    add_report(report, progress);
  }
}

void ReportQueue::add_report(const UpdateReport& report, Progress& progress) {
  const UpdateNumbers numbers = report.numbers();
  LogInterval& interval = progress.interval;
  ++interval.updates;
  interval.real += report.real();
  interval.padded += report.padded();
  interval.rate = report.plan().rate;
  interval.norm = numbers.norm;
  ++progress.scale_age;
  if (!numbers.finite()) return count_skipped(report, numbers, progress);
  progress.skipped_in_a_row = 0;
  interval.loss += numbers.loss;
  interval.nll += numbers.nll;
  for (const auto& [name, sum] : numbers.terms) interval.terms[name] += sum;
  interval.tokens += report.tokens();
  progress.tokens += report.tokens();
  if (setup_.precision == at::kHalf && progress.scale_age >= kScaleGrowth) {
    progress.loss_scale *= 2;
    progress.scale_age = 0;
  }
}

void ReportQueue::count_skipped(const UpdateReport& report, const UpdateNumbers& numbers,
                                Progress& progress) {
  ++progress.skipped;
  ++progress.interval.skipped;
  if (setup_.precision == at::kHalf && report.plan().loss_scale > 1 &&
      std::isfinite(numbers.loss)) {
    // fp16's range was too small for the scaled gradient, as it has to be now and then.
    progress.loss_scale = std::min(progress.loss_scale, report.plan().loss_scale / 2);
    progress.scale_age = 0;
    return;
  }
  ++progress.skipped_in_a_row;
  log::warn("update {} skipped: its {} is not finite; sentences of lines {}",
            with_commas(report.plan().update), std::isfinite(numbers.loss) ? "gradient" : "loss",
            origins_text(report.origins(), setup_.corpus->parts().size()));
  if (progress.skipped_in_a_row >= kSkipsInARow) wants_rollback_ = true;
}

}  // namespace heed::train
