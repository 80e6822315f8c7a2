#include "study/scale_out.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <tuple>

#include "base/error.h"

namespace heed::study {
namespace {

/// The subtree of 2^height parts from `first` on, whose sum one core has just finished.
struct Finished {
  double time;
  int64_t order;  // of events at the same time
  int64_t first;
  int height;
  bool operator>(const Finished& other) const {
    return std::tie(time, order) > std::tie(other.time, other.order);
  }
};

/// The sums that wait for their neighbours: what train::TreeSum does, with clocks in place of
/// gradients.
class Tree {
 public:
  explicit Tree(int64_t parts) : heights_(parts, kEmpty) {}

  /// Whether there is a neighbour to add; it is taken out and `sum` becomes the larger subtree.
  /// Otherwise the sum stays here.
  bool join(Finished& sum) {
    const auto parts = static_cast<int64_t>(heights_.size());
    for (;; ++sum.height) {
      const int64_t width = int64_t{1} << sum.height;
      if (width >= parts) break;
      const int64_t neighbour = sum.first ^ width;
      if (neighbour >= parts) continue;
      if (heights_[neighbour] != sum.height) break;
      heights_[neighbour] = kEmpty;
      sum.first &= ~width;
      ++sum.height;
      return true;
    }
    heights_[sum.first] = sum.height;
    return false;
  }
  int64_t sums() const { return std::ssize(heights_) - std::ranges::count(heights_, kEmpty); }

