// The command and the page that docs/extending.md adds, and of which heed-toy is built: nothing
// else in that program knows their names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/files.h"
#include "guide.h"
#include "program.h"
#include "temporary_folder.h"

namespace heed::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Result run_toy(const std::vector<std::string>& arguments) {
  const auto program = std::filesystem::path(paths::kHeed).parent_path() / "heed-toy";
  return subprocess::run(command_of(program.string(), arguments));
}

TEST(AToyCommand, IsOneOfTheTableWithoutAnotherEdit) {
  EXPECT_THAT(product(run_toy({"--help"})),
              HasSubstr("Write a page with sentences beside their translations"));
  EXPECT_THAT(product(run_toy({"pairs", "--help"})), HasSubstr("heed pairs test.de test.en"));
  const TemporaryFolder folder;
  const std::string source = folder.write("source", "a < b\nc\n"),
                    target = folder.write("target", "d\ne\n"), page = folder / "page.html";
  product(run_toy({"pairs", source, target, "-o", page}));
  EXPECT_THAT(
      read_file(page),
      AllOf(StartsWith("<!DOCTYPE html>"), HasSubstr("<p class=\"headline\">2 sentences</p>"),
            HasSubstr("a &lt; b"), HasSubstr("<td data-name=\"translation\">e</td>")));
  expect_mistake(run_toy({"pairs", source}), {"target"});
  expect_mistake(run_toy({"pairs", source, folder.write("short", "d\n")}), {"source", "short"});
  expect_mistake(run_toy({"piars", source, target}), {"pairs"});  // did you mean
}

TEST(AToyCommand, IsThatOfTheGuide) {
  expect_in_guide("tests/cli/toy/pairs.cpp");
  expect_in_guide("tests/cli/toy/apps/commands.def");
}

}  // namespace
}  // namespace heed::cli
