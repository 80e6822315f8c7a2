// The ranks of a run as one: what they say to each other. LibTorch's c10d carries it: Gloo between
// the hosts, NCCL between GPUs.
//
// All functions but the first few are collective: every rank calls them, in the same order. Where
// one is gone or stays away they throw Failure that names it. For one thread at a time.
#pragma once

#include <c10/core/Device.h>
#include <c10/util/intrusive_ptr.h>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/tensor.h"
#include "ranks/rank_info.h"

namespace c10d {
class Backend;
class Store;
}  // namespace c10d

namespace heed::ranks {

using StorePtr = c10::intrusive_ptr<c10d::Store>;
using BackendPtr = c10::intrusive_ptr<c10d::Backend>;

struct GroupOptions;
/// Connects all ranks, which know each other by what they put into the store.
using MakeBackend =
    std::function<BackendPtr(const RankInfo&, const GroupOptions&, const StorePtr&)>;

struct GroupOptions {
  at::Device device = at::kCPU;  // whose tensors are exchanged besides the host's
  MakeBackend device_backend;    // what carries those; empty: NCCL
  std::chrono::milliseconds timeout = std::chrono::seconds(120);  // of each exchange
  std::string folder;  // of the run, shared by all machines: for Rendezvous::announced
};

class Group {
 public:
  /// One rank, alone: everything it exchanges comes back to it.
  Group();
  /// Meets the others. Throws UserError or Failure that says who has not come.
  Group(const RankInfo& info, const GroupOptions& options);
  ~Group();
  Group& operator=(Group&&) = delete;

  int64_t rank() const { return info_.rank; }
  int64_t size() const { return info_.size; }
  bool alone() const { return info_.alone(); }
  bool leads() const { return info_.leads(); }
  const RankInfo& info() const { return info_; }

  /// Says what this rank is about to do, for the message when the others do not.
  void begin(std::string doing) { doing_ = std::move(doing); }

  /// The first rank's text or number, on all.
  std::string broadcast(const std::string& text);
  template <std::integral Number>
  Number broadcast(Number number) {
    return static_cast<Number>(gather(std::vector<int64_t>{static_cast<int64_t>(number)})[0][0]);
  }
  /// Returns each rank's text, on all.
  std::vector<std::string> gather(const std::string& text);
  /// Returns each rank's numbers, as many each, on all: [size][n].
  std::vector<std::vector<int64_t>> gather(const std::vector<int64_t>& numbers);
  /// Returns each rank's tensor, of the same shape: [size, ...], on the tensor's device.
  Tensor gather(const Tensor& tensor);
  /// Sends `sent` [n], of which sent_sizes[r] elements in turn go to rank r. Returns
  /// received_sizes[r] elements from each rank r in turn.
  Tensor exchange(const Tensor& sent, const std::vector<int64_t>& sent_sizes,
                  const std::vector<int64_t>& received_sizes);

  /// Runs this rank's work, which exchanges nothing, and returns when all have done theirs, however
  /// long that takes. Meanwhile a thread answers the others: one that is gone or hangs is noticed
  /// as in an exchange. What the work throws is thrown when all are done.
  void take_time(const std::function<void()>& work);

 private:
  struct Backends;
  Tensor gather_messages(const Tensor& flat);
  template <class Call>
  void run(const Call& call);
  [[noreturn]] void explain(const std::string& problem, bool late);
  /// The ranks that do not answer within a few seconds.
  struct AbsentRanks {
    std::vector<int64_t> absent;
    bool store_silent = false, store_gone = false;  // nothing is known of the ranks
  };
  AbsentRanks find_absent() const;

  RankInfo info_;
  std::chrono::milliseconds timeout_{};
  std::string doing_ = "training began";
  std::unique_ptr<Backends> backends_;  // nullptr where alone
};

}  // namespace heed::ranks
