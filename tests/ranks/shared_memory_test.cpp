// Memory that ranks share, with ranks that are threads, and a gathering that is a barrier.
#include "ranks/shared_memory.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <barrier>
#include <thread>

#include "ranks/addresses.h"
#include "ranks/progress_board.h"
#include "ranks/rank_info.h"

namespace heed::ranks {
namespace {

using Numbers = SharedMemory::Numbers;
using Work = std::function<void(int64_t rank, SharedMemory&, const SharedMemory::Gather&)>;

/// Runs work(rank, its memory, its gathering) on each rank at once.
void with_shared_memory(int64_t size, const Work& work) {
  std::barrier met(size);
  std::vector<Numbers> told(static_cast<std::size_t>(size));
  std::vector<std::jthread> threads;
  for (int64_t rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank] {
      SharedMemory memory(rank, size);
      work(rank, memory, [&, rank](const Numbers& mine) {
        told[static_cast<std::size_t>(rank)] = mine;
        met.arrive_and_wait();
        const std::vector<Numbers> all = told;
        met.arrive_and_wait();  // nobody tells anew before all have read
        return all;
      });
    });
}

// In round n rank a sends b n (a + 1) mod 7 times 2^13 numbers to rank b: sizes grow, shrink and
// are zero, and the memory of a rank is made anew while others have the old one.
TEST(SharedMemory, ExchangesPiecesOfAnySizeRoundAfterRound) {
  constexpr int64_t kRanks = 3, kRounds = 9;
  const auto count = [](int64_t round, int64_t from, int64_t to) {
    return to * round * (from + 1) % 7 << 13;
  };
  for (const at::ScalarType type : {at::kFloat, at::kLong, at::kBFloat16})
    with_shared_memory(kRanks, [&](int64_t rank, SharedMemory& memory, const auto& gather) {
      for (int64_t round = 0; round < kRounds; ++round) {
        std::vector<Tensor> pieces, wanted;
        Numbers sizes;
        for (int64_t other = 0; other < kRanks; ++other) {
          sizes.push_back(count(round, rank, other));
          pieces.push_back(at::full({sizes.back()}, 10 * rank + other + round, type));
          wanted.push_back(at::full({count(round, other, rank)}, 10 * other + rank + round, type));
        }
        const Tensor received = memory.exchange(at::cat(pieces), sizes, gather);
        EXPECT_TRUE(at::equal(received, at::cat(wanted))) << "rank " << rank << " round " << round;
      }
    });
}

TEST(SharedMemory, GathersInTheOrderOfTheRanks) {
  with_shared_memory(4, [&](int64_t rank, SharedMemory& memory, const auto& gather) {
    for (const int64_t size : {1, 50000, 0, 3, 200000}) {
      const Tensor all = memory.gather_all(at::full({size}, rank, at::kLong), gather);
      EXPECT_TRUE(at::equal(all, at::arange(4, at::kLong).repeat_interleave(size)));
    }
  });
}

TEST(ProgressOfRanks, IsShownToNobodyWithoutAFolder) {
  const ProgressBoard one("", 2), other("", 2);
  one.show(1, 5);
  one.show_interruption();
  EXPECT_EQ(other.at(1), 0);
  EXPECT_FALSE(other.interrupted());
}

TEST(NameOfRanks, IsOfOneOrOfSeveral) {
  EXPECT_EQ(name_of_ranks({2}, 4), "rank 2 of 4");
  EXPECT_EQ(name_of_ranks({1, 3}, 4), "ranks 1, 3 of 4");
}

TEST(Addresses, AnswerWhereSomethingListens) {
  const int listening = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(listening, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::getsockname(listening, reinterpret_cast<sockaddr*>(&address), &size), 0);
  EXPECT_FALSE(answers("127.0.0.1", ntohs(address.sin_port), 1));  // bound, and not listening
  ASSERT_EQ(::listen(listening, 1), 0);
  EXPECT_TRUE(answers("127.0.0.1", ntohs(address.sin_port), 1));
  ::close(listening);
}

TEST(Addresses, OfThisMachineAreIpv4First) {
  bool six = false;
  for (const std::string& address : own_addresses()) {
    const bool is_six = address.find(':') != std::string::npos;
    EXPECT_TRUE(is_six || !six) << address;
    six = six || is_six;
    EXPECT_EQ(address.find('%'), std::string::npos) << address;
  }
}

}  // namespace
}  // namespace heed::ranks
