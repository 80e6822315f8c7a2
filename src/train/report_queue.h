// Reports of updates whose numbers are still on their way: the host may be ahead of a GPU.
#pragma once

#include <cstddef>
#include <deque>
#include <utility>

#include "ranks/group.h"
#include "train/progress.h"
#include "train/update.h"

namespace heed::train {

struct TrainerSetup;  // train/setup.h

class ReportQueue {
 public:
  /// Both must outlive this object.
  ReportQueue(const TrainerSetup& setup, const ranks::Group& group)
      : setup_(setup), group_(group) {}

  void push(UpdateReport report) { reports_.push_back(std::move(report)); }
  /// Adds the reports that have come to `progress`, and waits until at most `may_wait` are under
  /// way. Which have come is not the same on all ranks: together they add those alone that they
  /// wait for.
  void collect_reports(std::size_t may_wait, Progress& progress);
  /// Whether so many updates in a row were not finite that the run has to go back.
  bool wants_rollback() const { return wants_rollback_; }
  /// Forgets the updates that a run takes back.
  void clear();

 private:
  void add_report(const UpdateReport& report, Progress& progress);
  void count_skipped(const UpdateReport& report, const UpdateNumbers& numbers, Progress& progress);

  const TrainerSetup& setup_;
  const ranks::Group& group_;
  std::deque<UpdateReport> reports_;
  bool wants_rollback_ = false;
};

}  // namespace heed::train
