#include "train/update.h"

#include <ATen/ATen.h>
#include <ATen/DeviceAccelerator.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/random.h"
#include "base/strings.h"
#include "config/schema.h"
#include "data/batch.h"
#include "kernels/dropout.h"
#include "model/adapters.h"
#include "model/embedding.h"
#include "model/model.h"
#include "model/trace.h"
#include "model/weights.h"
#include "train/losses.h"

namespace heed::train {
namespace {

int64_t padded_tokens(const data::Batch& batch) {
  return batch.size * (batch.source_length + batch.target_length);
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

UpdateReport::UpdateReport(const UpdatePlan& plan, const std::vector<data::Batch>& parts,
                           const std::vector<AuxiliaryLoss>& terms, model::Download numbers,
                           const UpdateSeconds& seconds)
    : plan_(plan), seconds_(seconds), terms_(terms), numbers_(std::move(numbers)) {
  for (const auto& batch : parts) {
    tokens_ += batch.target_tokens();
    real_ += batch.source_tokens() + batch.target_tokens();
    padded_ += padded_tokens(batch);
    origins_.insert(origins_.end(), batch.origins.begin(), batch.origins.end());
  }
}

UpdateNumbers UpdateReport::numbers() const {
  const double* next = numbers_.host().const_data_ptr<double>();
  UpdateNumbers numbers{.loss = *next++, .nll = *next++};
  for (const AuxiliaryLoss& term : terms_) numbers.terms[term.name] = *next++;
  numbers.norm = *next;
  return numbers;
}

void choose_trainable(model::Model& model, const TrainConfig& config) {
  const Adapters& adapters = config.adapters;
  if (adapters.kind == AdapterKind::none) return model::freeze(model, config.freeze);
  const auto names = [&](AdaptedMatrix matrix) {
    return std::ranges::count(adapters.matrices, config::name_of(matrix)) > 0;
  };
  model::add_adapters(model, {.rank = adapters.rank,
                              .scale = adapters.alpha / static_cast<double>(adapters.rank),
                              .attention = names(AdaptedMatrix::attention),
                              .feed_forward = names(AdaptedMatrix::feed_forward),
                              .in_weights = config.quantise != Quantise::none});
}

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

int64_t threads_of_a_part(const TrainConfig& config, int64_t ranks) {
  const int64_t threads = at::get_num_threads();
  const int64_t parts = parts_per_batch(config) * config.accumulate;
  return std::clamp<int64_t>(threads * ranks / parts, 1, threads);
}

std::string division_text(const Division& of) {
  const int64_t all = of.threads * of.ranks;
  if (all == 1) return "";
  const std::string who = counted(all, of.threads == 1 ? "rank" : "thread");
  const std::string text =
      fmt::format("each update is divided into {}, computed by {}", counted(of.parts, "part"), who);
  if (all <= of.parts) return text + ", whose number changes no digit of the result";
  if (of.of_a_part > 1)
    return fmt::format("{}, {} for each part; their number changes the last digits of the result",
                       text, of.of_a_part);
  return fmt::format("{}, of which {}; training.micro_batches: {} in a new run gives each a part",
                     text,
                     all - of.parts == 1 ? "one waits" : fmt::format("{} wait", all - of.parts),
                     (all + of.accumulate - 1) / of.accumulate);
}

Updater::Updater(model::Model& model, const TrainConfig& config, at::Device device,
                 at::ScalarType precision, Optimizer& optimizer, Average* average,
                 MakeModel another)
    : config_(config),
      device_(device),
      precision_(precision),
      shard_(optimizer.shard()),
      step_(config, device, optimizer, average),
      another_(std::move(another)),
      workers_{{model, trainable_list(model)}},
      recorded_pass_(model, config, device, precision) {}

int64_t Updater::threads_of_a_part() const {
  if (!device_.is_cpu() || !another_) return at::get_num_threads();
  return train::threads_of_a_part(config_, shard_.group().size());
}

void Updater::add_workers(int64_t count) {
  while (std::ssize(workers_) < count) {
    model::ModelPtr other;
    {
      const model::WeightsBegin weights(model::InitialWeights::uninitialised);
      other = another_();
    }
    model::share_weights(workers_[0].model, *other);
    workers_.push_back({*other, trainable_list(*other)});
    others_.push_back(std::move(other));
  }
}

Updater::PartSums Updater::compute(Worker& worker, const data::Batch& part, uint64_t seed,
                                   const UpdateJob& job) {
  const auto start = Clock::now();
  const kernels::Draws draws(seed, device_);
  const LossSum loss = loss_of_part(worker.model, part, seed);
  const auto middle = Clock::now();
  (loss.smoothed * (job.plan.loss_scale / static_cast<double>(job.tokens))).backward();
  return {loss.numbers(),
          take_gradients(worker.parameters),
          {.forward = seconds_between(start, middle),
           .backward = seconds_between(middle, Clock::now())}};
}

/// Computes a part by a graph, in updates of a single part only, because the results of a graph are
/// valid until the next one is launched.
std::optional<Updater::PartSums> Updater::compute_recorded(const data::Batch& part, uint64_t seed,
                                                           const UpdateJob& job) {
  if (!recorded_pass_.why_not().empty() || std::ssize(job.parts) > 1) return std::nullopt;
  const auto start = Clock::now();
  const kernels::Draws draws(seed, device_);
  auto sums = recorded_pass_.run(part, job.plan.loss_scale / static_cast<double>(job.tokens));
  if (!sums) return std::nullopt;
  return PartSums{
      sums->losses, std::move(sums->gradients), {.forward = seconds_between(start, Clock::now())}};
}

LossSum Updater::loss_of_part(model::Model& model, const data::Batch& part, uint64_t seed) const {
  const bool twice = config_.consistency != Consistency::none;
  Random random(seed);
  const data::Batch both = twice ? both_of(part, config_, random) : data::Batch();
  const auto source = model::make_source(twice ? both : part, device_);
  const Target target = make_target(twice ? both : part, device_);
  const model::Autocast autocast(device_, precision_, /*keep_copies=*/!device_.is_cpu());
  std::optional<model::Trace> trace = trace_of_losses(part, config_);
  const Tensor features = model.features(source, target.input, trace ? &*trace : nullptr);
  LossSum loss = loss_of(model, features, target, config_.label_smoothing, pair_weights(config_));
  // With consistency training the losses are those of the first predictions, because the second
  // ones see less.
  add_losses(loss, {part, config_, features, trace ? trace->guided->logs : Tensor()});
  return loss;
}

bool Updater::is_too_large(const data::Batch& part) const {
  return part.size > 1 && padded_tokens(part) >= too_large_;
}

/// Several workers may come here at once; each tells of a size that is smaller than those before.
void Updater::note_too_large(const data::Batch& part, const UpdatePlan& plan) {
  const std::string beginning = fmt::format("update {}: memory runs out ", plan.update);
  if (part.size == 1)
    throw Failure(
        "{}on one sentence pair of {} and {} pieces; lower data.max_length or the size of the "
        "model",
        beginning, part.source_length, part.target_length);
  int64_t before = too_large_;
  const int64_t now = padded_tokens(part);
  while (now < before)
    if (too_large_.compare_exchange_weak(before, now)) {
      const bool by_tokens = config_.batch_type == BatchType::tokens;
      const int64_t size = by_tokens ? part.size * part.target_length : part.size;
      log::warn(
          "{}on a part of {}{}; parts of this size are computed in halves from now on. "
          "training.micro_batches: {} in a new run (--overwrite) avoids the repeated work",
          beginning, size, by_tokens ? " target tokens" : " sentences",
          2 * parts_per_batch(config_));
      return;
    }
}

/// The halves of a part add up to it, whatever becomes of the other parts.
Updater::PartSums Updater::compute_within_memory(Worker& worker, const data::Batch& part,
                                                 uint64_t seed, const UpdateJob& job) {
  if (!is_too_large(part)) try {
      return compute(worker, part, seed, job);
    } catch (const c10::Error& error) {
      if (!model::is_out_of_memory(error)) throw;
    } catch (const std::bad_alloc&) {
    }
  take_gradients(worker.parameters);  // of a pass that broke off
  if (!is_too_large(part)) {
    note_too_large(part, job.plan);
    if (!device_.is_cpu()) at::getDeviceAllocator(device_.type())->emptyCache();
  }
  const int64_t half = part.size / 2;
  TreeSum gradients(2);
  PartSums all;
  for (uint64_t which : {0, 1}) {
    const data::Batch rows =
        data::rows_of(part, which == 0 ? 0 : half, which == 0 ? half : part.size);
    PartSums one = compute_within_memory(worker, rows, mix({seed, which}), job);
    gradients.add(static_cast<int64_t>(which), std::move(one.gradients));
    all.losses = which == 0 ? one.losses : all.losses + one.losses;
    all.seconds += one.seconds;
  }
  all.gradients = gradients.take();
  return all;
}

/// Puts LossSum::numbers() of this rank's parts into `losses` [parts, n]; returns the gradients'
/// sums at its nodes of the tree.
std::vector<Gradients> Updater::accumulate(const UpdateJob& job, const Tensor& losses,
                                           UpdateSeconds& seconds) {
  const auto parts = std::ssize(job.parts);
  const auto [begin, end] = shard_.range(parts);
  TreeSum gradients(parts);
  std::vector<UpdateSeconds> times(end - begin);
  const auto work = [&, first = begin](int64_t item, int64_t which) {
    const int64_t number = first + item;
    const uint64_t seed =
        mix({job.plan.seed, static_cast<uint64_t>(job.plan.update), static_cast<uint64_t>(number)});
    std::optional<PartSums> recorded = compute_recorded(job.parts[number], seed, job);
    PartSums sums = recorded ? std::move(*recorded)
                             : compute_within_memory(workers_[which], job.parts[number], seed, job);
    losses[number].copy_(sums.losses);
    times[item] = sums.seconds;
    gradients.add(number, std::move(sums.gradients));
  };
  const int64_t inner = threads_of_a_part();
  if (device_.is_cpu()) waiting_.look(inner > 1 ? at::get_num_threads() : 1);
  add_workers(at::get_num_threads() / inner);
  for (const Worker& worker : workers_) worker.model.train();
  kernels::divide_work(end - begin, inner, work);
  for (const UpdateSeconds& time : times) seconds += time;
  const auto together =
      static_cast<double>(std::clamp<int64_t>(end - begin, 1, at::get_num_threads() / inner));
  seconds.forward /= together;
  seconds.backward /= together;
  std::vector<Gradients> nodes;
  for (const TreeNode& node : nodes_of(begin, end, parts)) nodes.push_back(gradients.take(node));
  return nodes;
}

/// [n] double: LossSum::numbers() of all parts, added in their order.
Tensor Updater::losses_of_all(const Tensor& mine, int64_t parts) const {
  const Tensor all = shard_.group().gather(mine);
  Tensor sum;
  for (int64_t rank = 0; rank < shard_.group().size(); ++rank) {
    const auto [begin, end] = shard_.range(parts, rank);
    for (int64_t part = begin; part < end; ++part)
      sum = sum.defined() ? sum + all[rank][part] : all[rank][part];
  }
  return sum;
}

void Updater::log_how_it_computes() const {
  const int64_t parts = parts_per_batch(config_) * config_.accumulate,
                ranks = shard_.group().size();
  if (device_.is_cpu()) {
    const std::string text = division_text({.parts = parts,
                                            .accumulate = config_.accumulate,
                                            .threads = at::get_num_threads(),
                                            .ranks = ranks,
                                            .of_a_part = train::threads_of_a_part(config_, ranks)});
    if (!text.empty()) log::info(text);
  } else if (ranks > 1) {
    log::info("each update is divided into {} for {} GPUs", counted(parts, "part"), ranks);
  }
  if (config_.graphs == Graphs::off || device_.is_cpu()) return;
  const auto say = [](const std::string& what, const std::string& why) {
    log::info("training.graphs: " + what + (why.empty() ? " recorded" : " not recorded: " + why));
  };
  say("forward and backward passes are", recorded_pass_.why_not());
  say("the optimizer's part of an update is", step_.why_not_recorded());
}

UpdateReport Updater::run(const std::vector<data::Batch>& parts, const UpdatePlan& plan) {
  UpdateJob job{parts, plan, 0};
  for (const data::Batch& part : parts) job.tokens += part.target_tokens();
  UpdateSeconds seconds;
  Tensor losses = at::zeros({std::ssize(parts), count_numbers(config_)},
                            at::TensorOptions(at::kDouble).device(device_));
  std::vector<Gradients> nodes = [&] {
    const model::Replaced whole_numbers = quantised(workers_[0].model, config_.quantise);
    return accumulate(job, losses, seconds);
  }();
  const auto start = Clock::now();
  const at::NoGradGuard no_grad;
  losses = losses_of_all(losses, std::ssize(parts));
  const Gradients gradients = shard_.sum(std::ssize(parts), std::move(nodes));
  model::Download numbers(step_.run(gradients, losses, plan));
  seconds.optimizer = seconds_between(start, Clock::now());
  return {plan, parts, auxiliary_losses(config_), std::move(numbers), seconds};
}

}  // namespace heed::train
