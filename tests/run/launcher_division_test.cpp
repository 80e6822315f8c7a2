// Ranks together translate and find the same as one process alone.
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/machine.h"
#include "message.h"
#include "ranks/together.h"
#include "run/launcher.h"

namespace heed {
namespace {

using Lines = std::vector<std::string>;
using std::chrono::milliseconds;

/// "3 abc" for line 3.
std::optional<Lines> numbered(const Lines& lines, int64_t first_line, int64_t step) {
  Lines out;
  for (const std::string& line : lines) {
    out.push_back(std::to_string(first_line) + " " + line);
    first_line += step;
  }
  return out;
}

const Lines kLines{"a", "bb", "", "dddd", "e", "ff", "ggg"};
const Lines kNumbered{"1 a", "2 bb", "3 ", "4 dddd", "5 e", "6 ff", "7 ggg"};

TEST(TranslateTogether, KeepsTheOrderAndTheNumbers) {
  for (const int64_t size : {1, 2, 3, 9})
    ranks::together(size, [](ranks::Group& group) {
      EXPECT_EQ(run::translate_together(group, kLines, numbered).value_or(Lines()), kNumbered);
      EXPECT_EQ(run::translate_together(group, {}, numbered).value_or(kLines), Lines());
    });
}

// Longer and longer lines, as in a sorted test set: no rank gets all the long ones.
TEST(TranslateTogether, GivesAllAboutAsMuch) {
  Lines lines;
  for (std::size_t i = 1; i <= 100; ++i) lines.emplace_back(i, 'x');
  ranks::together(4, [&](ranks::Group& group) {
    std::size_t mine = 0;
    run::translate_together(group, lines, [&](const Lines& share, int64_t, int64_t) {
      for (const std::string& line : share) mine += line.size();
      return std::optional<Lines>(share);
    });
    EXPECT_NEAR(static_cast<double>(mine), 5050. / 4, 50);
  });
}

TEST(TranslateTogether, GivesNothingWhereARankHasNone) {
  ranks::together(3, [](ranks::Group& group) {
    EXPECT_FALSE(run::translate_together(group, kLines, [&](const Lines& share, int64_t, int64_t) {
      return group.rank() == 1 ? std::nullopt : std::optional<Lines>(share);
    }));
  });
}

TEST(TranslateTogether, FailsOnAllWhereOneFails) {
  std::atomic<int> failed = 0;
  ranks::together(3, [&](ranks::Group& group) {
    const std::string message = message_of<Failure>([&] {
      run::translate_together(group, kLines, [&](const Lines& share, int64_t, int64_t) {
        if (group.rank() == 1) throw Failure("its weights are damaged");
        return std::optional<Lines>(share);
      });
    });
    if (message == "its weights are damaged") ++failed;
    EXPECT_EQ(group.broadcast(group.leads() ? "goes on" : ""), "goes on");
  });
  EXPECT_EQ(failed.load(), 3);
}

TEST(ThreadsOfRank, AreAShareOfTheCoresThatItSharesOrAllOfItsOwn) {
  const int64_t cores = available_cores();
  ranks::together(3, [&](ranks::Group& group) {
    const ranks::RankInfo info{
        .rank = group.rank(), .size = 3, .local_rank = group.rank(), .local_size = 3};
    EXPECT_EQ(run::threads_of_rank(6, group, info), 2);
    EXPECT_EQ(run::threads_of_rank(0, group, info), std::max<int64_t>(1, cores / 3));
    if (!group.leads()) {
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(sched_getcpu(), &one);
      ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    }
    EXPECT_EQ(run::threads_of_rank(0, group, info), group.leads() ? cores : 1);
  });
}

TEST(Together, WaitsForOneLongerThanAnExchangeMayTake) {
  ranks::together(2,
                  [](ranks::Group& group) {
                    group.broadcast("");  // all have met
                    const auto made = run::translate_together(
                        group, kLines, [&](const Lines& share, int64_t first_line, int64_t step) {
                          if (group.rank() == 1) std::this_thread::sleep_for(milliseconds(1200));
                          return numbered(share, first_line, step);
                        });
                    EXPECT_EQ(made.value_or(Lines()), kNumbered);
                    const double found = run::first_rank_finds(group, [] {
                      std::this_thread::sleep_for(milliseconds(1200));
                      return 0.25;
                    });
                    EXPECT_EQ(found, 0.25);
                  },
                  {.timeout = milliseconds(500)});
}

}  // namespace
}  // namespace heed
