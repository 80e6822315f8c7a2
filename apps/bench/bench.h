// What the modes of `heed bench` share: how they are declared, measured and written down.
#pragma once

#include <string>
#include <vector>

#include "apps/cli/command_line.h"
#include "data/config.h"
#include "draw/plot.h"
#include "run/trial_training.h"
#include "text/table.h"

namespace heed {

// One file each, apps/bench/NAME.cpp.
void add_bench_attention(CommandLine& bench);
void add_bench_cache(CommandLine& bench);
void add_bench_train(CommandLine& bench);
void add_bench_translate(CommandLine& bench);

/// Options of every mode, but for `repeats`.
struct BenchOptions {
  std::string output;
  int threads = 0;  // 0: every core
  int repeats = 5;

  /// Under the headings Measuring and Output. `repeated`: the mode measures a median.
  void add(CommandLine& command, bool repeated);
  /// Sets the threads.
  void apply() const;
};

/// The training corpora listed again and again until they hold `pairs` pairs, 0 for once: a large
/// corpus for those who have a small one.
std::vector<data::CorpusFiles> repeated(const std::vector<data::CorpusFiles>& files, int64_t pairs);

/// MiB of this process as Linux counts them in a field of /proc/self/status, 0 where it does not.
int64_t process_mib(const std::string& field);

/// From here on Linux counts anew the most memory that this process held (VmHWM).
void reset_resident_peak();

/// A picture of lines over these numbers, evenly spaced, with powers of ten as its values.
draw::Plot plot_over(const std::vector<int64_t>& ticks, const std::string& title,
                     const std::string& x_label, const std::string& y_label);

/// Prints the table to standard output; with an output folder writes NAME.csv, NAME-1.svg, ...
/// there and experiments.html anew, which shows everything measured into that folder so far.
void publish(const BenchOptions& options, const std::string& name, const text::Table& table,
             const std::vector<draw::Plot>& plots);

}  // namespace heed
