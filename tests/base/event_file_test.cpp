#include "base/event_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "temporary_folder.h"

namespace heed {
namespace {

// RFC 3720, B.4: the CRC-32C of 32 zeros and of 0, 1, ..., 31; unmasked here.
uint32_t unmasked(uint32_t masked) {
  const uint32_t rotated = masked - 0xA282EAD8U;
  return rotated << 15 | rotated >> 17;
}

TEST(MaskedCrc32c, IsThatOfTheStandard) {
  EXPECT_EQ(unmasked(masked_crc32c(std::string(32, '\0'))), 0x8A9136AAU);
  std::string rising;
  for (char c = 0; c < 32; ++c) rising += c;
  EXPECT_EQ(unmasked(masked_crc32c(rising)), 0x46DD794EU);
}

uint64_t number_at(const std::string& bytes, std::size_t at, std::size_t size) {
  uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;) value = value << 8 | static_cast<uint8_t>(bytes[at + i]);
  return value;
}

/// The messages of a file whose checksums are right.
std::vector<std::string> messages_of(const std::string& path) {
  const std::string bytes = read_file(path);
  std::vector<std::string> messages;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t length = number_at(bytes, at, 8);
    EXPECT_EQ(number_at(bytes, at + 8, 4), masked_crc32c(bytes.substr(at, 8)));
    messages.push_back(bytes.substr(at + 12, length));
    EXPECT_EQ(number_at(bytes, at + 12 + length, 4), masked_crc32c(messages.back()));
    at += 16 + length;
  }
  return messages;
}

// Event: 1 wall time (double), 2 step (number), 5 summary; in it 1 value: 1 tag, 2 number (float).
TEST(EventFile, HoldsScalarsAsTensorBoardReadsThem) {
  const TemporaryFolder folder;
  std::string path;
  {
    EventFile file(folder.path());
    path = file.path();
    file.scalar("loss", 2.5, 300, 1.0);
  }
  const auto messages = messages_of(path);
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_TRUE(
      messages[0].ends_with("\x1a\x0d"
                            "brain.Event:2"));
  EXPECT_EQ(messages[1], std::string("\x09\0\0\0\0\0\0\xf0\x3f"                       // 1.0
                                     "\x10\xac\x02"                                   // 300
                                     "\x2a\x0d\x0a\x0b\x0a\x04loss\x15\0\0\x20\x40",  // 2.5
                                     27));
}

TEST(EventFile, OfARunThatBeginsAgainReplacesTheOldOne) {
  const TemporaryFolder folder;
  {
    EventFile file(folder.path());
    EXPECT_TRUE(is_event_file(std::filesystem::path(file.path()).filename().string()));
    EXPECT_FALSE(is_event_file("events"));
  }
  folder.write("events", "kept");
  remove_event_files(folder.path());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()),
                          std::filesystem::directory_iterator()),
            1);
  EXPECT_THROW(EventFile(folder / "nowhere"), Failure);
}

}  // namespace
}  // namespace heed
