#include "ranks/rank_info.h"

#include <gtest/gtest.h>

#include <map>

#include "base/error.h"
#include "message.h"

namespace heed::ranks {
namespace {

using Variables = std::map<std::string, std::string>;

RankInfo rank_info_in(const Variables& variables) {
  return rank_info([&](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? "" : found->second;
  });
}

TEST(RankInfo, IsAloneWhereNobodySaysOtherwise) {
  const RankInfo info = rank_info_in({});
  EXPECT_TRUE(info.alone());
  EXPECT_TRUE(info.leads());
  EXPECT_EQ(info.rendezvous, Rendezvous::none);
}

TEST(RankInfo, IsWhatHeedsOwnLauncherSays) {
  Variables variables;
  for (const std::string& each : environment_of(2, 5, "/run/x")) {
    const auto equals = each.find('=');
    variables[each.substr(0, equals)] = each.substr(equals + 1);
  }
  const RankInfo info = rank_info_in(variables);
  EXPECT_EQ(info.rank, 2);
  EXPECT_EQ(info.size, 5);
  EXPECT_EQ(info.local_size, 5);
  EXPECT_EQ(info.rendezvous, Rendezvous::file);
  EXPECT_EQ(info.folder, "/run/x");
  EXPECT_EQ(info.name(), "rank 2 of 5");
}

TEST(RankInfo, UnderTorchrunIsAtTheAgentsStore) {
  const RankInfo info = rank_info_in({{"RANK", "3"},
                                      {"WORLD_SIZE", "4"},
                                      {"LOCAL_RANK", "1"},
                                      {"LOCAL_WORLD_SIZE", "2"},
                                      {"MASTER_ADDR", "node1"},
                                      {"MASTER_PORT", "29500"},
                                      {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                                      {"TORCHELASTIC_RUN_ID", "mine"},
                                      {"TORCHELASTIC_RESTART_COUNT", "1"}});
  EXPECT_EQ(info.rank, 3);
  EXPECT_EQ(info.local_rank, 1);
  EXPECT_EQ(info.local_size, 2);
  EXPECT_EQ(info.rendezvous, Rendezvous::address);
  EXPECT_EQ(info.address, "node1");
  EXPECT_EQ(info.port, 29500);
  EXPECT_TRUE(info.hosted);
  EXPECT_EQ(info.job, "torchrun-mine");
  EXPECT_EQ(keeper_of_store(info), "rank 0 of 4, or torchrun's agent at node1:29500,");
}

TEST(RankInfo, UnderSrunIsAnnouncedInTheRunsFolder) {
  const RankInfo info = rank_info_in({{"SLURM_PROCID", "5"},
                                      {"SLURM_STEP_NUM_TASKS", "6"},
                                      {"SLURM_LOCALID", "2"},
                                      {"SLURM_STEP_TASKS_PER_NODE", "3(x2)"},
                                      {"SLURM_JOB_ID", "77"},
                                      {"SLURM_STEP_ID", "0"}});
  EXPECT_EQ(info.rank, 5);
  EXPECT_EQ(info.local_rank, 2);
  EXPECT_EQ(info.local_size, 3);
  EXPECT_EQ(info.rendezvous, Rendezvous::announced);
  EXPECT_EQ(info.job, "srun-77-0");
}

// A batch script sees how many tasks its job has, and is none of them.
TEST(RankInfo, InABatchScriptOfSlurmIsAlone) {
  EXPECT_TRUE(
      rank_info_in({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "6"}, {"SLURM_JOB_ID", "77"}}).alone());
}

TEST(RankInfo, UnderMpirun) {
  const Variables variables = {{"OMPI_COMM_WORLD_RANK", "1"},
                               {"OMPI_COMM_WORLD_SIZE", "2"},
                               {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                               {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                               {"PMIX_NAMESPACE", "123"}};
  EXPECT_EQ(rank_info_in(variables).rank, 1);
  EXPECT_EQ(rank_info_in(variables).job, "mpirun-123");
  EXPECT_EQ(message_of<UserError>([] {
              rank_info_in({{"PMI_RANK", "1"}, {"PMI_SIZE", "3"}});
            }),
            "started by mpirun, which does not name its job; export MASTER_ADDR (the first rank's "
            "machine) and MASTER_PORT (a free port there) to all ranks");
  const RankInfo info = rank_info_in(
      {{"PMI_RANK", "1"}, {"PMI_SIZE", "3"}, {"MASTER_ADDR", "a"}, {"MASTER_PORT", "7"}});
  EXPECT_EQ(info.rendezvous, Rendezvous::address);
  EXPECT_FALSE(info.hosted);
  EXPECT_EQ(keeper_of_store(info), "rank 0 of 3");
}

// On the first machine mpirun is a task of its own, on the others it starts helpers by srun.
TEST(RankInfo, UnderMpirunIsNotWhatSrunSaysOfMpirun) {
  const Variables srun = {{"SLURM_PROCID", "0"},
                          {"SLURM_STEP_NUM_TASKS", "1"},
                          {"SLURM_JOB_ID", "77"},
                          {"SLURM_STEP_ID", "0"}};
  Variables open_mpi = {
      {"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}, {"PMIX_NAMESPACE", "123"}};
  open_mpi.insert(srun.begin(), srun.end());
  EXPECT_EQ(rank_info_in(open_mpi).rank, 1);
  EXPECT_EQ(rank_info_in(open_mpi).job, "mpirun-123");
  Variables mpich = {{"PMI_RANK", "1"},        {"PMI_SIZE", "2"},    {"MPI_LOCALRANKID", "1"},
                     {"MPI_LOCALNRANKS", "2"}, {"MASTER_ADDR", "a"}, {"MASTER_PORT", "7"}};
  mpich.insert(srun.begin(), srun.end());
  EXPECT_EQ(rank_info_in(mpich).rank, 1);
  EXPECT_EQ(rank_info_in(mpich).local_size, 2);
}

TEST(RankInfo, OfATaskIsWhatSrunSaysWithPmi2) {
  const RankInfo info = rank_info_in({{"SLURM_PROCID", "1"},
                                      {"SLURM_STEP_NUM_TASKS", "2"},
                                      {"SLURM_JOB_ID", "9"},
                                      {"SLURM_STEP_ID", "0"},
                                      {"PMI_RANK", "1"},
                                      {"PMI_SIZE", "2"}});
  EXPECT_EQ(info.rank, 1);
  EXPECT_EQ(info.job, "srun-9-0");
}

TEST(RankInfo, SaysWhichVariableIsWrong) {
  EXPECT_EQ(message_of<UserError>([] {
              rank_info_in({{"RANK", "x"}, {"WORLD_SIZE", "2"}});
            }),
            "environment variable RANK: got 'x', expected a number from 0; it is set by what "
            "starts the ranks (heed train --ranks, torchrun, srun, mpirun)");
  EXPECT_EQ(message_of<UserError>([] {
              rank_info_in({{"RANK", "2"}, {"WORLD_SIZE", "2"}});
            }),
            "environment variable RANK: got 2, expected less than WORLD_SIZE (2)");
  EXPECT_TRUE(rank_info_in({{"RANK", "0"}, {"WORLD_SIZE", "1"}}).alone());
}

}  // namespace
}  // namespace heed::ranks
