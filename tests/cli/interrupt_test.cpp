// SIGINT during commands that have files to take away: one line, exit code 1, and nothing is left.
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <thread>

#include "cli/program.h"
#include "cli/toy.h"

namespace heed::cli {
namespace {

namespace fs = std::filesystem;

/// Everything below a folder.
std::set<std::string> names_in(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    names.insert(fs::relative(entry.path(), folder).string());
  return names;
}

/// Starts a command and sends SIGINT as soon as it `has_begun`. It has to end as interrupted.
void interrupt(const std::vector<std::string>& arguments, const std::function<bool()>& has_begun,
               const std::string& last_line = "heed: interrupted") {
  const TemporaryFolder folder;
  const std::string log = folder / "log";
  subprocess::Child child = subprocess::start(arguments, log);
  while (!has_begun()) {
    if (child.finished()) FAIL() << "it has ended before the signal\n" << read_file(log);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  child.signal(SIGINT);
  EXPECT_EQ(child.wait(), 1);
  const auto lines = lines_of(read_file(log));
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(lines.back(), last_line) << read_file(log);
}

TEST(Interrupt, InitTakesAwayThePartsAndTheirFolders) {
  const TemporaryFolder folder;
  write_toy_pairs(folder, "corpus", 4000, 5);
  const auto before = names_in(folder.path());
  const std::string parts = folder / "data/parts";
  interrupt(command({"init", folder / "corpus.src", folder / "corpus.tgt", "-o",
                     folder / "mine.yaml", "--data", parts}),
            [&] { return fs::exists(parts); });
  EXPECT_EQ(names_in(folder.path()), before);
}

TEST(Interrupt, InitTakesAwayTheConfigurationThatItWrites) {
  const TemporaryFolder folder;
  write_toy_pairs(folder, "corpus", 4000, 5);
  const auto before = names_in(folder.path());
  const std::string config = folder / "new/mine.yaml";
  interrupt(command({"init", folder / "corpus.src", folder / "corpus.tgt", "-o", config, "--data",
                     folder / "data/parts"}),
            [&] { return fs::exists(config); });
  EXPECT_EQ(names_in(folder.path()), before);
}

TEST(Interrupt, DoctorTakesAwayWhereItsRanksMeet) {
  const TemporaryFolder temporary;
  std::vector<std::string> arguments = {"env", "TMPDIR=" + temporary.path()};
  for (const std::string& argument : command({"doctor", "--ranks", "2"}))
    arguments.push_back(argument);
  interrupt(
      arguments, [&] { return !fs::is_empty(temporary.path()); },
      "heed: interrupted, all 2 ranks have ended");
  EXPECT_TRUE(fs::is_empty(temporary.path()));
}

TEST(Interrupt, AlignTakesAwayHalfAFile) {
  const TemporaryFolder pairs, folder;
  write_toy_pairs(pairs, "text", 3000, 5);
  interrupt(command({"align", Toy::get().transformer, "--source", pairs / "text.src", "--target",
                     pairs / "text.tgt", "-o", folder / "links"}),
            [&] { return !fs::is_empty(folder.path()); });
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

}  // namespace
}  // namespace heed::cli
