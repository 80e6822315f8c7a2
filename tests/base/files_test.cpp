#include "base/files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "base/atomic_file.h"
#include "base/error.h"
#include "message.h"
#include "temporary_folder.h"

namespace heed {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::size_t files_in(const TemporaryFolder& folder) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path()))
    ++count;
  return count;
}

TEST(Files, BytesComeBackAsTheyWere) {
  const TemporaryFolder folder;
  const std::string bytes("a\0b\r\n\xFF", 6);
  write_atomic(folder / "x", bytes);
  EXPECT_EQ(read_file(folder / "x"), bytes);
  write_atomic(folder / "x", "");
  EXPECT_EQ(read_file(folder / "x"), "");
}

TEST(Files, FilesLargerThanOneReadComeBackWhole) {
  const TemporaryFolder folder;
  std::string bytes(3'333'337, 'x');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 31 % 251);
  write_atomic(folder / "x", bytes);
  EXPECT_EQ(read_file(folder / "x"), bytes);
}

TEST(Files, WritingReplacesTheFileAndLeavesNoOther) {
  const TemporaryFolder folder;
  folder.write("x", "old and longer");
  write_atomic(folder / "x", "new");
  EXPECT_EQ(read_file(folder / "x"), "new");
  EXPECT_EQ(files_in(folder), 1U);
}

TEST(Files, WhetherTheyCanBeWrittenIsKnownBeforeAndChangesNothing) {
  const TemporaryFolder folder;
  folder.write("x", "old");
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  require_writable({folder / "x", folder / "new", "", folder / "fifo", "/dev/null"});
  EXPECT_EQ(read_file(folder / "x"), "old");
  EXPECT_EQ(files_in(folder), 2U);
  EXPECT_THROW(require_writable({folder / "x", folder / "no/x"}), Failure);
  EXPECT_THROW(require_writable({folder.path()}), Failure);
}

TEST(Files, NoOutputReplacesAnInputOrAnotherOutputByWhateverPath) {
  const TemporaryFolder folder;
  folder.write("x", "read");
  std::filesystem::create_symlink("x", folder / "link");
  const std::string x = folder / "x";
  for (const std::string& output : {x, folder / "./x", folder / "link"})
    EXPECT_THAT(message_of<UserError>([&] {
                  require_writable({output}, {"", x});
                }),
                HasSubstr(output + ": is read by this command"));
  EXPECT_THAT(message_of<UserError>([&] { require_writable({x}, {x + "#de"}); }),
              HasSubstr(x + ": is read by this command"));
  const std::string other = folder / "./new";
  EXPECT_THAT(message_of<UserError>([&] {
                require_writable({folder / "new", other});
              }),
              HasSubstr(other + ": would be written twice"));
  require_writable({"/dev/null", "", "/dev/null", folder / "new", ""}, {"/dev/null", "", x});
  EXPECT_EQ(read_file(x), "read");
}

TEST(Files, AreNamedByTheirLastNameWhereThatSuffices) {
  EXPECT_THAT(distinct_names({"a/x", "a/y/", "b/x", "z"}), ElementsAre("a/x", "y", "b/x", "z"));
  EXPECT_THAT(message_of<UserError>([] {
                distinct_names({"a/x", "y", "a/x"});
              }),
              HasSubstr("a/x: is named twice"));
}

TEST(Files, WithoutCommitTheOldFileStays) {
  const TemporaryFolder folder;
  folder.write("x", "old");
  {
    AtomicFile file(folder / "x");
    file.write("new");
  }
  EXPECT_EQ(read_file(folder / "x"), "old");
  EXPECT_EQ(files_in(folder), 1U);
}

TEST(Files, AFullDiskIsAFailureThatNamesTheFileAndKeepsTheOldOne) {
  const TemporaryFolder folder;
  folder.write("x", "old");
  const pid_t process = ::fork();
  if (process == 0) {
    // A file size limit stands in for a disk without room.
    const rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, SIG_IGN);
    const std::string said =
        message_of<Failure>([&] { write_atomic(folder / "x", std::string(5000, 'n')); });
    ::_exit(said == folder / "x" + ": cannot write: File too large" ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(process, &status, 0), process);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(read_file(folder / "x"), "old");
  EXPECT_EQ(files_in(folder), 1U);
}

