#include "base/descriptor.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

#include "base/subprocess.h"

namespace heed {
namespace {

TEST(MemoryFile, IsReadByItsPathAlsoByOtherPrograms) {
  const std::string bytes = std::string(70001, 'a') + '\n' + std::string(1, '\0') + "end";
  const MemoryFile file("heed-test", bytes);
  std::ifstream in(file.path(), std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), bytes);
  EXPECT_EQ(subprocess::run({"cat", file.path()}).out, bytes);
}

TEST(MemoryFile, MayBeEmpty) {
  const MemoryFile file("heed-test", "");
  EXPECT_EQ(subprocess::run({"cat", file.path()}).status, 0);
}

TEST(MemoryFile, IsGoneWithItsObject) {
  std::string path;
  {
    const MemoryFile file("heed-test", "abc");
    path = file.path();
    EXPECT_TRUE(std::filesystem::exists(path));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(MemoryFile, SaysWhyTheSystemRefusesIt) {
  const subprocess::Result ended = subprocess::run_in_copy([] {
    const rlimit most{5, 5};
    setrlimit(RLIMIT_FSIZE, &most);
    std::signal(SIGXFSZ, SIG_IGN);
    try {
      const MemoryFile file("heed-test", "seventy");
      return std::string("made");
    } catch (const std::system_error& error) {
      return std::to_string(error.code().value());
    }
  });
  EXPECT_EQ(ended.out, std::to_string(EFBIG));
}

}  // namespace
}  // namespace heed
