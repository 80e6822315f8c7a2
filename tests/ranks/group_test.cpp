#include "ranks/group.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>

#include "base/error.h"
#include "message.h"
#include "ranks/addresses.h"
#include "ranks/progress_board.h"
#include "ranks/rank_info.h"
#include "ranks/together.h"

namespace heed::ranks {
namespace {

TEST(Group, OfOneKeepsWhatItHas) {
  Group group;
  EXPECT_TRUE(group.alone());
  EXPECT_TRUE(group.leads());
  EXPECT_EQ(group.broadcast("a"), "a");
  EXPECT_TRUE(group.broadcast(true));
  EXPECT_EQ(group.gather(std::string("b")), std::vector<std::string>{"b"});
  EXPECT_EQ(group.gather(std::vector<int64_t>{3, 5}), (std::vector<std::vector<int64_t>>{{3, 5}}));
  EXPECT_EQ(group.gather(at::ones({3, 5})).sizes(), (at::IntArrayRef{1, 3, 5}));
  EXPECT_TRUE(at::equal(group.exchange(at::ones({7}), {7}, {7}), at::ones({7})));
}

TEST(Group, TellsAndGathers) {
  for (const int64_t size : {2, 3, 5})
    together(size, [&](Group& group) {
      EXPECT_EQ(group.broadcast(group.leads() ? "from the first" : "not this"), "from the first");
      EXPECT_EQ(group.broadcast(""), "");
      EXPECT_EQ(group.broadcast(7 + group.rank()), 7);
      EXPECT_TRUE(group.broadcast(group.leads()));
      const auto texts = group.gather(std::string(static_cast<std::size_t>(group.rank()), 'x'));
      const auto numbers = group.gather(std::vector<int64_t>{group.rank(), -group.rank()});
      const Tensor tensors = group.gather(at::full({3, 1}, static_cast<double>(group.rank())));
      EXPECT_EQ(tensors.sizes(), (at::IntArrayRef{size, 3, 1}));
      for (int64_t rank = 0; rank < size; ++rank) {
        EXPECT_EQ(texts[rank].size(), static_cast<std::size_t>(rank));
        EXPECT_EQ(numbers[rank], (std::vector<int64_t>{rank, -rank}));
        EXPECT_EQ(tensors[rank].sum().item<double>(), 3. * static_cast<double>(rank));
      }
    });
}

// Rank r sends r + 1 numbers to rank 0, two to the others; rank 1 gets nothing from rank 0.
TEST(Group, ExchangesUnequalPieces) {
  const auto sent = [](int64_t from, int64_t to) -> int64_t {
    if (to == 0) return from + 1;
    return from == 0 && to == 1 ? 0 : 2;
  };
  together(3, [&](Group& group) {
    std::vector<int64_t> to, from;
    std::vector<Tensor> pieces;
    for (int64_t other = 0; other < 3; ++other) {
      to.push_back(sent(group.rank(), other));
      from.push_back(sent(other, group.rank()));
      pieces.push_back(at::full({to.back()}, static_cast<double>(10 * group.rank() + other)));
    }
    const Tensor received = group.exchange(at::cat(pieces), to, from);
    std::vector<Tensor> expected;
    for (int64_t other = 0; other < 3; ++other)
      expected.push_back(at::full({from[other]}, static_cast<double>(10 * other + group.rank())));
    EXPECT_TRUE(at::equal(received, at::cat(expected)));
  });
}

TEST(Group, TakesMoreTimeThanAnExchangeMay) {
  using std::chrono::milliseconds;
  std::atomic<int64_t> done = 0;
  const auto work = [&](Group& group) {
    group.take_time([&] {
      if (group.rank() == 2) std::this_thread::sleep_for(milliseconds(2500));
      ++done;
    });
    EXPECT_EQ(done.load(), group.size());
    EXPECT_EQ(group.broadcast(group.leads() ? "and goes on" : ""), "and goes on");
  };
  together(3, work, {.timeout = milliseconds(1000)});
  Group alone;
  done = 0;
  work(alone);
}

TEST(Group, NamesTheRankThatIsGoneWhileItTakesTime) {
  EXPECT_EQ(message_of<Failure>([] {
              together(3, [](Group& group) {
                group.broadcast("");
                if (group.rank() == 1) return;
                group.begin("the test set was translated");
                group.take_time([] {});
              });
            }),
            "rank 1 of 3 is gone, when the test set was translated");
}

/// Whether the thread with this id, of this process, blocks SIGPIPE.
bool blocks_pipe_signal(const std::string& thread) {
  std::ifstream status("/proc/self/task/" + thread + "/status");
  const std::string name = "SigBlk:";
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(name))
      return (std::stoull(line.substr(name.size()), nullptr, 16) >> (SIGPIPE - 1)) % 2 == 1;
  return true;  // it has ended
}

std::set<std::string> threads_of_this_process() {
  std::set<std::string> threads;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task"))
    threads.insert(entry.path().filename());
  return threads;
}

// A thread that wrote to a rank that is gone would end the process with SIGPIPE, and nobody would
// say which rank it was.
TEST(Group, LosesAConnectionWithoutASignal) {
  std::mutex mutex;
  std::set<std::string> others = threads_of_this_process();
  together(3, [&](Group& group) {
    {
      const std::lock_guard lock(mutex);
      others.insert(std::to_string(gettid()));
    }
    group.broadcast("");
    if (!group.leads()) return void(group.broadcast(""));
    std::size_t its_own = 0;
    for (const std::string& thread : threads_of_this_process()) {
      if (others.contains(thread)) continue;
      ++its_own;
      EXPECT_TRUE(blocks_pipe_signal(thread));
    }
    EXPECT_GE(its_own, 3U);
    EXPECT_FALSE(blocks_pipe_signal(std::to_string(gettid())));
    group.broadcast("");
  });
}

TEST(Group, ThrowsWhatItsWorkThrowsAndKeepsStep) {
  together(3, [](Group& group) {
    const std::string message = message_of<UserError>([&] {
      group.take_time([&] {
        if (group.rank() == 1) throw UserError("no such set");
      });
    });
    EXPECT_EQ(message, group.rank() == 1 ? "no such set" : "(nothing thrown)");
    EXPECT_EQ(group.broadcast(group.leads() ? "and goes on" : ""), "and goes on");
  });
}

TEST(Group, NamesTheRankThatIsGone) {
  EXPECT_EQ(message_of<Failure>([] {
              together(3, [](Group& group) {
                group.broadcast("");
                if (group.rank() == 1) return;
                group.begin("update 7 was computed");
                group.broadcast("");
              });
            }),
            "rank 1 of 3 is gone, when update 7 was computed");
}

TEST(Group, NamesTheRankThatStaysAway) {
  std::atomic<bool> over = false;
  EXPECT_EQ(message_of<Failure>([&] {
              together(3,
                       [&](Group& group) {
                         group.begin("update 7 was computed");
                         group.broadcast("");
                         if (group.rank() == 2)
                           while (!over) std::this_thread::sleep_for(std::chrono::milliseconds(10));
                         struct Over {
                           std::atomic<bool>& flag;
                           ~Over() { flag = true; }
                         } const at_the_end{over};
                         if (group.rank() != 2) group.broadcast("");
                       },
                       {.timeout = std::chrono::milliseconds(1000)});
            }),
            "rank 2 of 3 is silent for 1 s, when update 7 was computed; a longer time is given "
            "with --rank-timeout");
}

TEST(Addresses, OfTheLoopbackAreThemselves) {
  const auto way = way_to("127.0.0.1", 9);
  ASSERT_TRUE(way);
  EXPECT_EQ(way->here, "127.0.0.1");
  EXPECT_EQ(way->there, "127.0.0.1");
  EXPECT_FALSE(way_to("no-such-host.invalid", 9));
  EXPECT_FALSE(answers("127.0.0.1", 9, 1));
  for (const std::string& address : own_addresses()) EXPECT_NE(address, "127.0.0.1");
}

TEST(ProgressBoard, ShowsWhatEachRankPuts) {
  const TemporaryFolder folder;
  const ProgressBoard one(folder.path(), 3), other(folder.path(), 3);
  one.show(0, 5);
  other.show(2, 7);
  EXPECT_EQ(other.at(0), 5);
  EXPECT_EQ(one.at(1), 0);
  EXPECT_EQ(one.at(2), 7);
  const ProgressBoard alone("", 1);
  alone.show(0, 3);
  EXPECT_EQ(alone.at(0), 3);
  EXPECT_FALSE(one.interrupted());
  other.show_interruption();
  EXPECT_TRUE(one.interrupted());
  EXPECT_EQ(one.at(0), 5);
  EXPECT_EQ(one.at(2), 7);
  EXPECT_THROW(ProgressBoard(folder.path() + "/none", 1), Failure);
}

}  // namespace
}  // namespace heed::ranks
