// Paths as people write them where no shell reads them.
#include "base/shell_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "base/output_folder.h"
#include "message.h"
#include "temporary_folder.h"

namespace heed {
namespace {

using ::testing::IsEmpty;

/// Another environment, and an empty working folder, until it ends.
class ShellNames : public testing::Test {
 protected:
  ShellNames() {
    ::setenv("HOME", "/home/ada", 1);
    ::setenv("HEED_TEST_SET", "/scratch/ada", 1);
    ::unsetenv("HEED_TEST_UNSET");
    std::filesystem::current_path(folder_.path());
  }
  ~ShellNames() override {
    ::setenv("HOME", home_.c_str(), 1);
    std::filesystem::current_path(before_);
  }
  const std::string home_ = std::getenv("HOME") == nullptr ? "" : std::getenv("HOME");
  const std::filesystem::path before_ = std::filesystem::current_path();
  TemporaryFolder folder_;
};

TEST_F(ShellNames, AreNamedWithWhatAShellWouldHaveMadeOfThem) {
  for (const auto& [path, note] : std::vector<std::pair<std::string, std::string>>{
           {"~", "~; write /home/ada"},
           {"~/runs/x", "~; write /home/ada/runs/x"},
           {"$HEED_TEST_SET/x", "$HEED_TEST_SET; write /scratch/ada/x"},
           {"${HEED_TEST_SET}/x", "${HEED_TEST_SET}; write /scratch/ada/x"},
           {"~/a$HEED_TEST_SET", "~; write /home/ada/a/scratch/ada"},
           {"runs/${HEED_TEST_SET}b", "${HEED_TEST_SET}; write runs//scratch/adab"},
           {"~eve/runs", "~eve; write the path in full"},
           {"$HEED_TEST_UNSET/x", "$HEED_TEST_UNSET; write the path in full"},
           {"runs/${HEED_TEST_UNSET}", "${HEED_TEST_UNSET}; write the path in full"},
           {"runs/$(date +%F)", "$(date +%F); write the path in full"}}) {
    EXPECT_EQ(shell_note(path), "only a shell replaces " + note) << path;
    EXPECT_EQ(shell_hint(path), "; only a shell replaces " + note) << path;
    EXPECT_EQ(message_of<UserError>([&] { require_expanded(path); }),
              path + ": only a shell replaces " + note);
  }
}

TEST_F(ShellNames, AreNoneWhereAShellWouldHaveLeftThem) {
  for (const char* path :
       {"", "runs/x", "./~", "./~/x", "a~", "a/~/b", "~backup", "x~/y", "$", "$/x", "cost$5",
        "$1/x", "a$HEED_TEST_UNSET", "${", "${x", "${}/a", "${1}/a", "$(date", "$-/x"}) {
    EXPECT_EQ(shell_note(path), "") << path;
    EXPECT_NO_THROW(require_expanded(path)) << path;
  }
}

TEST_F(ShellNames, AreThoseOfFilesThatAreThere) {
  std::filesystem::create_directory("~");
  write_atomic("~/x", "");
  EXPECT_EQ(shell_note("~/runs/x"), "");
  std::filesystem::create_directory("~/$HEED_TEST_SET");
  make_folder("~/$HEED_TEST_SET/new");
  EXPECT_TRUE(std::filesystem::is_directory("~/$HEED_TEST_SET/new"));
}

TEST_F(ShellNames, MakeNoFilesAndFolders) {
  const auto fault = [](const auto& work) { return message_of<UserError>(work); };
  const std::string told = ": only a shell replaces ~; write /home/ada/a";
  EXPECT_EQ(fault([] { make_folder("~/a"); }), "~/a" + told);
  EXPECT_EQ(fault([] { write_atomic("~/a", "text"); }), "~/a" + told);
  EXPECT_EQ(fault([] { require_writable({"~/a"}); }), "~/a" + told);
  EXPECT_EQ(fault([] { const OutputFolder out("~/a"); }), "~/a" + told);
  EXPECT_EQ(fault([] { write_atomic("$HEED_TEST_UNSET.txt", "text"); }),
            "$HEED_TEST_UNSET.txt: only a shell replaces $HEED_TEST_UNSET; write the path in full");
  EXPECT_THAT(names_in("."), IsEmpty());
}

TEST_F(ShellNames, AreNamedWhereAFileIsMissing) {
  EXPECT_EQ(message_of<UserError>([] { require_file("~/train.de", "training source"); }),
            "training source: no file '~/train.de'; only a shell replaces ~; write "
            "/home/ada/train.de");
}

}  // namespace
}  // namespace heed
