#include "base/lfs_pointer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "message.h"

namespace heed {
namespace {

// A pointer as `git clone` leaves it with GIT_LFS_SKIP_SMUDGE=1 (git-lfs 3.3.0).
const std::string kPointer =
    "version https://git-lfs.github.com/spec/v1\n"
    "oid sha256:f1de62f9672cf7bf895ed6adc3b48d3bcec426bd594686e7a52172ce972ef0b0\n"
    "size 3000\n";

TEST(LfsPointer, IsToldByItsFirstTwoLines) {
  EXPECT_TRUE(is_lfs_pointer(kPointer));
  EXPECT_TRUE(is_lfs_pointer(kPointer.substr(0, 100)));
  const std::string version = "version https://git-lfs.github.com/spec/v1";
  const std::vector<std::string> others = {"",
                                           "version 1\noid sha256:f1\n",
                                           version,
                                           version + "\nis its first line\n",
                                           version + " oid sha256:f1\n",
                                           " " + kPointer};
  for (const std::string& text : others) EXPECT_FALSE(is_lfs_pointer(text)) << text;
}

TEST(LfsPointer, NamesTheFileAndTheCure) {
  EXPECT_NO_THROW(require_no_lfs_pointer("weights", "model.npz"));
  const std::string message =
      message_of<UserError>([] { require_no_lfs_pointer(kPointer, "a/model.npz"); });
  EXPECT_EQ(message,
            "a/model.npz: is a Git LFS pointer, not the file itself; fetch it with `git lfs pull` "
            "in its folder");
}

}  // namespace
}  // namespace heed
