// The rank of this process among those of a run, as its environment says.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace heed::ranks {

/// How the ranks find each other.
enum class Rendezvous {
  none,       // there is only one
  file,       // all on this machine: a file in `folder`, traffic over the loopback interface
  address,    // the launcher names the first rank's address and port
  announced,  // the first rank takes a free port and writes its addresses into the run's folder
};

struct RankInfo {
  int64_t rank = 0, size = 1;              // of all
  int64_t local_rank = 0, local_size = 1;  // of those on this machine
  Rendezvous rendezvous = Rendezvous::none;
  std::string folder;     // file
  std::string address;    // address
  int port = 0;           // address
  bool hosted = false;    // address: the launcher itself listens there, not the first rank
  std::string job;        // of the launcher, where it has a name
  std::string announcer;  // what said so, for messages: "torchrun", "srun", "mpirun"

  bool alone() const { return size == 1; }
  bool leads() const { return rank == 0; }
  /// Returns "rank 2 of 4"; ranks count from 0.
  std::string name() const;
};

/// Returns "rank 2 of 4", "ranks 1, 3 of 4".
std::string name_of_ranks(const std::vector<int64_t>& ranks, int64_t size);

/// Returns the name of the rank that keeps the store at which the ranks meet: "rank 0 of 4".
std::string keeper_of_store(const RankInfo& info);

/// The value of an environment variable, "" where it is not set.
using Environment = std::function<std::string(const std::string&)>;
std::string from_environment(const std::string& name);

/// Asks, in this order, heed's own launcher, torchrun, srun, Open MPI and MPICH; alone where none
/// speaks. Throws UserError naming the variable where what they say is incomplete or no number.
RankInfo rank_info(const Environment& environment = from_environment);

/// Returns the variables that heed's own launcher sets for rank `rank`, each as NAME=VALUE.
std::vector<std::string> environment_of(int64_t rank, int64_t size, const std::string& folder);

}  // namespace heed::ranks