TEST(Files, AMissingFolderIsAFailureThatNamesTheFile) {
  const TemporaryFolder folder;
  EXPECT_EQ(message_of<Failure>([&] { write_atomic(folder / "no/x", "new"); }),
            folder / "no/x" + ": cannot write: No such file or directory");
}

/// Everything that comes out of `descriptor` until its end.
std::string read_all(int descriptor) {
  std::string text;
  char piece[64];
  for (ssize_t got; (got = ::read(descriptor, piece, sizeof piece)) > 0;)
    text.append(piece, static_cast<std::size_t>(got));
  return text;
}

TEST(Files, ALinkStaysAndItsTargetIsReplaced) {
  const TemporaryFolder folder;
  folder.write("deep/file", "old");
  std::filesystem::create_symlink("deep/file", folder / "near");
  std::filesystem::create_symlink(folder / "near", folder / "far");
  write_atomic(folder / "far", "new");
  EXPECT_EQ(read_file(folder / "deep/file"), "new");
  EXPECT_EQ(std::filesystem::read_symlink(folder / "near"), "deep/file");
  EXPECT_EQ(std::filesystem::read_symlink(folder / "far"), folder / "near");
  EXPECT_EQ(files_in(folder), 3U);
}

TEST(Files, TheTargetOfALinkIsMadeWhereThereIsNone) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "deep");
  std::filesystem::create_symlink("deep/file", folder / "link");
  write_atomic(folder / "link", "new");
  EXPECT_EQ(read_file(folder / "deep/file"), "new");
  EXPECT_EQ(std::filesystem::read_symlink(folder / "link"), "deep/file");
}

TEST(Files, LinksInACircleAreAFailure) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("a", folder / "b");
  std::filesystem::create_symlink("b", folder / "a");
  EXPECT_EQ(message_of<Failure>([&] { write_atomic(folder / "a", "new"); }),
            folder / "a" + ": cannot write: Too many levels of symbolic links");
}

TEST(Files, APipeWithANameIsWrittenToAndStays) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  // Open for reading, so that nobody waits for the other side.
  const int reader = ::open((folder / "pipe").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  write_atomic(folder / "pipe", "new");
  EXPECT_EQ(read_all(reader), "new");
  ::close(reader);
  EXPECT_TRUE(std::filesystem::is_fifo(folder / "pipe"));
  EXPECT_EQ(files_in(folder), 1U);
}

TEST(Files, ADeviceIsWrittenTo) {
  // A terminal: a device that nobody else looks at.
  const int controller = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  ASSERT_EQ(::grantpt(controller), 0);
  ASSERT_EQ(::unlockpt(controller), 0);
  const std::string device = ::ptsname(controller);
  const int held = ::open(device.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC);  // or its text is lost
  write_atomic(device, "new");
  char text[8] = {};
  EXPECT_EQ(::read(controller, text, sizeof text), 3);
  EXPECT_STREQ(text, "new");
  EXPECT_TRUE(std::filesystem::is_character_file(device));
  ::close(held);
  ::close(controller);
}

