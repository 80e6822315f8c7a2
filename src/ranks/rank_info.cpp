#include "ranks/rank_info.h"

#include <charconv>
#include <cstdlib>
#include <system_error>

#include "base/error.h"
#include "base/format.h"
#include "base/strings.h"

namespace heed::ranks {
namespace {

constexpr const char *kRank = "HEED_RANK", *kSize = "HEED_RANKS", *kFolder = "HEED_RANKS_FOLDER";

int64_t number_in(const Environment& environment, const std::string& name, int64_t least) {
  const std::string text = environment(name);
  const auto value = exact_number<int64_t>(text);
  if (!value || *value < least)
    throw UserError(
        "environment variable {}: got '{}', expected a number from {}; it is set by what starts "
        "the ranks (heed train --ranks, torchrun, srun, mpirun)",
        name, text, least);
  return *value;
}

int64_t number_or(const Environment& environment, const std::string& name, int64_t otherwise) {
  return environment(name).empty() ? otherwise : number_in(environment, name, 0);
}

/// The names under which a launcher tells each process who it is.
struct Launcher {
  const char *name, *rank, *size, *local_rank, *local_size;
};

constexpr Launcher kTorchrun = {"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"};
// Only the variables of a job step count: a batch script of SLURM sees SLURM_NTASKS, too, and is no
// rank.
constexpr Launcher kSrun = {"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID",
                            "SLURM_STEP_TASKS_PER_NODE"};
constexpr Launcher kOpenMpi = {"mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
                               "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"};
constexpr Launcher kMpich = {"mpirun", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID",
                             "MPI_LOCALNRANKS"};

RankInfo rank_info_by(const Launcher& launcher, const Environment& environment) {
  RankInfo info;
  info.announcer = launcher.name;
  info.size = number_in(environment, launcher.size, 1);
  info.rank = number_in(environment, launcher.rank, 0);
  if (info.rank >= info.size)
    throw UserError("environment variable {}: got {}, expected less than {} ({})", launcher.rank,
                    info.rank, launcher.size, info.size);
  return info;
}

/// "3(x2),1": tasks of each node. The node of this process is not among what srun tells by number
/// of tasks, so only equal nodes count.
int64_t tasks_of_a_node(const std::string& text, int64_t otherwise) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool equal = text.find(',') == std::string::npos;
  return error == std::errc() && equal ? value : otherwise;
}

}  // namespace

std::string from_environment(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value == nullptr ? "" : value;
}

std::string name_of_ranks(const std::vector<int64_t>& ranks, int64_t size) {
  std::vector<std::string> numbers;
  for (const int64_t rank : ranks) numbers.push_back(std::to_string(rank));
  return fmt::format("{} {} of {}", ranks.size() == 1 ? "rank" : "ranks", join(numbers, ", "),
                     size);
}

std::string keeper_of_store(const RankInfo& info) {
  const std::string first = name_of_ranks({0}, info.size);
  return info.hosted
             ? fmt::format("{}, or torchrun's agent at {}:{},", first, info.address, info.port)
             : first;
}

std::string RankInfo::name() const {
  return name_of_ranks({rank}, size);
}

RankInfo rank_info(const Environment& environment) {
  const auto set = [&](const char* name) { return !environment(name).empty(); };
  RankInfo info;
  if (set(kRank)) {
    info = rank_info_by({"heed", kRank, kSize, kRank, kSize}, environment);
    info.local_rank = info.rank;
    info.local_size = info.size;
    info.rendezvous = Rendezvous::file;
    info.folder = environment(kFolder);
    return info;
  }
  const Launcher* launcher = nullptr;
  if (set(kTorchrun.rank) && set(kTorchrun.size)) launcher = &kTorchrun;
  // mpirun under SLURM leaves what srun says of mpirun itself, or of its helpers, to its ranks.
  if (!launcher && set(kOpenMpi.size)) launcher = &kOpenMpi;
  if (!launcher && set(kMpich.local_size)) launcher = &kMpich;
  if (!launcher && set(kSrun.size)) launcher = &kSrun;  // --mpi=pmi2 sets PMI_SIZE, too
  if (!launcher && set(kMpich.size)) launcher = &kMpich;
  if (!launcher) return info;
  info = rank_info_by(*launcher, environment);
  if (info.alone()) return {};
  if (launcher == &kSrun) {
    info.local_rank = number_or(environment, kSrun.local_rank, 0);
    info.local_size = tasks_of_a_node(environment(kSrun.local_size), info.local_rank + 1);
    info.job = "srun-" + environment("SLURM_JOB_ID") + "-" + environment("SLURM_STEP_ID");
  } else {
    info.local_rank = number_or(environment, launcher->local_rank, 0);
    info.local_size = number_or(environment, launcher->local_size, info.local_rank + 1);
    if (launcher == &kOpenMpi) info.job = "mpirun-" + environment("PMIX_NAMESPACE");
  }
  if (set("MASTER_ADDR")) {
    info.rendezvous = Rendezvous::address;
    info.address = environment("MASTER_ADDR");
    info.port = static_cast<int>(number_in(environment, "MASTER_PORT", 1));
    info.hosted = environment("TORCHELASTIC_USE_AGENT_STORE") == "True";
    // Not of the attempt: torchrun's agents count these differently (attempt.h).
    if (launcher == &kTorchrun) info.job = "torchrun-" + environment("TORCHELASTIC_RUN_ID");
    return info;
  }
  if (info.job.empty() || info.job.ends_with('-'))
    throw UserError(
        "started by {}, which does not name its job; export MASTER_ADDR (the first rank's machine) "
        "and MASTER_PORT (a free port there) to all ranks",
        launcher->name);
  info.rendezvous = Rendezvous::announced;
  return info;
}

std::vector<std::string> environment_of(int64_t rank, int64_t size, const std::string& folder) {
  return {fmt::format("{}={}", kRank, rank), fmt::format("{}={}", kSize, size),
          fmt::format("{}={}", kFolder, folder)};
}

}  // namespace heed::ranks
