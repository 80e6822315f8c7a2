#include "base/scratch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>
#include <utility>

#include "base/descriptor.h"
#include "base/error.h"
#include "message.h"
#include "temporary_folder.h"

namespace heed {
namespace {

std::string_view content(const Scratch& scratch) {
  return {scratch.data(), scratch.size()};
}

TEST(Scratch, StaysInMemoryWhileItIsSmallOrHasNoFolder) {
  const TemporaryFolder folder;
  Scratch small(folder.path(), 8), homeless(std::string(), 2);
  small.append("abc");
  small.append("defgh");
  small.seal();
  homeless.append("abcdefgh");
  homeless.seal();
  EXPECT_EQ(content(small), "abcdefgh");
  EXPECT_EQ(small.on_disk(), 0);
  EXPECT_EQ(content(homeless), "abcdefgh");
  EXPECT_EQ(homeless.on_disk(), 0);
}

TEST(Scratch, GoesToAFileThatHasNoNameAndSurvivesAMove) {
  const TemporaryFolder folder;
  Scratch scratch(folder.path(), 3);
  for (const char* part : {"ab", "cde", "", "f", "gh"}) scratch.append(part);
  scratch.seal();
  EXPECT_EQ(scratch.on_disk(), 8);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  Scratch moved = std::move(scratch);
  EXPECT_EQ(content(moved), "abcdefgh");
  Scratch other;
  other = std::move(moved);
  EXPECT_EQ(content(other), "abcdefgh");
}

TEST(Scratch, EmptyIsFine) {
  const TemporaryFolder folder;
  Scratch scratch(folder.path(), 3);
  scratch.seal();
  EXPECT_EQ(scratch.size(), 0);
}

TEST(Scratch, IsMappedByWhoKnowsItsAddress) {
  const TemporaryFolder folder;
  Scratch scratch(ScratchFolder(folder.path(), true)), empty(ScratchFolder(folder.path(), true));
  scratch.append("abc");
  scratch.append("de");
  scratch.seal();
  empty.seal();
  EXPECT_EQ(content(Scratch::at(scratch.address())), "abcde");
  EXPECT_EQ(Scratch::at(empty.address()).size(), 0);
  EXPECT_THAT(message_of<Failure>([] { Scratch::at("1/98765/3"); }),
              testing::HasSubstr("/proc/1/fd/98765"));
}

TEST(Scratch, NamesAFolderThatTakesNoFile) {
  Scratch scratch(std::string("/nowhere/at/all"), 1);
  EXPECT_THAT(message_of<Failure>([&] { scratch.append("abc"); }),
              testing::HasSubstr("/nowhere/at/all"));
}

TEST(ScratchArray, KeepsValuesPastItsMemory) {
  const TemporaryFolder folder;
  ScratchArray<int64_t> array(folder.path());
  std::vector<int64_t> values(300001);
  std::iota(values.begin(), values.end(), -7);
  array.append(std::span(values).first(7));
  for (int64_t i = 7; i < std::ssize(values); ++i) array.push_back(values[i]);
  array.seal();
  EXPECT_GT(array.on_disk(), 0);
  ASSERT_EQ(array.size(), std::ssize(values));
  EXPECT_EQ(array[0], -7);
  const auto all = array.slice(0, array.size());
  EXPECT_TRUE(std::equal(all.begin(), all.end(), values.begin()));
}

}  // namespace
}  // namespace heed
