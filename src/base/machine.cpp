#include "base/machine.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <istream>
#include <sstream>
#include <string_view>
#include <thread>
#include <vector>

#include "base/format.h"
#include "base/random.h"
#include "base/strings.h"

namespace heed {
namespace {

/// The number in a file that has nothing else in it; "max" is none.
std::optional<int64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  int64_t number = 0;
  if (!(file >> number)) return std::nullopt;
  return number;
}

/// The number after `name` at the beginning of a line.
std::optional<int64_t> field_in(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string first;
    int64_t number = 0;
    if (words >> first >> number && first == name) return number;
  }
  return std::nullopt;
}

/// The bytes that a group may still take. The cache of its files counts as free, because it can be
/// given back.
std::optional<int64_t> left_in(const std::string& folder, const char* limit, const char* usage,
                               const char* cache) {
  const auto most = number_in(folder + "/" + limit), used = number_in(folder + "/" + usage);
  if (!most || !used) return std::nullopt;
  return std::max<int64_t>(0, *most - *used + field_in(folder + "/memory.stat", cache).value_or(0));
}

/// The groups of this process: those that /proc/self/cgroup names, and the topmost, which in a
/// container is that of the container.
std::vector<std::string> groups_in(const std::string& root, const std::string& controller) {
  std::vector<std::string> groups{""};
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const auto named = split(line.substr(first + 1, second - first - 1), ',');
    if (std::ranges::find(named, controller) == named.end()) continue;
    // Limits of the groups above it hold, too.
    for (std::string group = line.substr(second + 1); group.size() > 1;
         group.erase(group.rfind('/')))
      groups.push_back(group);
  }
  return groups;
}

/// Whether OpenMP has bound this thread to processors of its own, so that its affinity says nothing
/// about the process.
bool openmp_binds() {
  return std::getenv("OMP_PROC_BIND") != nullptr || std::getenv("OMP_PLACES") != nullptr ||
         std::getenv("GOMP_CPU_AFFINITY") != nullptr;
}

double seconds_of_others() {
  return busy_seconds().value_or(0) - static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// A line "name : value" of /proc/cpuinfo.
struct ProcessorLine {
  std::string name, value;
};

/// What the system says of the first processor.
std::vector<ProcessorLine> first_processor(const std::string& root) {
  std::vector<ProcessorLine> lines;
  std::ifstream file(root + "/proc/cpuinfo");
  for (std::string line; std::getline(file, line) && !trim(line).empty();)
    if (const std::size_t colon = line.find(':'); colon != std::string::npos)
      lines.push_back(
          {std::string(trim(line.substr(0, colon))), std::string(trim(line.substr(colon + 1)))});
  return lines;
}

}  // namespace

std::string processor_name(const std::string& root) {
  for (const ProcessorLine& line : first_processor(root))
    if (line.name == "model name") return line.value;
  return "";
}

std::string processor_kind(const std::string& root) {
  // The others, such as the clock, differ from one moment or processor to the next. The last five
  // are those of ARM.
  static const std::vector<std::string> kNames = {
      "vendor_id",       "cpu family", "model",       "model name",       "flags",
      "CPU implementer", "CPU part",   "CPU variant", "CPU architecture", "Features"};
  uint64_t sum = 0;
  for (const ProcessorLine& line : first_processor(root))
    if (std::ranges::find(kNames, line.name) != kNames.end())
      for (const char byte : line.value + "\n") mix_in(sum, static_cast<unsigned char>(byte));
  return fmt::format("{} ({:016x})", processor_name(root), sum);
}

Instructions most_instructions() {
  // In the order of Instructions.
  static constexpr std::array<std::string_view, 6> kNames = {"plain",  "avx2", "avxvnni",
                                                             "avx512", "vnni", "all"};
  const char* named = std::getenv("HEED_INSTRUCTIONS");
  if (named == nullptr || *named == '\0') return Instructions::all;
  const auto found = std::ranges::find(kNames, std::string_view(named));
  if (found == kNames.end()) {
    // The processor is asked before main() begins, where nothing could catch an exception.
    const std::string message =
        fmt::format("HEED_INSTRUCTIONS names '{}'; it must be {}, or not be set\n", named,
                    fmt::join(kNames, ", "));
    std::fputs(message.c_str(), stderr);
    std::_Exit(2);
  }
  return static_cast<Instructions>(found - kNames.begin());
}

std::optional<int64_t> available_memory(const std::string& root) {
  std::optional<int64_t> least;
  const auto consider = [&](std::optional<int64_t> bytes) {
    if (bytes) least = least ? std::min(*least, *bytes) : *bytes;
  };
  if (const auto kibibytes = field_in(root + "/proc/meminfo", "MemAvailable:"))
    consider(*kibibytes * 1024);
  for (const std::string& group : groups_in(root, ""))
    consider(
        left_in(root + "/sys/fs/cgroup" + group, "memory.max", "memory.current", "inactive_file"));
  for (const std::string& group : groups_in(root, "memory"))
    consider(left_in(root + "/sys/fs/cgroup/memory" + group, "memory.limit_in_bytes",
                     "memory.usage_in_bytes", "total_inactive_file"));
  return least;
}

int64_t available_cores(const std::string& root) {
  int64_t cores = std::max<int64_t>(1, std::thread::hardware_concurrency());
  if (cpu_set_t set; !openmp_binds() && sched_getaffinity(0, sizeof set, &set) == 0)
    cores = std::min<int64_t>(cores, CPU_COUNT(&set));
  const auto consider = [&](std::optional<double> quota, std::optional<double> period) {
    if (quota && period && *quota > 0 && *period > 0)
      cores = std::min(cores, static_cast<int64_t>(std::ceil(*quota / *period)));
  };
  for (const std::string& group : groups_in(root, "")) {
    std::ifstream file(root + "/sys/fs/cgroup" + group + "/cpu.max");
    double quota = 0, period = 0;  // "max 100000" is no limit
    if (file >> quota >> period) consider(quota, period);
  }
  for (const std::string& group : groups_in(root, "cpu")) {
    const std::string folder = root + "/sys/fs/cgroup/cpu" + group;
    consider(number_in(folder + "/cpu.cfs_quota_us"), number_in(folder + "/cpu.cfs_period_us"));
  }
  return std::max<int64_t>(1, cores);
}

std::optional<double> busy_seconds(const std::string& root) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return std::nullopt;
  std::ifstream file(root + "/proc/stat");
  std::optional<int64_t> ticks;
  for (std::string line; std::getline(file, line);) {
    int core = 0;
    long long user = 0, nice = 0, system = 0;
    if (std::sscanf(line.c_str(), "cpu%d %lld %lld %lld", &core, &user, &nice, &system) == 4 &&
        core < CPU_SETSIZE && CPU_ISSET(core, &set))
      ticks = ticks.value_or(0) + user + nice + system;
  }
  if (!ticks) return std::nullopt;
  return static_cast<double>(*ticks) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

OtherPrograms::OtherPrograms()
    : before_(seconds_of_others()), start_(std::chrono::steady_clock::now()) {}

double OtherPrograms::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

double OtherPrograms::cores() const {
  return (seconds_of_others() - before_) / seconds();
}

std::string name_of_cores() {
  std::string name;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id") >> std::ws, name);
  if (cpu_set_t set; !openmp_binds() && sched_getaffinity(0, sizeof set, &set) == 0)
    for (int core = 0; core < CPU_SETSIZE; ++core) name += CPU_ISSET(core, &set) ? '1' : '0';
  return name;
}

}  // namespace heed
