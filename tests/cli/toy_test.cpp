// The command that docs/extending.md adds: one file and one line of a table. heed-toy is built with
// it, and nothing else in that program knows its name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "guide.h"
#include "program.h"
#include "temporary_folder.h"

namespace heed::cli {
namespace {

Result run_toy(const std::vector<std::string>& arguments) {
  const auto program = std::filesystem::path(paths::kHeed).parent_path() / "heed-toy";
  return subprocess::run(command_of(program.string(), arguments));
}

TEST(AToyCommand, IsOneOfTheTableWithoutAnotherEdit) {
  EXPECT_THAT(product(run_toy({"--help"})),
              ::testing::HasSubstr("Count the lines and the words of a text"));
  EXPECT_THAT(product(run_toy({"count", "--help"})), ::testing::HasSubstr("heed count corpus.en"));
  const TemporaryFolder folder;
  const std::string text = folder.write("text", "a b\nc\n");
  EXPECT_EQ(product(run_toy({"count", text})), "2 lines, 3 words\n");
  expect_mistake(run_toy({"count"}), {"file"});
  expect_mistake(run_toy({"cuont", text}), {"count"});  // did you mean
}

TEST(AToyCommand, IsThatOfTheGuide) {
  expect_in_guide("tests/cli/toy/count.cpp");
  expect_in_guide("tests/cli/toy/apps/commands.def");
}

}  // namespace
}  // namespace heed::cli