 private:
  static constexpr int kEmpty = -1;
  std::vector<int> heights_;
};

/// Between no slowdown on one core and the measured one on all.
double slowdown_of(const UpdateCosts& costs, int64_t busy) {
  if (costs.cores == 1) return 1;
  const auto share =
      static_cast<double>(std::min(busy, costs.cores) - 1) / static_cast<double>(costs.cores - 1);
  return 1 + (costs.slowdown - 1) * share;
}

/// What the slowest rank takes for its parts, in one of the updates that can be made of those that
/// were measured. Adds to `time`; returns the most sums that a rank is left with.
int64_t add_parts(const UpdateCosts& costs, const Layout& layout, int64_t from, double factor,
                  UpdateTime& time) {
  double slowest = 0, without_tree = 0;
  int64_t sums = 1;
  for (int64_t rank = 0; rank < layout.ranks; ++rank) {
    const int64_t begin = layout.parts * rank / layout.ranks;
    const int64_t end = layout.parts * (rank + 1) / layout.ranks;
    std::vector<double> seconds;
    for (int64_t part = begin; part < end; ++part) {
      const Part& measured = costs.parts[(from + part) % std::ssize(costs.parts)];
      seconds.push_back(measured.seconds * factor);
      time.tokens += static_cast<double>(measured.tokens);
    }
    const auto all = accumulate(seconds, begin, layout.parts, layout.workers, costs.add * factor);
    slowest = std::max(slowest, all.seconds);
    without_tree =
        std::max(without_tree, accumulate(seconds, begin, layout.parts, layout.workers, 0).seconds);
    sums = std::max(sums, all.sums);
  }
  time.compute += without_tree;
  time.tree += slowest - without_tree;
  return sums;
}

}  // namespace

Accumulation accumulate(const std::vector<double>& seconds, int64_t begin, int64_t parts,
                        int64_t workers, double add) {
  const auto count = std::ssize(seconds);
  std::priority_queue<Finished, std::vector<Finished>, std::greater<>> events;
  Tree tree(parts);
  int64_t next = 0, order = 0;
  const auto take_next = [&](double now) {
    if (next == count) return;
    events.push({now + seconds[next], order++, begin + next, 0});
    ++next;
  };
  for (int64_t worker = 0; worker < workers; ++worker) take_next(0);
  double end = 0;
  while (!events.empty()) {
    Finished sum = events.top();
    events.pop();
    end = sum.time;
    if (tree.join(sum)) {
      sum.time += add;
      sum.order = order++;
      events.push(sum);
    } else {
      take_next(end);
    }
  }
  return {end, tree.sums()};
}

double seconds_of(const SharedWork& work, int64_t cores, int64_t workers) {
  const auto shared = [](double serial, double n) { return serial + (1 - serial) / n; };
  const auto all = static_cast<double>(cores);
  double serial = 0;
  if (cores > 1 && work.alone > 0)
    serial = std::clamp((work.together / work.alone - 1 / all) / (1 - 1 / all), 0.0, 1.0);
  return work.alone * shared(serial, static_cast<double>(workers));
}

double exchange_seconds(double bytes, int64_t sums, int64_t ranks, const Connection& connection) {
  if (ranks == 1) return 0;
  const auto others = static_cast<double>(ranks - 1);
  const double sent = static_cast<double>(sums + 1) * bytes * others / static_cast<double>(ranks);
  return sent / connection.bytes_per_second + 5 * others * connection.latency;
}

UpdateTime predict(const UpdateCosts& costs, const Layout& layout, const Connection& connection) {
  expect(!costs.parts.empty(), "a measured part");
  const int64_t threads = layout.workers * layout.ranks_at_once;
  // Those that have a part; more of them than cores take turns.
  const int64_t busy =
      std::min(threads, (layout.parts * layout.ranks_at_once + layout.ranks - 1) / layout.ranks);
  const auto ranks = static_cast<double>(layout.ranks);
  const auto turns_of = [&](int64_t count) {
    return std::max(1.0, static_cast<double>(count) / static_cast<double>(layout.cores));
  };
  const double turns = turns_of(threads);
  const double factor = turns_of(busy) * slowdown_of(costs, std::min(busy, layout.cores));
  UpdateTime time;
  const int64_t draws = std::max<int64_t>(1, std::ssize(costs.parts) / costs.parts_per_update);
  int64_t sums = 1;
  for (int64_t draw = 0; draw < draws; ++draw)
    sums = add_parts(costs, layout, draw * costs.parts_per_update, factor, time);
  for (double* sum : {&time.compute, &time.tree, &time.tokens}) *sum /= static_cast<double>(draws);
  time.optimizer = turns * seconds_of(costs.optimizer, costs.cores, layout.workers) / ranks;
  if (layout.ranks > 1) {
    // Sums become flat tensors, several are joined; a rank's weights, then all, are copied.
    const double copies = static_cast<double>(sums > 1 ? 2 * sums : 1) + 1 + 1 / ranks;
    const double added = costs.add * (ranks - 1) / ranks;
    time.exchange = exchange_seconds(costs.bytes, sums, layout.ranks, connection) +
                    turns * (copies * seconds_of(costs.copy, costs.cores, layout.workers) + added);
  }
  const double batches = costs.making_batches * static_cast<double>(layout.parts);
  if (busy >= layout.cores)
    time.making =
        batches * static_cast<double>(layout.ranks_at_once) / static_cast<double>(layout.cores);
  time.waiting = std::max(0.0, batches - time.seconds());
  return time;
}

UpdateTime predict_gpus(const UpdateCosts& costs, double rate, int64_t gpus, int64_t parts,
                        const Connection& connection) {
  expect(!costs.parts.empty(), "a measured part");
  double tokens = 0;  // of a part
  for (const Part& part : costs.parts) tokens += static_cast<double>(part.tokens);
  tokens /= static_cast<double>(costs.parts.size());
  const auto all = static_cast<double>(parts);
  const auto most = static_cast<double>((parts + gpus - 1) / gpus);
  UpdateTime time;
  time.tokens = tokens * all;
  time.compute = tokens / rate * most;
  time.exchange = exchange_seconds(costs.bytes, 1, gpus, connection);
  time.waiting = std::max(0.0, costs.making_batches * all - time.seconds());
  return time;
}

}  // namespace heed::study
