#include "base/output_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <string>

#include "base/error.h"
#include "base/files.h"
#include "message.h"
#include "temporary_folder.h"

namespace heed {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

/// The names of all files in a folder, but for heed's list.
std::map<std::string, std::string> contents_of(const std::string& folder) {
  std::map<std::string, std::string> files;
  if (!fs::exists(folder)) return files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (const std::string name = entry.path().filename().string(); name != ".heed.files")
      files[name] = entry.is_regular_file() ? read_file(entry.path().string()) : "a folder";
  return files;
}

/// Writes these files as one set, of which a and b are the usual ones.
void write_set(const std::string& folder, const std::map<std::string, std::string>& files) {
  OutputFolder out(folder, {"a", "b"});
  for (const auto& [name, bytes] : files) write_atomic(out.path_of(name), bytes);
  out.commit();
}

struct OutputFolders : testing::Test {
  TemporaryFolder temporary;
  std::string out = temporary / "x/out";
};

TEST_F(OutputFolders, AreMadeWithAllFilesAtOnce) {
  {
    OutputFolder folder(out, {"a", "b"});
    write_atomic(folder.path_of("a"), "1");
    write_atomic(folder.temporary() + "/c", "3");
    EXPECT_FALSE(fs::exists(out + "/a"));
    folder.commit();
  }
  EXPECT_THAT(contents_of(out), ElementsAre(Pair("a", "1"), Pair("c", "3")));
}

TEST_F(OutputFolders, AreAsTheyWereWithoutCommit) {
  { const OutputFolder folder(out, {"a"}); }
  EXPECT_FALSE(fs::exists(out));
  write_set(out, {{"a", "old"}});
  {
    const OutputFolder folder(out, {"a"});
    write_atomic(folder.path_of("a"), "new");
  }
  EXPECT_THAT(contents_of(out), ElementsAre(Pair("a", "old")));
}

TEST_F(OutputFolders, HaveNothingOfTheOlderSetLeft) {
  write_set(out, {{"a", "old"}, {"c", "old"}});
  temporary.write("x/out/mine", "a user's");
  write_set(out, {{"b", "new"}});
  EXPECT_THAT(contents_of(out),  // c was not said to belong to them
              ElementsAre(Pair("b", "new"), Pair("c", "old"), Pair("mine", "a user's")));
}

TEST_F(OutputFolders, ReplaceOnlyWhatHeedWrote) {
  fs::create_directories(out);
  const auto expect_refused = [&](const std::string& name, const std::string& written) {
    const auto before = contents_of(out);
    EXPECT_THAT(message_of<UserError>([&] {
                  write_set(out, {{written, "new"}});
                }),
                ::testing::StartsWith(out + "/" + name + ": is there already"));
    EXPECT_EQ(contents_of(out), before);
  };
  temporary.write("x/out/b", "a user's");
  expect_refused("b", "a");
  expect_refused("b", "b");
  fs::remove(out + "/b");
  temporary.write("x/out/c", "a user's");
  expect_refused("c", "c");  // known only when it is written
  fs::remove(out + "/c");
  fs::create_directory(out + "/a");
  expect_refused("a", "a");
  fs::remove(out + "/a");
  write_set(out, {{"a", "1"}, {"b", "2"}});
  const std::string target = temporary.write("elsewhere", "a user's");
  fs::remove(out + "/b");
  fs::create_symlink(target, out + "/b");
  expect_refused("b", "b");
  EXPECT_EQ(read_file(target), "a user's");
}

TEST_F(OutputFolders, ForgetWhatTheyRemoved) {
  write_set(out, {{"a", "1"}, {"b", "2"}});
  write_set(out, {{"a", "1"}});
  temporary.write("x/out/b", "a user's");
  EXPECT_THROW(write_set(out, {{"a", "2"}}), UserError);
  EXPECT_EQ(read_file(out + "/b"), "a user's");
}

TEST_F(OutputFolders, KeepTheOldSetOnAFullDisk) {
  write_set(out, {{"a", "old"}, {"b", "old"}});
  const pid_t process = ::fork();
  if (process == 0) {
    // A file size limit stands in for a disk without room.
    const rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, SIG_IGN);
    const std::string said = message_of<Failure>([&] {
      write_set(out, {{"a", "new"}, {"b", std::string(5000, 'n')}});
    });
    ::_exit(said.ends_with("/b: cannot write: File too large") ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(process, &status, 0), process);
  EXPECT_EQ(status, 0);
  EXPECT_THAT(contents_of(out), ElementsAre(Pair("a", "old"), Pair("b", "old")));
}

TEST_F(OutputFolders, HaveNothingLeftOfAKilledWriter) {
  const pid_t dead = ::fork();
  if (dead == 0) ::_exit(0);
  ASSERT_EQ(::waitpid(dead, nullptr, 0), dead);
  fs::create_directories(out);
  for (const std::string& owner : {std::to_string(dead), std::to_string(::getppid())}) {
    fs::create_directory(out + "/.heed.tmp." + owner);
    temporary.write("x/out/.heed.tmp." + owner + "/a", "half");
  }
  temporary.write("x/out/notes.tmp." + std::to_string(dead), "a user's");
  write_set(out, {{"a", "new"}});
  EXPECT_THAT(contents_of(out),
              ElementsAre(Pair(".heed.tmp." + std::to_string(::getppid()), "a folder"),
                          Pair("a", "new"), Pair("notes.tmp." + std::to_string(dead), "a user's")));
}

TEST_F(OutputFolders, ThatCannotBeMadeAreAFailure) {
  temporary.write("x", "a file");
  EXPECT_THAT(message_of<Failure>([&] { const OutputFolder folder(out); }),
              ::testing::HasSubstr(out));
}

}  // namespace
}  // namespace heed
