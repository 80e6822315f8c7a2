#include "train/update.h"

#include <ATen/ATen.h>
#include <ATen/DeviceAccelerator.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/random.h"
#include "kernels/draws.h"
#include "kernels/share_out.h"
#include "model/device.h"
#include "model/initial.h"
#include "model/weights.h"
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

/// The trainable parameters, in an order that only the kind of model decides.
std::vector<Tensor> trainable_list(const model::Model& model) {
  std::vector<Tensor> list;
  for (auto& [name, parameter] : trainable(model)) list.push_back(parameter);
  return list;
}

Gradients take_gradients(const std::vector<Tensor>& parameters) {
  Gradients gradients;
  for (const Tensor& parameter : parameters)
    gradients.push_back(std::exchange(parameter.mutable_grad(), Tensor()));
  return gradients;
}

void put_gradients(const Gradients& gradients, const std::vector<Tensor>& parameters) {
  for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i].mutable_grad() = gradients[i];
}

}  // namespace

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

UpdateReport::UpdateReport(const UpdatePlan& planned, const std::vector<data::Batch>& parts,
                           Readback numbers)
    : plan(planned), numbers_(std::move(numbers)) {
  for (const auto& batch : parts) {
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
                 at::ScalarType precision, Optimizer& optimizer, Average* average,
                 MakeModel another)
    : config_(config),
      device_(device),
      precision_(precision),
      optimizer_(optimizer),
      average_(average),
      another_(std::move(another)) {
  workers_.push_back({model, trainable_list(model)});
}

bool Updater::shares_out() const {
  return device_.is_cpu() && another_ &&
         at::get_num_threads() <= parts_per_batch(config_) * config_.accumulate;
}

void Updater::add_workers(int64_t count) {
  while (std::ssize(workers_) < count) {
    model::ModelPtr other;
    {
      const model::Uninitialised weights;
      other = another_();
    }
    model::share_weights(workers_[0].model, *other);
    workers_.push_back({*other, trainable_list(*other)});
    others_.push_back(std::move(other));
  }
}

Updater::Sums Updater::compute(Worker& worker, const data::Batch& part, int64_t number,
                               int64_t tokens, const UpdatePlan& plan) {
  const auto start = Clock::now();
  const kernels::Draws draws(
      mix({plan.seed, static_cast<uint64_t>(plan.update), static_cast<uint64_t>(number)}), device_);
  const auto source = model::make_source(part, device_);
  const Target target = make_target(part, device_);
  LossSum loss;
  {
    const model::Autocast autocast(device_, precision_, /*keep_copies=*/!device_.is_cpu());
    loss = loss_of(worker.model, worker.model.features(source, target.input), target,
                   config_.label_smoothing);
  }
  const auto middle = Clock::now();
  (loss.smoothed * (plan.loss_scale / static_cast<double>(tokens))).backward();
  return {loss.smoothed.detach(),
          loss.nll.detach(),
          {.forward = seconds_between(start, middle),
           .backward = seconds_between(middle, Clock::now())}};
}

/// Leaves the sum of all gradients with the model's parameters. Throws OutOfMemory.
Updater::Sums Updater::accumulate(const std::vector<data::Batch>& parts, const UpdatePlan& plan) {
  int64_t tokens = 0;
  for (const auto& part : parts) tokens += part.target_tokens();
  const auto count = std::ssize(parts);
  std::vector<Sums> sums(parts.size());
  TreeSum gradients(count);
  const auto work = [&](int64_t number, int64_t which) {
    Worker& worker = workers_[which];
    try {
      sums[number] = compute(worker, parts[number], number, tokens, plan);
    } catch (const c10::Error& error) {
      if (!is_out_of_memory(error)) throw;
      throw OutOfMemory{number};
    } catch (const std::bad_alloc&) {
      throw OutOfMemory{number};
    }
    gradients.add(number, take_gradients(worker.parameters));
  };
  if (shares_out()) {
    add_workers(at::get_num_threads());
    for (const Worker& worker : workers_) worker.model.train();
    kernels::share_out(count, work);
  } else {
    for (int64_t number = 0; number < count; ++number) work(number, 0);
  }
  put_gradients(gradients.take(), workers_[0].parameters);
  Sums all = sums[0];
  for (int64_t i = 1; i < count; ++i) {
    all.loss = all.loss + sums[i].loss;
    all.nll = all.nll + sums[i].nll;
    all.seconds += sums[i].seconds;
  }
  const int64_t together = shares_out() ? std::min<int64_t>(at::get_num_threads(), count) : 1;
  all.seconds.forward /= static_cast<double>(together);
  all.seconds.backward /= static_cast<double>(together);
  return all;
}

void Updater::split(std::vector<data::Batch>& parts, std::size_t which, const UpdatePlan& plan) {
  const data::Batch batch = std::move(parts[which]);
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
    log::warn(place + "on a part of " + std::to_string(size) +
              (by_tokens ? " target tokens" : " sentences") +
              "; parts of this size are computed in halves from now on. training.micro_batches: " +
              std::to_string(2 * parts_per_batch(config_)) + " does the same without the detour");
  }
  parts[which] = data::rows_of(batch, 0, batch.size / 2);
  parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(which) + 1,
               data::rows_of(batch, batch.size / 2, batch.size));
}

void Updater::clear_gradients() {
  for (const Worker& worker : workers_) take_gradients(worker.parameters);
}

Updater::Sums Updater::accumulate_within_memory(std::vector<data::Batch>& parts,
                                                const UpdatePlan& plan) {
  for (std::size_t i = 0; i < parts.size(); ++i)
    while (too_large_ > 0 && parts[i].size > 1 && places_of(parts[i]) >= too_large_)
      split(parts, i, plan);
  for (int splits = 0; splits <= kMostSplits; ++splits) {
    // A pass that broke off has left some of its gradients.
    clear_gradients();
    try {
      return accumulate(parts, plan);
    } catch (const OutOfMemory& at) {
      clear_gradients();
      if (device_.is_cuda()) at::getDeviceAllocator(device_.type())->emptyCache();
      split(parts, at.part, plan);
    }
  }
  throw Failure("update " + std::to_string(plan.update) +
                ": memory runs out however often the batch is split; lower training.batch_size");
}

UpdateReport Updater::run(const std::vector<data::Batch>& batches, const UpdatePlan& plan) {
  std::vector<data::Batch> parts;
  for (const data::Batch& batch : batches)
    for (data::Batch& part : data::parts_of(batch, parts_per_batch(config_)))
      parts.push_back(std::move(part));
  const Sums sums = accumulate_within_memory(parts, plan);
  const auto start = Clock::now();
  const at::NoGradGuard no_grad;
  const Tensor norm = optimizer_.gradient_norm().to(device_);
  const Tensor finite = norm.isfinite().logical_and(sums.loss.isfinite());
  const Tensor skip = finite.logical_not().to(at::kFloat);
  optimizer_.step(plan.rate, gradient_divisor(norm, config_.clip_norm, plan.loss_scale), skip);
  optimizer_.clear_gradients();
  if (average_) average_->update(plan.update);
  const Tensor numbers = at::stack({sums.loss, sums.nll, norm.to(at::kDouble) / plan.loss_scale});
  UpdateReport report{plan, parts, Readback(numbers)};
  report.seconds = sums.seconds;
  report.seconds.optimizer = seconds_between(start, Clock::now());
  return report;
}

}  // namespace heed::train
