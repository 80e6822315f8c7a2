#include <gtest/gtest.h>

#include <map>
#include <string>
#include <thread>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <vector>

#include "base/error.h"
#include "message.h"
#include "ranks/group.h"
#include "ranks/rank_info.h"

namespace heed::ranks {
namespace {

/// The store that an agent of torchrun keeps for all attempts of its workers.
c10::intrusive_ptr<c10d::TCPStore> agents_store() {
  c10d::TCPStoreOptions options;
  options.port = 0;
  options.isServer = true;
  options.waitWorkers = false;
  return c10::make_intrusive<c10d::TCPStore>("localhost", options);
}

/// The rank as torchrun tells it to a worker of the agent whose workers were started `restarts`
/// times again.
RankInfo worker(int64_t rank, int64_t size, int64_t port, int64_t restarts) {
  const std::map<std::string, std::string> variables = {
      {"RANK", std::to_string(rank)},
      {"WORLD_SIZE", std::to_string(size)},
      {"LOCAL_RANK", std::to_string(rank)},
      {"LOCAL_WORLD_SIZE", std::to_string(size)},
      {"MASTER_ADDR", "localhost"},
      {"MASTER_PORT", std::to_string(port)},
      {"TORCHELASTIC_USE_AGENT_STORE", "True"},
      {"TORCHELASTIC_RUN_ID", "none"},
      {"TORCHELASTIC_RESTART_COUNT", std::to_string(restarts)}};
  return rank_info([&](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? "" : found->second;
  });
}

// The count rises only at the agent whose worker has failed.
TEST(Torchrun, StartsAgainWithDifferentCounts) {
  const auto store = agents_store();
  for (const std::vector<int64_t>& restarts :
       std::vector<std::vector<int64_t>>{{0, 0, 0}, {0, 1, 1}, {2, 1, 1}}) {
    std::vector<std::jthread> threads;
    for (int64_t rank = 0; rank < 3; ++rank)
      threads.emplace_back([&, rank] {
        Group group(worker(rank, 3, store->getPort(), restarts[rank]),
                    {.timeout = std::chrono::seconds(20)});
        const std::string attempt = std::to_string(restarts[0]);
        EXPECT_EQ(group.broadcast(group.leads() ? attempt : ""), attempt);
      });
  }
}

TEST(Torchrun, NamesARankThatDoesNotCome) {
  const auto store = agents_store();
  EXPECT_EQ(message_of<Failure>([&] {
              Group(worker(0, 2, store->getPort(), 0), {.timeout = std::chrono::seconds(1)});
            }),
            "rank 1 of 2 is silent for 1 s, when the ranks met; a longer time is given with "
            "--rank-timeout");
}

}  // namespace
}  // namespace heed::ranks
