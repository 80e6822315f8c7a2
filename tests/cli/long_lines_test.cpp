// Lines of hundreds of words, whose attention takes memory that grows with their square.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/program.h"
#include "cli/toy.h"

namespace heed::cli {
namespace {

using ::testing::HasSubstr;

TEST(Faithful, AndHeadsLeaveOutALineThatIsTooLong) {
  const TemporaryFolder folder;
  const auto measure = [&](const std::string& command, const std::string& more) {
    const std::string source = folder.write("s", "a b\n" + more + "c d e\n"),
                      target = folder.write("t", "b a\n" + more + "e d c\n");
    std::vector<std::string> words{command, Toy::get().transformer, "--source", source, "--target",
                                   target};
    if (command == "faithful")
      words.insert(words.end(), {"--draws", "1", "--integration-steps", "1"});
    return run_heed(words);
  };
  std::string endless;
  for (int i = 0; i < 1100; ++i) endless += "a ";
  for (const std::string command : {"heads", "faithful"}) {
    const Result without = measure(command, "\n"), with = measure(command, endless + "\n");
    EXPECT_EQ(product(with), product(without));
    EXPECT_THAT(with.err, HasSubstr("s: 1 line left out, line 2 first: a side has more than 1024 "
                                    "pieces"));
  }
  const std::string file = folder.write("s", "a b\n" + endless + "\n");
  expect_mistake(run_heed({"score", Toy::get().transformer, file, file}),
                 {"line 2 has 1100 pieces, and pairs are read up to 1024",
                  "raise decoding.max_source_length"});
}

TEST(Attention, OfALongSentenceHasPicturesOfPixels) {
  const TemporaryFolder folder;
  std::string line;
  for (int i = 0; i < 200; ++i) line += "a ";
  const std::string out = folder / "maps";
  const Result result = run_heed({"attention", Toy::get().transformer, "--text", line, "--target",
                                  line, "--head", "all", "-o", out});
  EXPECT_EQ(product(result), "");
  EXPECT_THAT(result.err, HasSubstr("pictures of more than 16,384 weights have a pixel for each"));
  std::size_t pictures = 0;
  for (const auto& entry : std::filesystem::directory_iterator(out)) {
    if (entry.path().extension() != ".svg") continue;
    ++pictures;
    EXPECT_LT(entry.file_size(), 1000000U) << entry.path();  // 8 MB each before
  }
  EXPECT_EQ(pictures, 2U * 4 + 1);
  EXPECT_EQ(lines_of(read_file(out + "/attention.csv")).size(), 1 + 2U * 4 * 201 * 201);
}

}  // namespace
}  // namespace heed::cli
