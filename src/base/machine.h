// The memory and processors of the machine that this process may use.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace heed {

/// Bytes of memory that the system can give without swapping, or fewer where a control group (a
/// container, a job of a cluster) allows fewer; nothing where neither is known. `root` stands
/// before the paths of /proc and /sys.
std::optional<int64_t> available_memory(const std::string& root = "");

/// Processors that this process may use: those that it is bound to (sched_setaffinity), or fewer
/// where a control group allows less time than theirs, rounded up. At least 1.
int64_t available_cores(const std::string& root = "");

/// Seconds that the processors that this process is bound to have worked since the machine started,
/// all together and for all programs; nothing where the system does not say.
std::optional<double> busy_seconds(const std::string& root = "");

/// Measures how much other programs use the processors that this process is bound to, since this
/// object was made.
class OtherPrograms {
 public:
  OtherPrograms();
  double seconds() const;  // since the object was made
  /// Returns the number of processors that others used on average; where none, about 0 or a little
  /// less.
  double cores() const;

 private:
  double before_;
  std::chrono::steady_clock::time_point start_;
};

/// "model name" of the first processor; empty where the system does not say. `root` stands before
/// the path of /proc.
std::string processor_name(const std::string& root = "");

/// The name of the processor, with a checksum of what the system says of its kind and its
/// abilities: equal for processors that run the same program at about the same speed, though not
/// for all of them.
std::string processor_kind(const std::string& root = "");

/// Instructions of x86-64 processors, each with those before it, but that AVX512 needs no AVX-VNNI.
enum class Instructions { plain, avx2, avx_vnni, avx512, avx512_vnni, all };

/// The most that the program uses of what the processor has, so that a fast one shows how slower
/// ones do: what the variable HEED_INSTRUCTIONS names (`plain`, `avx2`, `avxvnni`, `avx512`,
/// `vnni`, which are AVX512's VNNI and BF16 without AMX, or `all`). Where it is not set or empty:
/// all. It ends the program where the variable names something else.
Instructions most_instructions();

/// A name of the machine and of the processors that this process is bound to: equal for processes
/// that share them.
std::string name_of_cores();

}  // namespace heed
