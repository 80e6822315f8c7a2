#include "run/other_programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace heed::run {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(OtherUse, OfLittleIsToldWithoutAdvice) {
  const OtherUse little{.used = 0.14, .cores = 2}, none{.used = -0.02, .cores = 16};
  EXPECT_FALSE(little.matters());
  EXPECT_EQ(little.text(), "other programs use 0.1 of 2 cores");
  EXPECT_EQ(none.text(), "other programs use 0.0 of 16 cores");
  EXPECT_FALSE((OtherUse{.used = 0.3, .cores = 1}).matters());
}

TEST(OtherUse, OfMuchIsToldWithWhatToDo) {
  const OtherUse much{.used = 1.3, .cores = 2};
  EXPECT_TRUE(much.matters());
  EXPECT_EQ(much.text(),
            "other programs use 1.3 of 2 cores: what is measured here is uncertain, and trainings "
            "take longer. Stop them (`top` lists them) and call `heed doctor` again; to train "
            "beside them set threads: 1");
}

// They keep what they use; a third of a core is no reason to leave a whole one.
TEST(OtherUse, LeavesThreadsForATraining) {
  const auto threads = [](double used, int64_t cores) {
    return OtherUse{.used = used, .cores = cores}.threads_beside();
  };
  EXPECT_EQ(threads(-0.1, 4), 4);
  EXPECT_EQ(threads(0.3, 4), 4);
  EXPECT_EQ(threads(0.31, 4), 3);
  EXPECT_EQ(threads(1.25, 4), 3);
  EXPECT_EQ(threads(1.5, 4), 2);
  EXPECT_EQ(threads(3.4, 16), 12);
  EXPECT_EQ(threads(4, 4), 1);  // none is left, and one is the least
}

// Where all are taken there is no number of threads that would help, and no more than all are used.
TEST(OtherUse, OfASingleCoreNamesNoThreads) {
  const std::string text = OtherUse{.used = 1.02, .cores = 1}.text();
  EXPECT_THAT(text, HasSubstr("other programs use 1.0 of 1 core: "));
  EXPECT_THAT(text, Not(HasSubstr("threads")));
  EXPECT_THAT(text, EndsWith("call `heed doctor` again"));
}

}  // namespace
}  // namespace heed::run
