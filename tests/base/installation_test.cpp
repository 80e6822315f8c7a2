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

}  // namespace
}  // namespace heed
