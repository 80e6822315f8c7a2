#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <thread>

#include "base/error.h"
#include "base/files.h"
#include "compressed.h"
#include "message.h"
#include "temporary_folder.h"
#include "text/lines.h"

namespace heed::text {
namespace {

using testing::HasSubstr;

std::string fifo_in(const TemporaryFolder& folder) {
  const std::string path = folder / "fifo";
  EXPECT_EQ(::mkfifo(path.c_str(), 0600), 0);
  return path;
}

TEST(Spool, AStreamIsWhatCannotBeReadTwice) {
  const TemporaryFolder folder;
  EXPECT_TRUE(is_stream("-"));
  EXPECT_TRUE(is_stream("/dev/stdin"));
  EXPECT_TRUE(is_stream("/dev/fd/63"));
  EXPECT_TRUE(is_stream("/proc/self/fd/63"));
  EXPECT_TRUE(is_stream(fifo_in(folder)));
  EXPECT_TRUE(is_stream("/dev/null"));
  EXPECT_FALSE(is_stream("/dev/shm/train.de"));
  EXPECT_FALSE(is_stream(folder.write("text", "a\n")));
  EXPECT_FALSE(is_stream(folder / "none"));
  EXPECT_FALSE(is_stream(folder.path()));
  EXPECT_FALSE(is_stream(""));
}

TEST(Spool, KeepsAllOfAFifo) {
  const TemporaryFolder folder;
  const std::string fifo = fifo_in(folder);
  std::string lines;
  for (int i = 0; i < 300000; ++i) lines += std::to_string(i) + "\n";
  std::thread writer([&] { std::ofstream(fifo) << lines; });
  spool(fifo, folder / "kept");
  writer.join();
  EXPECT_TRUE(read_file(folder / "kept") == lines);
}

TEST(Spool, KeepsArchivesDecompressed) {
  const TemporaryFolder folder;
  spool(folder.write("a", gzip("ein\tone\n")), folder / "kept");
  EXPECT_EQ(read_file(folder / "kept"), "ein\tone\n");
  spool(folder.write("a", zstd("zwei\ttwo\n")), folder / "kept");
  EXPECT_EQ(read_file(folder / "kept"), "zwei\ttwo\n");
}

TEST(Spool, KeepsNothingOfWhatIsNotWhole) {
  const TemporaryFolder folder;
  const std::string whole = gzip("ein\tone\n");
  const std::string cut = folder.write("cut.gz", whole.substr(0, whole.size() - 4));
  EXPECT_THAT(message_of<UserError>([&] { spool(cut, folder / "kept"); }),
              HasSubstr(cut + ": the gzip archive ends before its end"));
  EXPECT_FALSE(std::filesystem::exists(folder / "kept"));
  const std::string empty = folder.write("empty", "");
  EXPECT_EQ(message_of<UserError>([&] { spool(empty, folder / "kept"); }),
            empty + " is empty; expected one sentence a line");
  EXPECT_FALSE(std::filesystem::exists(folder / "kept"));
}

}  // namespace
}  // namespace heed::text