TEST(Files, ADescriptorOfThisProcessIsWrittenToWhereItStands) {
  const TemporaryFolder folder;
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  write_atomic("/dev/fd/" + std::to_string(ends[1]), "to a pipe");
  ::close(ends[1]);
  EXPECT_EQ(read_all(ends[0]), "to a pipe");
  ::close(ends[0]);
  folder.write("log", "before, ");
  const int log = ::open((folder / "log").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  write_atomic("/proc/self/fd/" + std::to_string(log), "after");
  ::close(log);
  EXPECT_EQ(read_file(folder / "log"), "before, after");
  EXPECT_EQ(files_in(folder), 1U);
}

TEST(Files, ADescriptorWhoseNumberDoesNotFitIsNone) {
  const std::string path = "/proc/self/fd/99999999999";
  EXPECT_EQ(message_of<Failure>([&] { write_atomic(path, "to nobody"); }),
            path + ": cannot write: No such file or directory");
}

TEST(Files, AFolderIsRefusedBeforeAnythingIsWritten) {
  const TemporaryFolder folder;
  EXPECT_EQ(message_of<Failure>([&] { const AtomicFile file(folder.path()); }),
            folder.path() + ": cannot write: Is a directory");
}

TEST(Files, WhatAKilledWriterLeftIsRemovedByTheNext) {
  const TemporaryFolder folder;
  const pid_t dead = ::fork();
  if (dead == 0) ::_exit(0);
  ASSERT_EQ(::waitpid(dead, nullptr, 0), dead);
  folder.write("x.tmp." + std::to_string(dead), "half");
  folder.write("x.tmp." + std::to_string(::getppid()), "somebody else's, alive");
  folder.write("x.tmp.notes", "a user's own");
  write_atomic(folder / "x", "new");
  EXPECT_EQ(files_in(folder), 3U);
  EXPECT_FALSE(std::filesystem::exists(folder / ("x.tmp." + std::to_string(dead))));
}

TEST(Files, AMissingFileNamesItsNeighbour) {
  const TemporaryFolder folder;
  folder.write("train.de", "");
  EXPECT_EQ(message_of<UserError>([&] { require_file(folder / "trian.de", "training source"); }),
            "training source: no file '" + folder / "trian.de" + "'; did you mean '" +
                folder / "train.de" + "'?");
}

TEST(Files, AMissingFileNamesItsCompressedForm) {
  const TemporaryFolder folder;
  folder.write("train.de.gz", "");
  folder.write("train.dx", "");
  EXPECT_THAT(message_of<UserError>([&] { require_file(folder / "train.de", "source"); }),
              HasSubstr("did you mean '" + folder / "train.de.gz" + "'?"));
}

TEST(Files, AMissingFolderIsSaidToBeMissing) {
  const TemporaryFolder folder;
  EXPECT_EQ(message_of<UserError>([&] { require_file(folder / "a/b.de", "source"); }),
            "source: no file '" + folder / "a/b.de" + "'; there is no folder '" + folder / "a" +
                "' either");
}

TEST(Files, AnAddressIsNotAFile) {
  EXPECT_EQ(
      message_of<UserError>([&] { require_file("https://a.org/b.de", "source"); }),
      "source: no file 'https://a.org/b.de'; it is an address, and files alone are read; fetch "
      "it first");
  EXPECT_EQ(message_of<UserError>([&] { require_file("file:///a/b.de", "source"); }),
            "source: no file 'file:///a/b.de'; write the path alone, without 'file://'");
}

TEST(Files, AFolderIsNotAFile) {
  const TemporaryFolder folder;
  EXPECT_EQ(message_of<UserError>([&] { require_file(folder.path(), "source"); }),
            "source: '" + folder.path() + "' is a folder, expected a file");
  EXPECT_EQ(message_of<UserError>([&] { read_file(folder.path()); }),
            folder.path() + ": is a folder, expected a file");
}

TEST(Files, ANameThatIsTooLongIsSaidToBe) {
  const std::string path = "/tmp/" + std::string(300, 'x') + "/y";
  const std::string reason = "': File name too long";
  EXPECT_EQ(message_of<UserError>([&] { require_file(path, "source"); }),
            "source: cannot read '" + path + reason);
  EXPECT_THAT(message_of<Failure>([&] { make_folder(path); }),
              HasSubstr(path + ": cannot make the folder: File name too long"));
  EXPECT_EQ(message_of<Failure>([&] { write_atomic(path, "new"); }),
            path + ": cannot write: File name too long");
}

TEST(Files, FoldersAreMadeWithThoseAboveThem) {
  const TemporaryFolder folder;
  make_folder(folder / "a/b/c/");
  make_folder(folder / "a/b/c");
  EXPECT_TRUE(std::filesystem::is_directory(folder / "a/b/c"));
  folder.write("file", "");
  EXPECT_THAT(message_of<Failure>([&] { make_folder(folder / "file"); }),
              HasSubstr(folder / "file" + ": cannot make the folder: "));
}

}  // namespace
}  // namespace heed
