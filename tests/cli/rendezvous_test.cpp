// Ranks that cannot meet say why, in one line.
#include <arpa/inet.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <future>
#include <string>
#include <vector>

#include "cli/program.h"
#include "cli/toy.h"

namespace heed::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// Takes connections at a port of this machine, and says nothing.
class SilentServer {
 public:
  SilentServer() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const plain = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(socket_, plain, size), 0);
    EXPECT_EQ(::listen(socket_, 16), 0);
    EXPECT_EQ(::getsockname(socket_, plain, &size), 0);
    port_ = ntohs(address.sin_port);
  }
  ~SilentServer() { ::close(socket_); }
  std::string port() const { return std::to_string(port_); }

 private:
  int socket_, port_ = 0;
};

class Rendezvous : public ::testing::Test {
 protected:
  Rendezvous() {
    write_toy_pairs(folder_, "train", 60, 1);
    write_toy_pairs(folder_, "valid", 7, 2);
    config_ = write_toy_config(folder_, {"run", kNone, "updates: 2, micro_batches: 2"});
  }
  /// A rank of two, as torchrun starts it.
  Result run_rank(int rank, const std::string& address, const std::string& port) const {
    return run_heed_in({"RANK=" + std::to_string(rank), "WORLD_SIZE=2", "LOCAL_RANK=0",
                        "LOCAL_WORLD_SIZE=1", "MASTER_ADDR=" + address, "MASTER_PORT=" + port},
                       {"train", config_, "--rank-timeout", "2", "--set",
                        "output=" + (folder_ / ("run" + std::to_string(rank) + address + port))});
  }

  TemporaryFolder folder_;
  std::string config_;
};

// All at once: each of them waits for two seconds.
TEST_F(Rendezvous, EndsInTimeAndSaysWhyNobodyIsMet) {
  const SilentServer server;
  const auto start = [&](int rank, const std::string& address, const std::string& port) {
    return std::async(std::launch::async, [=, this] { return run_rank(rank, address, port); });
  };
  auto with_another = start(1, "127.0.0.1", server.port()),
       with_nothing = start(1, "127.0.0.1", "9"),
       with_unknown = start(1, "no-machine.invalid", "29555"),
       at_unknown = start(0, "no-machine.invalid", "29555");
  expect_one_line_error(with_another.get(), 1,
                        {"rank 1 of 2: a program answers at 127.0.0.1:" + server.port(),
                         "is not the first rank within 2 s", "export another MASTER_PORT"});
  expect_one_line_error(with_nothing.get(), 1,
                        {"rank 1 of 2: nothing answers at 127.0.0.1:9 (MASTER_ADDR and "
                         "MASTER_PORT) within 2 s; a longer time is given with --rank-timeout"});
  expect_one_line_error(
      with_unknown.get(), 1,
      {"nothing answers at no-machine.invalid:29555", "no route to that machine"});
  expect_one_line_error(at_unknown.get(), 1,
                        {"rank 0 of 2: no machine has the name no-machine.invalid (MASTER_ADDR)"});
}

TEST_F(Rendezvous, NamesTheLoopbackWhereThereIsNone) {
  std::vector<std::string> arguments = {"unshare", "--user", "--map-root-user", "--net"};
  for (const std::string& word : command({"train", config_, "--ranks", "2"}))
    arguments.push_back(word);
  const Result result = subprocess::run(arguments);
  if (result.err.starts_with("unshare")) GTEST_SKIP() << result.err;
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_THAT(result.err, HasSubstr("no network interface of this machine has the address "
                                    "127.0.0.1; start that one: ip link set lo up"));
}

TEST_F(Rendezvous, NamesAFullDiskOfTemporaryFiles) {
  fs::create_directory(folder_ / "tmp");
  // Room for the first file of the folder in which ranks meet: its lock.
  const std::string inside =
      "mount -t tmpfs -o size=8k,nr_inodes=64 none \"$1\" || exit 99; "
      "head -c 4096 /dev/zero > \"$1/all\"; TMPDIR=$1 exec \"$0\" train \"$2\" --ranks 2";
  const Result result = subprocess::run({"unshare", "--user", "--map-root-user", "--mount", "sh",
                                         "-c", inside, paths::kHeed, folder_ / "tmp", config_});
  if (result.status == 99 || result.err.starts_with("unshare")) GTEST_SKIP() << result.err;
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_THAT(lines_of(result.err).back(), HasSubstr("board: cannot write: No space left"));
}

TEST_F(Rendezvous, FoldersOfKilledProcessesAreRemoved) {
  const fs::path old = folder_ / "tmp/.heed.ranks.abcdef", recent = folder_ / "tmp/.heed.ranks.ghi";
  for (const fs::path& left : {old, recent})
    folder_.write("tmp/" + left.filename().string() + "/.heed.lock", "process: 1\n");
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::minutes(2));
  const Result result =
      run_heed_in({"TMPDIR=" + (folder_ / "tmp")}, {"train", config_, "--ranks", "2"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(recent));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "tmp"), fs::directory_iterator()), 1);
}

}  // namespace
}  // namespace heed::cli
