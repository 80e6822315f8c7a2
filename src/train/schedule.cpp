#include "train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.h"

namespace heed::train {
namespace {

/// Share of the warm-up that is done, 1 after it.
double warmed(int64_t warmup, int64_t update) {
  if (update >= warmup) return 1;
  return static_cast<double>(update) / static_cast<double>(warmup);
}

double inverse_sqrt(int64_t warmup, int64_t update) {
  return std::sqrt(static_cast<double>(warmup) / static_cast<double>(std::max(warmup, update)));
}

double noam(int64_t updates, const SchedulePoint& point) {
  const auto t = static_cast<double>(point.update), warmup = static_cast<double>(updates);
  return std::pow(static_cast<double>(point.width), -0.5) *
         std::min(std::pow(t, -0.5), t * std::pow(warmup, -1.5));
}

double cosine(int64_t warmup, const SchedulePoint& point) {
  if (point.update <= warmup) return 1;
  const double rest = 1 - point.warmup_share;
  const double share = rest > 0 ? std::clamp((point.share - point.warmup_share) / rest, 0., 1.) : 1;
  return (1 + std::cos(std::numbers::pi * share)) / 2;
}

double luong(const TrainConfig& config, double share) {
  constexpr double kStart = 2. / 3, kPart = 1. / 12, kNearly = 1e-9;
  if (share < kStart - kNearly) return 1;
  const double parts = std::floor((share - kStart) / kPart + kNearly);
  return std::pow(config.decay, 1 + std::min(parts, 3.));
}

double factor(const TrainConfig& config, const SchedulePoint& point) {
  const int64_t warmup = warmup_updates(config);
  const double risen = warmed(warmup, point.update);
  switch (config.schedule) {
    case ScheduleKind::constant:
      return risen;
    case ScheduleKind::inverse_sqrt:
      return risen * inverse_sqrt(warmup, point.update);
    case ScheduleKind::noam:
      return noam(warmup, point);  // the warm-up is in the formula
    case ScheduleKind::cosine:
      return risen * cosine(warmup, point);
    case ScheduleKind::plateau:
      return risen * std::pow(config.decay, static_cast<double>(point.reductions));
    case ScheduleKind::luong:
      return risen * luong(config, point.share);
  }
  throw Bug("a schedule without a formula");
}

}  // namespace

double learning_rate(const TrainConfig& config, const SchedulePoint& point) {
  return config.learning_rate * factor(config, point);
}

}  // namespace heed::train
