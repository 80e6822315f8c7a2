#include <gtest/gtest.h>
#include <sys/stat.h>

#include "temporary_folder.h"
#include "text/lines.h"

namespace heed::text {
namespace {

TEST(Stream, IsWhatCannotBeReadTwice) {
  const TemporaryFolder folder;
  const std::string fifo = folder / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_TRUE(is_stream("-"));
  EXPECT_TRUE(is_stream("/dev/stdin"));
  EXPECT_TRUE(is_stream("/dev/fd/63"));
  EXPECT_TRUE(is_stream("/proc/self/fd/63"));
  EXPECT_TRUE(is_stream(fifo));
  EXPECT_TRUE(is_stream("/dev/null"));
  EXPECT_FALSE(is_stream("/dev/shm/train.de"));
  EXPECT_FALSE(is_stream(folder.write("text", "a\n")));
  EXPECT_FALSE(is_stream(folder / "none"));
  EXPECT_FALSE(is_stream(folder.path()));
  EXPECT_FALSE(is_stream(""));
}

}  // namespace
}  // namespace heed::text
