// Functions that the commands of heed-bench share: how they are declared, measured and written
// down.
#pragma once

#include <c10/core/CachingDeviceAllocator.h>

#include <string>
#include <vector>

#include "apps/cli/command_line.h"
#include "benchmarks/bench/cost_tables.h"
#include "benchmarks/bench/watch.h"
#include "data/config.h"
#include "draw/plot.h"
#include "model/device.h"
#include "run/speed.h"
#include "text/table.h"

namespace heed::bench {

// The commands, one file each.
void add_attention(CommandLine& program);
void add_sentences(CommandLine& program);
void add_tags(CommandLine& program);
void add_train(CommandLine& program);
void add_translate(CommandLine& program);

/// Options of every command, but for `repeats`.
struct BenchOptions {
  std::string output;
  int threads = 0;  // 0: every core
  int repeats = 5;

  /// Under the headings Measuring and Output. `repeated`: the command measures a median.
  void add(CommandLine& command, bool repeated);
  /// Sets the threads.
  void apply() const;
};

/// The numbers of a list, each once. Throws UserError for what is no whole number.
std::vector<int64_t> whole_numbers(const std::string& option,
                                   const std::vector<std::string>& typed);

/// The training corpora listed again and again until they hold `pairs` pairs, 0 for once: a large
/// corpus for those who have a small one.
std::vector<data::CorpusFiles> repeated(const std::vector<data::CorpusFiles>& files, int64_t pairs);

/// MiB of this process as Linux counts them in a field of /proc/self/status, 0 where it does not.
int64_t process_mib(const std::string& field);

/// From here on Linux counts anew the most memory that this process held (VmHWM).
void reset_resident_peak();

/// Counts the bytes of a device's tensors that are allocated while it lives. Only one may live at a
/// time for each device.
class PeakMemory {
 public:
  explicit PeakMemory(const at::Device& device = at::kCPU) : device_(device) {
    if (device.is_cpu())
      model::forget_peak();
    else
      allocator().resetPeakStats(index());
    before_ = device.is_cpu() ? model::host_memory().used : allocated().current;
  }

  /// The most bytes that were held at once, of those allocated since this object was made.
  int64_t bytes() const {
    return (device_.is_cpu() ? model::host_memory().most : allocated().peak) - before_;
  }

 private:
  c10::DeviceAllocator& allocator() const { return *c10::getDeviceAllocator(device_.type()); }
  c10::DeviceIndex index() const {
    return device_.has_index() ? device_.index() : c10::DeviceIndex{0};
  }
  c10::CachingAllocator::Stat allocated() const {
    constexpr auto kAll = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
    return allocator().getDeviceStats(index()).allocated_bytes[kAll];
  }

  at::Device device_;
  int64_t before_;
};

/// Prints the table to standard output; with an output folder writes NAME.csv, NAME-1.svg, ...
/// there and experiments.html anew, which shows everything measured into that folder so far.
void publish(const BenchOptions& options, const std::string& name, const text::Table& table,
             const std::vector<draw::Plot>& plots);

}  // namespace heed::bench
