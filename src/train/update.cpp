#include "train/update.h"

#include <ATen/ATen.h>
#include <ATen/DeviceAccelerator.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "model/device.h"
#include "train/loss.h"

namespace heed::train {
namespace {

constexpr int kMostSplits = 32;  // in one update

int64_t places_of(const data::Batch& batch) {
  return batch.size * (batch.source_length + batch.target_length);
}

/// LibTorch's CPU allocator has no exception type of its own.
bool is_out_of_memory(const c10::Error& error) {
  return dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr ||
         std::string_view(error.what_without_backtrace()).find("DefaultCPUAllocator") !=
             std::string_view::npos;
}

/// Copies the first `to` columns of rows [begin, end) of a [rows, from] table.
std::vector<int64_t> corner(const std::vector<int64_t>& table, int64_t begin, int64_t end,
                            int64_t from, int64_t to) {
  std::vector<int64_t> out;
  for (int64_t row = begin; row < end; ++row)
    out.insert(out.end(), table.begin() + row * from, table.begin() + row * from + to);
  return out;
}

}  // namespace

data::Batch rows_of(const data::Batch& batch, int64_t begin, int64_t end) {
  data::Batch out;
  out.size = end - begin;
  out.source_lengths.assign(batch.source_lengths.begin() + begin,
                            batch.source_lengths.begin() + end);
  out.target_lengths.assign(batch.target_lengths.begin() + begin,
                            batch.target_lengths.begin() + end);
  out.source_length = *std::ranges::max_element(out.source_lengths);
  out.target_length = *std::ranges::max_element(out.target_lengths);
  out.source = corner(batch.source, begin, end, batch.source_length, out.source_length);
  out.target_input = corner(batch.target_input, begin, end, batch.target_length, out.target_length);
  out.target_output =
      corner(batch.target_output, begin, end, batch.target_length, out.target_length);
  out.origins.assign(batch.origins.begin() + begin, batch.origins.begin() + end);
  return out;
}

bool UpdateNumbers::finite() const {
  return std::isfinite(loss) && std::isfinite(norm);
}

double seconds_between(std::chrono::steady_clock::time_point from,
                       std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

UpdateSeconds& UpdateSeconds::operator+=(const UpdateSeconds& other) {
  forward += other.forward;
  backward += other.backward;
  optimizer += other.optimizer;
  return *this;
}

UpdateReport::UpdateReport(const UpdatePlan& planned, const std::vector<data::Batch>& batches,
                           Readback numbers)
    : plan(planned), numbers_(std::move(numbers)) {
  for (const auto& batch : batches) {
    tokens += batch.target_tokens();
    real += batch.source_tokens() + batch.target_tokens();
    places += places_of(batch);
    origins.insert(origins.end(), batch.origins.begin(), batch.origins.end());
  }
}

UpdateNumbers UpdateReport::numbers() const {
  const auto values = numbers_.get();
  return {values[0], values[1], values[2]};
}

Updater::Updater(model::Model& model, const TrainConfig& config, at::Device device,
                 at::ScalarType precision, Optimizer& optimizer, Average* average)
    : model_(model),
      config_(config),
      device_(device),
      precision_(precision),
      optimizer_(optimizer),
      average_(average) {}

Updater::Sums Updater::accumulate(const std::vector<data::Batch>& batches, double loss_scale) {
  int64_t tokens = 0;
  for (const auto& batch : batches) tokens += batch.target_tokens();
  Sums sums;
  seconds_ = {};
  for (current_ = 0; current_ < batches.size(); ++current_) {
    const auto start = Clock::now();
    const auto source = model::make_source(batches[current_], device_);
    const Target target = make_target(batches[current_], device_);
    LossSum loss;
    {
      const model::Autocast autocast(device_, precision_);
      loss =
          loss_of(model_, model_.features(source, target.input), target, config_.label_smoothing);
    }
    const auto middle = Clock::now();
    seconds_.forward += seconds_between(start, middle);
    (loss.smoothed * (loss_scale / static_cast<double>(tokens))).backward();
    seconds_.backward += seconds_between(middle, Clock::now());
    sums.loss = current_ == 0 ? loss.smoothed.detach() : sums.loss + loss.smoothed.detach();
    sums.nll = current_ == 0 ? loss.nll.detach() : sums.nll + loss.nll.detach();
  }
  return sums;
}

void Updater::split(std::vector<data::Batch>& batches, std::size_t which, const UpdatePlan& plan) {
  const data::Batch batch = std::move(batches[which]);
  const std::string place = "update " + std::to_string(plan.update) + ": memory runs out ";
  if (batch.size == 1)
    throw Failure(place + "on one sentence pair of " + std::to_string(batch.source_length) +
                  " and " + std::to_string(batch.target_length) +
                  " pieces; lower data.max_length or the size of the model");
  const bool by_tokens = config_.batch_type == BatchType::tokens;
  const int64_t size = by_tokens ? batch.size * batch.target_length : batch.size;
  const int64_t now = places_of(batch);
  if (too_large_ == 0 || now < too_large_) {
    too_large_ = now;
    log::warn(place + "on a batch of " + std::to_string(size) +
              (by_tokens ? " target tokens" : " sentences") +
              "; batches of this size are computed in halves from now on. training.batch_size: " +
              std::to_string(std::max<int64_t>(1, size / 2)) + " with training.accumulate: " +
              std::to_string(2 * config_.accumulate) + " does the same without the detour");
  }
  batches[which] = rows_of(batch, 0, batch.size / 2);
  batches.insert(batches.begin() + static_cast<std::ptrdiff_t>(which) + 1,
                 rows_of(batch, batch.size / 2, batch.size));
}

Updater::Sums Updater::accumulate_within_memory(std::vector<data::Batch>& batches,
                                                const UpdatePlan& plan) {
  for (std::size_t i = 0; i < batches.size(); ++i)
    while (too_large_ > 0 && batches[i].size > 1 && places_of(batches[i]) >= too_large_)
      split(batches, i, plan);
  for (int splits = 0; splits <= kMostSplits; ++splits) {
    // A pass that broke off has left half of its gradients.
    optimizer_.clear_gradients();
    try {
      return accumulate(batches, plan.loss_scale);
    } catch (const c10::Error& error) {
      if (!is_out_of_memory(error)) throw;
    } catch (const std::bad_alloc&) {
    }
    optimizer_.clear_gradients();
    if (device_.is_cuda()) at::getDeviceAllocator(device_.type())->emptyCache();
    split(batches, current_, plan);
  }
  throw Failure("update " + std::to_string(plan.update) +
                ": memory runs out however often the batch is split; lower training.batch_size");
}

UpdateReport Updater::run(std::vector<data::Batch> batches, const UpdatePlan& plan) {
  const Sums sums = accumulate_within_memory(batches, plan);
  const auto start = Clock::now();
  const at::NoGradGuard no_grad;
  const Tensor norm = optimizer_.gradient_norm().to(device_);
  const Tensor finite = norm.isfinite().logical_and(sums.loss.isfinite());
  const Tensor skip = finite.logical_not().to(at::kFloat);
  optimizer_.step(plan.rate, gradient_divisor(norm, config_.clip_norm, plan.loss_scale), skip);
  optimizer_.clear_gradients();
  if (average_) average_->update(plan.update);
  const Tensor numbers = at::stack({sums.loss, sums.nll, norm.to(at::kDouble) / plan.loss_scale});
  UpdateReport report{plan, batches, Readback(numbers)};
  report.seconds = seconds_;
  report.seconds.optimizer = seconds_between(start, Clock::now());
  return report;
}

}  // namespace heed::train
