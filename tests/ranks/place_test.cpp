#include "ranks/place.h"

#include <gtest/gtest.h>

#include <map>

#include "base/error.h"
#include "message.h"

namespace heed::ranks {
namespace {

using Variables = std::map<std::string, std::string>;

Place place_in(const Variables& variables) {
  return place_of([&](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? "" : found->second;
  });
}

TEST(Place, IsAloneWhereNobodySaysOtherwise) {
  const Place place = place_in({});
  EXPECT_TRUE(place.alone());
  EXPECT_TRUE(place.leads());
  EXPECT_EQ(place.meeting, Meeting::none);
}

TEST(Place, IsWhatHeedsOwnLauncherSays) {
  Variables variables;
  for (const std::string& each : environment_of(2, 5, "/run/x")) {
    const auto equals = each.find('=');
    variables[each.substr(0, equals)] = each.substr(equals + 1);
  }
  const Place place = place_in(variables);
  EXPECT_EQ(place.rank, 2);
  EXPECT_EQ(place.size, 5);
  EXPECT_EQ(place.local_size, 5);
  EXPECT_EQ(place.meeting, Meeting::file);
  EXPECT_EQ(place.folder, "/run/x");
  EXPECT_EQ(place.name(), "rank 2 of 5");
}

TEST(Place, UnderTorchrunIsAtTheAgentsStore) {
  const Place place = place_in({{"RANK", "3"},
                                {"WORLD_SIZE", "4"},
                                {"LOCAL_RANK", "1"},
                                {"LOCAL_WORLD_SIZE", "2"},
                                {"MASTER_ADDR", "node1"},
                                {"MASTER_PORT", "29500"},
                                {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                                {"TORCHELASTIC_RESTART_COUNT", "1"}});
  EXPECT_EQ(place.rank, 3);
  EXPECT_EQ(place.local_rank, 1);
  EXPECT_EQ(place.local_size, 2);
  EXPECT_EQ(place.meeting, Meeting::address);
  EXPECT_EQ(place.address, "node1");
  EXPECT_EQ(place.port, 29500);
  EXPECT_TRUE(place.hosted);
  EXPECT_EQ(place.job, "attempt-1");
}

TEST(Place, UnderSrunIsAnnouncedInTheRunsFolder) {
  const Place place = place_in({{"SLURM_PROCID", "5"},
                                {"SLURM_STEP_NUM_TASKS", "6"},
                                {"SLURM_LOCALID", "2"},
                                {"SLURM_STEP_TASKS_PER_NODE", "3(x2)"},
                                {"SLURM_JOB_ID", "77"},
                                {"SLURM_STEP_ID", "0"}});
  EXPECT_EQ(place.rank, 5);
  EXPECT_EQ(place.local_rank, 2);
  EXPECT_EQ(place.local_size, 3);
  EXPECT_EQ(place.meeting, Meeting::announced);
  EXPECT_EQ(place.job, "srun-77-0");
}

// A batch script sees how many tasks its job has, and is none of them.
TEST(Place, InABatchScriptOfSlurmIsAlone) {
  EXPECT_TRUE(
      place_in({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "6"}, {"SLURM_JOB_ID", "77"}}).alone());
}

TEST(Place, UnderMpirun) {
  const Variables variables = {{"OMPI_COMM_WORLD_RANK", "1"},
                               {"OMPI_COMM_WORLD_SIZE", "2"},
                               {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                               {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                               {"PMIX_NAMESPACE", "123"}};
  EXPECT_EQ(place_in(variables).rank, 1);
  EXPECT_EQ(place_in(variables).job, "mpirun-123");
  EXPECT_EQ(message_of<UserError>([] {
              place_in({{"PMI_RANK", "1"}, {"PMI_SIZE", "3"}});
            }),
            "started by mpirun, which does not name its job; export MASTER_ADDR (the first rank's "
            "machine) and MASTER_PORT (a free port there) to all ranks");
  const Place place =
      place_in({{"PMI_RANK", "1"}, {"PMI_SIZE", "3"}, {"MASTER_ADDR", "a"}, {"MASTER_PORT", "7"}});
  EXPECT_EQ(place.meeting, Meeting::address);
  EXPECT_FALSE(place.hosted);
}

// On the first machine mpirun is a task of its own, on the others it starts helpers by srun.
TEST(Place, UnderMpirunIsNotWhatSrunSaysOfMpirun) {
  const Variables srun = {{"SLURM_PROCID", "0"},
                          {"SLURM_STEP_NUM_TASKS", "1"},
                          {"SLURM_JOB_ID", "77"},
                          {"SLURM_STEP_ID", "0"}};
  Variables open_mpi = {
      {"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}, {"PMIX_NAMESPACE", "123"}};
  open_mpi.insert(srun.begin(), srun.end());
  EXPECT_EQ(place_in(open_mpi).rank, 1);
  EXPECT_EQ(place_in(open_mpi).job, "mpirun-123");
  Variables mpich = {{"PMI_RANK", "1"},        {"PMI_SIZE", "2"},    {"MPI_LOCALRANKID", "1"},
                     {"MPI_LOCALNRANKS", "2"}, {"MASTER_ADDR", "a"}, {"MASTER_PORT", "7"}};
  mpich.insert(srun.begin(), srun.end());
  EXPECT_EQ(place_in(mpich).rank, 1);
  EXPECT_EQ(place_in(mpich).local_size, 2);
}

TEST(Place, OfATaskIsWhatSrunSaysWithPmi2) {
  const Place place = place_in({{"SLURM_PROCID", "1"},
                                {"SLURM_STEP_NUM_TASKS", "2"},
                                {"SLURM_JOB_ID", "9"},
                                {"SLURM_STEP_ID", "0"},
                                {"PMI_RANK", "1"},
                                {"PMI_SIZE", "2"}});
  EXPECT_EQ(place.rank, 1);
  EXPECT_EQ(place.job, "srun-9-0");
}

TEST(Place, SaysWhichVariableIsWrong) {
  EXPECT_EQ(message_of<UserError>([] {
              place_in({{"RANK", "x"}, {"WORLD_SIZE", "2"}});
            }),
            "environment variable RANK: got 'x', expected a number from 0; it is set by what "
            "starts the ranks (heed train --ranks, torchrun, srun, mpirun)");
  EXPECT_EQ(message_of<UserError>([] {
              place_in({{"RANK", "2"}, {"WORLD_SIZE", "2"}});
            }),
            "environment variable RANK: got 2, expected less than WORLD_SIZE (2)");
  EXPECT_TRUE(place_in({{"RANK", "0"}, {"WORLD_SIZE", "1"}}).alone());
}

}  // namespace
}  // namespace heed::ranks
