#include "train/schedule.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "base/error.h"
#include "train/kinds.h"

namespace heed::train {
namespace {

/// Share of the warm-up that is done, 1 after it.
double warmed(int64_t warmup, int64_t update) {
  if (update >= warmup) return 1;
  return static_cast<double>(update) / static_cast<double>(warmup);
}

}  // namespace

double done_after_warmup(const TrainConfig& config, const SchedulePoint& point) {
  if (point.update <= warmup_updates(config)) return 0;
  const double rest = 1 - point.warmup_share;
  return rest > 0 ? std::clamp((point.share - point.warmup_share) / rest, 0., 1.) : 1;
}

double constant_factor(const TrainConfig&, const SchedulePoint&) {
  return 1;
}

double inverse_sqrt_factor(const TrainConfig& config, const SchedulePoint& point) {
  const int64_t warmup = warmup_updates(config);
  return std::sqrt(static_cast<double>(warmup) /
                   static_cast<double>(std::max(warmup, point.update)));
}

double noam_factor(const TrainConfig& config, const SchedulePoint& point) {
  const auto t = static_cast<double>(point.update),
             warmup = static_cast<double>(warmup_updates(config));
  return std::pow(static_cast<double>(point.width), -0.5) *
         std::min(std::pow(t, -0.5), t * std::pow(warmup, -1.5));
}

double cosine_factor(const TrainConfig& config, const SchedulePoint& point) {
  return (1 + std::cos(std::numbers::pi * done_after_warmup(config, point))) / 2;
}

double plateau_factor(const TrainConfig& config, const SchedulePoint& point) {
  return std::pow(config.decay, static_cast<double>(point.reductions));
}

double luong_factor(const TrainConfig& config, const SchedulePoint& point) {
  constexpr double kStart = 2. / 3, kPart = 1. / 12, kNearly = 1e-9;
  if (point.share < kStart - kNearly) return 1;
  const double parts = std::floor((point.share - kStart) / kPart + kNearly);
  return std::pow(config.decay, 1 + std::min(parts, 3.));
}

double learning_rate(const TrainConfig& config, const SchedulePoint& point) {
  constexpr std::array kFactors{
#define HEED_SCHEDULE(name, ...) name##_factor,
#include "train/schedules.def"
#undef HEED_SCHEDULE
  };
  const double factor = kFactors.at(static_cast<std::size_t>(config.schedule))(config, point);
  const bool has_rise = schedule_info(config.schedule).warmup == Warmup::kIsPart;
  const double rise = has_rise ? 1 : warmed(warmup_updates(config), point.update);
  return config.learning_rate * (rise * factor);
}

}  // namespace heed::train
