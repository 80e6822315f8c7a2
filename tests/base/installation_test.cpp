#include "base/installation.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace heed {
namespace {

// What an installed program finds is in tests/install.
TEST(Installation, AProgramInABuildFolderHasNothingAroundIt) {
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
  ASSERT_TRUE(std::filesystem::is_regular_file(program));
  EXPECT_FALSE(installed_file(program.parent_path().filename().string() + "/" +
                              program.filename().string()));
}

TEST(Plugin, ThatIsMissingIsNamedBesideTheProgram) {
  const Plugin plugin = open_plugin("libheed_nothing.so", "anything", "this needs ");
  EXPECT_EQ(plugin.function, nullptr);
  const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  EXPECT_TRUE(
      plugin.problem.starts_with("this needs " + (folder / "libheed_nothing.so: ").string()))
      << plugin.problem;
  EXPECT_TRUE(plugin.problem.ends_with("; docs/gpu.md says how it is built")) << plugin.problem;
}

}  // namespace
}  // namespace heed
