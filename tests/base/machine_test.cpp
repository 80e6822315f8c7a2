#include "base/machine.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <string>
#include <thread>

#include "scoped_variable.h"
#include "temporary_folder.h"

namespace heed {
namespace {

/// A system of 3,000 KiB that are free, without groups.
struct MemoryTest : testing::Test {
  TemporaryFolder root;
  MemoryTest() { write("proc/meminfo", "MemTotal:  8000 kB\nMemAvailable:   3000 kB\n"); }
  void write(const std::string& path, const std::string& text) const { root.write(path, text); }
  int64_t available() const { return available_memory(root.path()).value_or(-1); }
};

// user, nice, system, idle, ... in hundredths of a second
TEST_F(MemoryTest, BusySecondsAreThoseOfAllProcessors) {
  EXPECT_FALSE(busy_seconds(root.path()).has_value());
  cpu_set_t set;
  ASSERT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  std::string stat = "cpu  9000 9000 9000 9000\n";
  for (int core = 0; core < 64; ++core)
    stat += "cpu" + std::to_string(core) + " 300 50 7 99999 12 0 3\n";
  write("proc/stat", stat + "intr 12 3\n");
  int mine = 0;
  for (int core = 0; core < 64; ++core) mine += CPU_ISSET(core, &set) ? 1 : 0;
  EXPECT_NEAR(busy_seconds(root.path()).value_or(0), 3.57 * mine, 1e-9);
  EXPECT_GT(busy_seconds().value_or(0), 0);
}

TEST_F(MemoryTest, IsWhatTheSystemHasLeft) {
  EXPECT_EQ(available(), 3000 * 1024);
}

TEST_F(MemoryTest, IsLessInAGroupThatMayTakeLess) {
  write("proc/self/cgroup", "0::/jobs/seven\n");
  write("sys/fs/cgroup/jobs/seven/memory.max", "max\n");
  write("sys/fs/cgroup/jobs/seven/memory.current", "10\n");
  EXPECT_EQ(available(), 3000 * 1024);  // no limit
  write("sys/fs/cgroup/jobs/memory.max", "1000000\n");
  write("sys/fs/cgroup/jobs/memory.current", "700000\n");
  EXPECT_EQ(available(), 300000);  // of the group above it
  write("sys/fs/cgroup/jobs/memory.stat", "anon 600000\ninactive_file 50000\n");
  EXPECT_EQ(available(), 350000);  // with the cache that can go
}

TEST_F(MemoryTest, KnowsTheOlderGroupsAndThoseOfAContainer) {
  write("proc/self/cgroup", "5:cpu:/x\n4:memory:/x\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "500\n");
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", "700\n");
  EXPECT_EQ(available(), 0);
}

TEST_F(MemoryTest, IsUnknownWhereNobodySays) {
  EXPECT_EQ(available_memory(root / "nowhere"), std::nullopt);
  EXPECT_GT(available_memory().value_or(0), 0);  // of this machine
}

/// The cores of this machine, of which there may be but one.
const int64_t kCores = available_cores("/nowhere");

TEST(Cores, AreThoseThatTheThreadIsBoundTo) {
  EXPECT_GE(kCores, 1);
  std::thread([] {
    cpu_set_t first;
    CPU_ZERO(&first);
    CPU_SET(sched_getcpu(), &first);
    ASSERT_EQ(sched_setaffinity(0, sizeof first, &first), 0);
    EXPECT_EQ(available_cores("/nowhere"), 1);
  }).join();
}

/// The name and kind of a processor of which the system says `first` and then `second`.
struct NamedProcessor {
  explicit NamedProcessor(const std::string& first, const std::string& second = "") {
    const TemporaryFolder root;
    root.write("proc/cpuinfo", first + "\n" + second);
    name = processor_name(root.path());
    kind = processor_kind(root.path());
  }
  std::string name, kind;
};

TEST(Processor, HasTheNameThatTheSystemGives) {
  EXPECT_EQ(NamedProcessor("processor\t: 0\nmodel name\t: AMD EPYC 9R14 \n").name, "AMD EPYC 9R14");
  EXPECT_EQ(NamedProcessor("processor\t: 0\nFeatures\t: fp asimd\n").name, "");
  EXPECT_EQ(processor_name("/nowhere"), "");
}

TEST(Processor, IsOfTheSameKindWhateverItsClock) {
  const std::string kind = "vendor_id\t: GenuineIntel\nmodel\t: 207\nmodel name\t: Xeon\n";
  const NamedProcessor one(kind + "cpu MHz\t: 2100.0\nflags\t: fpu avx2\n");
  EXPECT_EQ(one.kind.rfind("Xeon (", 0), 0U) << one.kind;
  EXPECT_EQ(one.kind.size(), std::string("Xeon (0123456789abcdef)").size());
  EXPECT_EQ(NamedProcessor(kind + "cpu MHz\t: 3500.0\nflags\t: fpu avx2\n",
                           "model name\t: another\nflags\t: none\n")
                .kind,
            one.kind);
  EXPECT_NE(NamedProcessor(kind + "flags\t: fpu avx2 avx512_bf16\n").kind, one.kind);
  EXPECT_NE(NamedProcessor("CPU part\t: 0xd40\nFeatures\t: bf16\n").kind,
            NamedProcessor("CPU part\t: 0xd4f\nFeatures\t: bf16\n").kind);
}

TEST(Cores, HaveTheNameOfAllWhoMayUseThem) {
  const std::string all = name_of_cores();
  EXPECT_EQ(name_of_cores(), all);
  std::string here;
  std::thread([&] {
    cpu_set_t first;
    CPU_ZERO(&first);
    CPU_SET(sched_getcpu(), &first);
    ASSERT_EQ(sched_setaffinity(0, sizeof first, &first), 0);
    here = name_of_cores();
  }).join();
  EXPECT_EQ(std::ranges::count(here.substr(here.size() - CPU_SETSIZE), '1'), 1);
  EXPECT_EQ(here == all, kCores == 1);
}

TEST(Cores, AreFewerWhereAGroupHasLessTime) {
  const TemporaryFolder root;
  root.write("proc/self/cgroup", "0::/jobs/seven\n");
  root.write("sys/fs/cgroup/jobs/seven/cpu.max", "max 100000\n");
  EXPECT_EQ(available_cores(root.path()), kCores);
  root.write("sys/fs/cgroup/jobs/cpu.max", "150000 100000\n");
  EXPECT_EQ(available_cores(root.path()), std::min<int64_t>(kCores, 2));
  root.write("sys/fs/cgroup/cpu.max", "30000 100000\n");  // of a container
  EXPECT_EQ(available_cores(root.path()), 1);
}

TEST(Cores, KnowTheOlderGroups) {
  const TemporaryFolder root;
  root.write("proc/self/cgroup", "3:cpu,cpuacct:/x\n");
  root.write("sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "-1\n");
  root.write("sys/fs/cgroup/cpu/x/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(available_cores(root.path()), kCores);
  root.write("sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "60000\n");
  EXPECT_EQ(available_cores(root.path()), 1);
}

TEST(Instructions, AreThoseOfTheVariable) {
  const auto named = [](const std::string& name) {
    const ScopedVariable variable("HEED_INSTRUCTIONS", name);
    return most_instructions();
  };
  EXPECT_EQ(named(""), Instructions::all);
  EXPECT_EQ(named("all"), Instructions::all);
  EXPECT_EQ(named("plain"), Instructions::plain);
  EXPECT_EQ(named("avx2"), Instructions::avx2);
  EXPECT_EQ(named("avxvnni"), Instructions::avx_vnni);
  EXPECT_EQ(named("avx512"), Instructions::avx512);
  EXPECT_EQ(named("vnni"), Instructions::avx512_vnni);
  EXPECT_EXIT(named("avx3"), ::testing::ExitedWithCode(2),
              "HEED_INSTRUCTIONS names 'avx3'; it must be plain, avx2, avxvnni, avx512, vnni, all");
}

}  // namespace
}  // namespace heed
