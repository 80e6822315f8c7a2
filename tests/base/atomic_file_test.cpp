// AtomicFile::commit_together(): old and new files never stand beside each other.
#include "base/atomic_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "message.h"
#include "temporary_folder.h"

namespace heed {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<std::string> kNames = {"c.source", "c.target", "c.removed.tsv"};

/// Each of the three files gets these bytes.
void write_together(const TemporaryFolder& folder, const std::string& bytes) {
  AtomicFile source(folder / kNames[0]), target(folder / kNames[1]), removed(folder / kNames[2]);
  for (AtomicFile* file : {&source, &target, &removed}) file->write(bytes);
  AtomicFile::commit_together({&source, &target, &removed});
}

/// The contents of the files that are there.
std::vector<std::string> found_in(const TemporaryFolder& folder) {
  std::vector<std::string> found;
  for (const std::string& name : kNames)
    if (fs::exists(folder / name)) found.push_back(read_file(folder / name));
  return found;
}

TEST(FilesTogether, ReplaceOlderOnesAndLeaveNoOther) {
  const TemporaryFolder folder;
  write_together(folder, "old");
  EXPECT_THAT(found_in(folder), ElementsAre("old", "old", "old"));
  write_together(folder, "new");
  EXPECT_THAT(found_in(folder), ElementsAre("new", "new", "new"));
  EXPECT_EQ(names_in(folder.path()).size(), 3U);
}

TEST(FilesTogether, AreAllOldWhereOneCannotTakeItsPlace) {
  const TemporaryFolder folder;
  write_together(folder, "old");
  AtomicFile source(folder / kNames[0]), target(folder / kNames[1]);
  source.write("new");
  target.write("new");
  ASSERT_TRUE(fs::remove(folder / (kNames[1] + ".tmp." + std::to_string(::getpid()))));
  EXPECT_THAT(message_of<Failure>([&] {
                AtomicFile::commit_together({&source, &target});
              }),
              HasSubstr(kNames[1]));
  EXPECT_THAT(found_in(folder), ElementsAre("old", "old", "old"));
  EXPECT_EQ(names_in(folder.path()).size(), 3U);
}

// The writer is killed at sixty moments, of which some are between its first and last rename.
TEST(FilesTogether, AreNeverOfTwoAgesAfterAKill) {
  const TemporaryFolder folder;
  for (int kill = 0; kill < 60; ++kill) {
    const pid_t writer = ::fork();
    if (writer == 0) {
      for (int age = 0;; ++age) write_together(folder, std::to_string(1000 * kill + age));
    }
    ::usleep(static_cast<useconds_t>(1000 + 7919 * kill % 20000));
    ::kill(writer, SIGKILL);
    ASSERT_EQ(::waitpid(writer, nullptr, 0), writer);
    const std::vector<std::string> found = found_in(folder);
    for (const std::string& bytes : found) EXPECT_EQ(bytes, found.front());
  }
  write_together(folder, "whole");
  EXPECT_THAT(found_in(folder), ElementsAre("whole", "whole", "whole"));
  EXPECT_EQ(names_in(folder.path()).size(), 3U);
}

}  // namespace
}  // namespace heed
