// What an update of the weights costs on other numbers of cores, machines and GPUs: a model of its
// time, made of parts that one machine can measure.
//
// An update computes micro-batches ("parts", each by one core), adds their gradients along a binary
// tree, exchanges gradients and weights between ranks (processes), and steps the optimizer, of
// which each rank has a shard.
#pragma once

#include <cstdint>
#include <vector>

namespace heed::study {

struct Part {
  double seconds = 0;  // forward and backward on one core, the others idle
  int64_t tokens = 0;  // of the target, without padding
};

/// Work that the threads of one rank share out: its seconds on one core, and on all cores that were
/// measured.
struct SharedWork {
  double alone = 0, together = 0;
};

/// Of one system, measured on one machine.
struct UpdateCosts {
  std::vector<Part> parts;  // of one or more updates, in their order
  int64_t parts_per_update = 1;
  int64_t cores = 1;          // of which `together` and `slowdown` tell
  double slowdown = 1;        // of a part when all cores compute at once, for they share memory
  double add = 0;             // seconds to add one gradient to another, on one core
  SharedWork optimizer;       // norm, step and average, over all weights
  SharedWork copy;            // of one gradient
  double making_batches = 0;  // seconds for each part, by a thread of its own in each rank
  double bytes = 0;           // of one gradient, and of the weights
};

/// Between two ranks, in each direction.
struct Connection {
  double bytes_per_second = 1;
  double latency = 0;  // seconds of one message
};

struct Layout {
  int64_t ranks = 1;
  int64_t workers = 1;        // cores of each rank
  int64_t parts = 1;          // of an update, over all ranks
  int64_t ranks_at_once = 1;  // ranks of one machine
  int64_t cores = INT64_MAX;  // of one machine
};

/// Seconds of one update.
struct UpdateTime {
  double compute = 0, tree = 0, exchange = 0, optimizer = 0;
  double making = 0;   // of its batches, as far as it slows the cores down
  double waiting = 0;  // for batches that are not there in time
  double tokens = 0;   // of the target
  double seconds() const { return compute + tree + exchange + optimizer + making + waiting; }
  double tokens_per_second() const { return tokens / seconds(); }
};

/// Gradients of parts [begin, begin + n) of an update of `parts`, n = seconds.size(), each computed
/// by the next free one of `workers` cores. Who brings the second of two neighbours in the tree
/// adds it to the first, for `add` seconds.
struct Accumulation {
  double seconds = 0;  // until the last core is done
  int64_t sums = 0;    // that are left, for other ranks to join: 1 where begin..end is the whole
};
Accumulation accumulate(const std::vector<double>& seconds, int64_t begin, int64_t parts,
                        int64_t workers, double add);

/// On `workers` cores. A share of the work, fitted to both measurements, does not become faster
/// with more cores.
double seconds_of(const SharedWork& work, int64_t cores, int64_t workers);

/// An all_to_all of the ranks' sums of gradients, an all_gather of the weights and three exchanges
/// of a few numbers. Each rank sends (ranks - 1) / ranks of its `sums` gradients and of the
/// weights.
double exchange_seconds(double bytes, int64_t sums, int64_t ranks, const Connection& connection);

/// Where more cores than measured compute at once the slowdown is that of all measured cores: a
/// larger machine has more memory channels. Needs parts.
UpdateTime predict(const UpdateCosts& costs, const Layout& layout, const Connection& connection);

/// An update of so many of the measured parts, none of them divided, over `gpus`. Each trains
/// `rate` tokens/s alone, its optimizer included.
UpdateTime predict_gpus(const UpdateCosts& costs, double rate, int64_t gpus, int64_t parts,
                        const Connection& connection);

}  // namespace heed::study
