#include "ranks/group.h"

#include <ATen/ATen.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/signals.h"
#include "ranks/backends.h"
#include "ranks/limited_store.h"
#include "ranks/rendezvous.h"
#include "ranks/shared_memory.h"

namespace heed::ranks {
namespace {

using Clock = std::chrono::steady_clock;

/// The time in which a store that lives answers.
constexpr std::chrono::seconds kAnswer(3);

/// Less goes as a message: those who share memory exchange one, too.
constexpr std::size_t kSharedBytes = 4096;

/// LibTorch records all exchanges of a process for its debuggers. Its map of groups has no lock:
/// groups of several threads would write to it at once.
void record_no_exchanges() {
  static const int set = setenv("TORCH_FR_BUFFER_SIZE", "0", /*overwrite=*/0);
  expect(set == 0, "room in the environment");
}

std::string first_line(const std::exception& error) {
  const auto* known = dynamic_cast<const c10::Error*>(&error);
  const std::string text = known ? known->what_without_backtrace() : error.what();
  return text.substr(0, text.find('\n'));
}

Tensor bytes_of(const std::string& text, int64_t length) {
  Tensor bytes = at::zeros({length}, at::kByte);
  std::memcpy(bytes.mutable_data_ptr<uint8_t>(), text.data(), text.size());
  return bytes;
}

}  // namespace

Clock::duration pause_after(Clock::duration time) {
  return std::clamp<Clock::duration>(time / 32, std::chrono::milliseconds(1),
                                     std::chrono::milliseconds(200));
}

Group::Group() = default;

Group::Group(const RankInfo& info, const GroupOptions& options)
    : info_(info), timeout_(options.timeout) {
  if (info.alone()) return;
  record_no_exchanges();
  // Gloo's threads, which are started below, write to connections whose other end may be gone.
  const NoPipeSignal guard;
  backends_ = std::make_unique<Backends>();
  try {
    backends_->store = meet(info, options);
    backends_->host = host_backend(info, options, backends_->store);
    backends_->device = backends_->host;
    if (info.rendezvous == Rendezvous::file)
      backends_->memory = std::make_unique<SharedMemory>(info.rank, info.size);
    const MakeBackend make = options.device_backend ? options.device_backend : nccl_backend;
    if (!options.device.is_cpu()) backends_->device = make(info, options, backends_->store);
  } catch (const c10::Error& error) {
    if (!backends_->store) throw Failure(info.name() + ": " + first_line(error));
    explain(first_line(error), true);
  }
}

Group::~Group() = default;

Group::AbsentRanks Group::find_absent() const {
  AbsentRanks found;
  for (int64_t other = 0; other < size(); ++other) found.absent.push_back(other);
  const auto key = [](int64_t rank) { return "here/" + std::to_string(rank); };
  try {
    LimitedStore store(backends_->store, kAnswer);
    store.set(key(rank()), std::string("1"));
    const auto end = Clock::now() + std::chrono::seconds(2);
    for (bool last = false; !last; std::this_thread::sleep_for(std::chrono::milliseconds(20))) {
      last = Clock::now() >= end;
      std::vector<int64_t> absent;
      for (const int64_t other : found.absent)
        if (!store.check({key(other)})) absent.push_back(other);
      found.absent = std::move(absent);
      if (found.absent.empty()) break;
    }
  } catch (const SilentStore&) {
    found = {.store_silent = true};
  } catch (const std::exception&) {
    // If the first rank had answered, it has looked for absent ranks to its end, and has ended
    // itself.
    const bool first_was_here = !found.absent.empty() && found.absent.front() != 0;
    if (!first_was_here) found = {.store_gone = true};
  }
  return found;
}

void Group::explain(const std::string& problem, bool late) {
  const AbsentRanks found = find_absent();
  const bool no_store = found.store_silent || found.store_gone;
  const std::string when = ", when " + doing_;
  if (!no_store && found.absent.empty())
    throw Failure("{} lost its connection to the others{}: {}", info_.name(), when, problem);
  std::string who =
      name_of_ranks(found.absent, size()) + (found.absent.size() == 1 ? " is" : " are");
  if (no_store) who = keeper_of_store(info_) + " is";
  if (late)
    throw Failure("{} silent for {} s{}; a longer time is given with --rank-timeout", who,
                  timeout_.count() / 1000, when);
  throw Failure(who + (found.store_silent ? " silent" : " gone") + when);
}

template <class Call>
void Group::run(const Call& call) {
  const auto start = Clock::now();
  try {
    call()->wait();
  } catch (const std::exception& error) {
    explain(first_line(error), Clock::now() - start >= timeout_);
  }
}

/// [size * n] for [n].
Tensor Group::gather_messages(const Tensor& flat) {
  Tensor mine = flat, all = at::empty({size() * mine.numel()}, mine.options());
  if (mine.numel() > 0) run([&] { return backends_->of(mine)._allgather_base(all, mine); });
  return all;
}

Tensor Group::gather(const Tensor& tensor) {
  if (alone()) return tensor.unsqueeze(0);
  std::vector<int64_t> shape = {size()};
  shape.insert(shape.end(), tensor.sizes().begin(), tensor.sizes().end());
  const Tensor mine = tensor.contiguous().view({-1});
  const bool shared = backends_->memory && mine.is_cpu() && mine.nbytes() >= kSharedBytes;
  const Tensor all =
      shared ? backends_->memory->gather_all(mine, [this](const auto& n) { return gather(n); })
             : gather_messages(mine);
  return all.view(shape);
}

Tensor Group::exchange(const Tensor& sent, const std::vector<int64_t>& sent_sizes,
                       const std::vector<int64_t>& received_sizes) {
  if (alone()) return sent;
  Tensor mine = sent.contiguous();
  if (backends_->memory && mine.is_cpu())
    return backends_->memory->exchange(mine, sent_sizes,
                                       [this](const auto& n) { return gather(n); });
  std::vector<int64_t> sizes = sent_sizes, others = received_sizes;
  int64_t received = 0;
  for (const int64_t count : others) received += count;
  Tensor all = at::empty({received}, sent.options());
  run([&] { return backends_->of(mine).alltoall_base(all, mine, others, sizes); });
  return all;
}

std::vector<std::vector<int64_t>> Group::gather(const std::vector<int64_t>& numbers) {
  if (alone()) return {numbers};
  const Tensor all = gather_messages(at::tensor(numbers, at::kLong));
  std::vector<std::vector<int64_t>> out;
  const int64_t* begin = all.const_data_ptr<int64_t>();
  for (int64_t other = 0; other < size(); ++other, begin += numbers.size())
    out.emplace_back(begin, begin + numbers.size());
  return out;
}

std::vector<std::string> Group::gather(const std::string& text) {
  if (alone()) return {text};
  int64_t longest = 0;
  const auto lengths = gather(std::vector<int64_t>{static_cast<int64_t>(text.size())});
  for (const auto& length : lengths) longest = std::max(longest, length[0]);
  const Tensor all = gather(bytes_of(text, longest));
  std::vector<std::string> out;
  for (int64_t other = 0; other < size(); ++other)
    out.emplace_back(reinterpret_cast<const char*>(all[other].const_data_ptr<uint8_t>()),
                     static_cast<std::size_t>(lengths[other][0]));
  return out;
}

std::string Group::broadcast(const std::string& text) {
  return gather(leads() ? text : std::string()).front();
}

void Group::take_time(const std::function<void()>& work) {
  if (alone()) return work();
  std::atomic<bool> done = false;
  std::exception_ptr failed, lost;
  std::thread answering([&] {
    const auto start = Clock::now();
    try {
      for (bool all = false; !all;) {
        all = true;
        for (const auto& other : gather(std::vector<int64_t>{done ? 1 : 0}))
          all = all && other[0] != 0;
        if (!all) std::this_thread::sleep_for(pause_after(Clock::now() - start));
      }
    } catch (...) {
      lost = std::current_exception();
    }
  });
  // On the calling thread: programs that it starts end with the thread that has started them.
  try {
    work();
  } catch (...) {
    failed = std::current_exception();
  }
  done = true;
  answering.join();
  if (failed) std::rethrow_exception(failed);
  if (lost) std::rethrow_exception(lost);
}

}  // namespace heed::ranks
