// How many lines are translated together.
#include "decode/search/input.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "temporary_folder.h"

namespace heed::decode {
namespace {

std::vector<std::size_t> chunks_of(const std::string& text, std::size_t most) {
  const TemporaryFolder folder;
  Input input({.file = folder.write("text", text)});
  std::vector<std::size_t> sizes;
  for (InputChunk chunk = input.next(most); !chunk.lines.empty(); chunk = input.next(most))
    sizes.push_back(chunk.lines.size());
  return sizes;
}

TEST(InputChunks, HaveFewerLongLines) {
  EXPECT_EQ(chunks_of("a\nb\nc\nd\ne\n", 3), std::vector<std::size_t>({3, 2}));
  // 2^32 bytes squared: four of 2^15, one of 2^16.
  const std::string half = std::string(1 << 15, 'a') + "\n",
                    whole = std::string(1 << 16, 'a') + "\n";
  EXPECT_EQ(chunks_of("a\n" + half + half + half + half + "b\n", 9),
            std::vector<std::size_t>({5, 1}));
  EXPECT_EQ(chunks_of(whole + whole + "a\nb\n" + half, 9), std::vector<std::size_t>({1, 1, 3}));
}

TEST(Input, LinesInAnotherEncodingAreToldHoweverFew) {
  testing::internal::CaptureStderr();
  chunks_of(
      "Ein gro\xDF"
      "er Hund.\nHunde\nM\xE4nner\n",
      9);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("text:1: not UTF-8, as 2 lines in all; U+FFFD is translated"), said.npos)
      << said;
  EXPECT_NE(said.find("iconv -f WINDOWS-1252"), said.npos) << said;
  testing::internal::CaptureStderr();
  chunks_of("\u00E4\n\u00DF\n", 1);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Input, ANulByteIsABlankAndNoMistakeOfEncoding) {
  const auto said = [](const std::string& text) {
    testing::internal::CaptureStderr();
    chunks_of(text, 9);
    return testing::internal::GetCapturedStderr();
  };
  using std::string_literals::operator""s;
  const std::string few = said("a\nb\0c\nd\u00E4\n"s);
  EXPECT_NE(few.find("text:2: a NUL byte, as in 1 line in all; NUL is translated as a blank\n"),
            few.npos)
      << few;
  const std::string most = said("a\0b\0\nc\0\n"s);  // UTF-16 without its mark
  EXPECT_NE(most.find("as a blank. If the text is UTF-16, convert it: iconv -f UTF-16LE"),
            most.npos)
      << most;
  const std::string both = said("b\0c\nd\xE4\n"s);
  EXPECT_NE(both.find("text:1: not UTF-8, as 2 lines in all"), both.npos) << both;
}

TEST(Input, OfAPageIsReadLineByLineAndAPointerIsRefused) {
  EXPECT_EQ(chunks_of("<!DOCTYPE html>\n<p>\na\n", 9), std::vector<std::size_t>({3}));
  EXPECT_THROW(chunks_of("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n", 9),
               UserError);
}

}  // namespace
}  // namespace heed::decode
