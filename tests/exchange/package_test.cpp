// Folders and zip archives of model files, sound and hostile.
#include "exchange/package.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "exchange/archives.h"
#include "exchange/zip_archive.h"
#include "message.h"
#include "temporary_folder.h"

namespace heed::exchange {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::zip, testing::Zipped;

const std::string kText = "abcabcabcabcabcabcabc";

std::string archive_refusal(const std::string& archive, const std::string& file = "a") {
  return message_of<UserError>([&] { ZipArchive({archive}, "m.zip").read(file); });
}

TEST(Package, OfAFolderHasTheFilesBelowIt) {
  const TemporaryFolder folder;
  folder.write("b.txt", "bb");
  folder.write("empty", "");
  folder.write("model/model.bin", "numbers");
  folder.write("1/2/3/deep", "x");
  folder.write("1/2/3/4/too_deep", "x");
  folder.write(".git/object", "x");
  std::filesystem::create_symlink("b.txt", folder / "link");
  for (const std::string& path : {folder.path(), folder.path() + "/"}) {
    const Package package(path);
    EXPECT_THAT(package.files(),
                ElementsAre("1/2/3/deep", "b.txt", "empty", "link", "model/model.bin"));
    EXPECT_TRUE(package.has("model/model.bin"));
    EXPECT_FALSE(package.has("model"));
    EXPECT_EQ(package.read("model/model.bin").view, "numbers");
    EXPECT_EQ(package.read("link").view, "bb");
    EXPECT_EQ(package.read("empty").view, "");
    EXPECT_EQ(package.place_of("b.txt"), folder / "b.txt");
  }
  EXPECT_EQ(message_of<UserError>([&] { Package(folder.path()).read("../b.txt"); }),
            folder / "../b.txt: no such file");
  EXPECT_EQ(message_of<UserError>([&] { Package(folder / "none"); }),
            folder / "none: no such file");
  EXPECT_EQ(message_of<UserError>([&] { Package(folder / "b.txt"); }),
            folder / "b.txt: no zip archive, or truncated");
}

TEST(Package, OfAnArchiveLeavesItsFolderOut) {
  const TemporaryFolder folder;
  const std::string path = folder.write(
      "de_en.argosmodel",
      zip({{"de_en/", ""}, {"de_en/model/model.bin", kText, true}, {"de_en/config.json", "{}"}}));
  const Package package(path);
  EXPECT_THAT(package.files(), ElementsAre("config.json", "model/model.bin"));
  EXPECT_EQ(package.read("config.json").view, "{}");
  EXPECT_EQ(package.read("model/model.bin").view, kText);
  EXPECT_EQ(package.place_of("config.json"), path + ": config.json");
  EXPECT_EQ(message_of<UserError>([&] { package.read("de_en/config.json"); }),
            path + ": de_en/config.json: no such file");

  const std::string two = folder.write("two.zip", zip({{"a/x", "1"}, {"a.x", "2"}}));
  EXPECT_THAT(Package(two).files(), ElementsAre("a.x", "a/x"));
}

TEST(Package, KnowsNoFileOutsideOfAnArchive) {
  const TemporaryFolder folder;
  const std::string path = folder.write("hostile.zip", zip({{"/etc/passwd", "1"},
                                                            {"../up", "2"},
                                                            {"a/../../up", "3"},
                                                            {"a/./b", "4"},
                                                            {"a//b", "5"},
                                                            {"line\nfeed", "6"},
                                                            {"", "7"},
                                                            {"..", "8"},
                                                            {"..good", "9"}}));
  EXPECT_THAT(Package(path).files(), ElementsAre("..good"));
  EXPECT_EQ(message_of<UserError>([&] { Package(path).read("../up"); }),
            path + ": ../up: no such file");
}

TEST(ZipArchive, ReadsWhatIsStoredWhereItLies) {
  for (const bool zip64 : {false, true}) {
    const std::string bytes = zip({{"a", kText}, {"b", kText, true}, {"c", "", true}}, zip64);
    const ZipArchive archive({bytes}, "m.zip");
    EXPECT_EQ(archive.files().size(), 3);
    const Bytes stored = archive.read("a");
    EXPECT_EQ(stored.view, kText);
    EXPECT_EQ(stored.view.data(), bytes.data() + bytes.find(kText));
    EXPECT_EQ(archive.read("b").view, kText);
    EXPECT_EQ(archive.read("c").view, "");
    EXPECT_EQ(ZipArchive({zip({{"in", bytes, true}}, zip64)}, "outer.zip").files().size(), 1);
  }
  EXPECT_THAT(ZipArchive({zip({})}, "m.zip").files(), IsEmpty());
}

TEST(ZipArchive, IsRefusedWhereItCannotBeReadWhole) {
  const std::string sound = zip({{"a", kText}});
  EXPECT_EQ(archive_refusal(sound, "b\n"), "m.zip: b\\n: no such file in the archive");
  EXPECT_EQ(archive_refusal(""), "m.zip: no zip archive, or truncated");
  EXPECT_EQ(archive_refusal("PK"), "m.zip: no zip archive, or truncated");
  EXPECT_EQ(archive_refusal("PK\3\4 and no end"),
            "m.zip: a zip archive that is cut off: its end is missing; fetch it again");
  EXPECT_EQ(archive_refusal(zip({{.name = "a", .bytes = kText, .flags = 1}})),
            "m.zip: a: encrypted; unpack the archive");
  std::string other = sound;
  other[other.find("PK\1\2") + 10] = 9;
  EXPECT_EQ(archive_refusal(other),
            "m.zip: a: compressed by a method (number 9) that heed lacks; unpack the archive");
  std::string changed = sound;
  changed[changed.find(kText)] = 'x';
  EXPECT_EQ(archive_refusal(changed), "m.zip: a: damaged: its size or checksum is wrong");
  // Nothing is read of a file that is cut, and nothing wrong where a byte is missing. The last six
  // are a comment and its length.
  for (const bool zip64 : {false, true})
    for (const std::string& whole : {zip({{"a", kText}}, zip64), zip({{"a", kText, true}}, zip64)})
      for (std::size_t i = 0; i < whole.size() - 6; ++i) {
        const std::string cut = std::string(whole).erase(i, 1);
        try {
          ZipArchive({std::string_view(whole).substr(0, i)}, "m.zip").read("a");
          ADD_FAILURE() << "of " << i << " bytes";
        } catch (const UserError&) {
        }
        try {
          EXPECT_EQ(ZipArchive({cut}, "m.zip").read("a").view, kText);
        } catch (const UserError&) {
        }
      }
}

TEST(ZipArchive, BelievesNoSizeThatCannotBe) {
  const std::string zeros(1 << 20, '\0');
  const std::string packed = zip({{.name = "a", .bytes = zeros, .deflate = true}});
  EXPECT_EQ(ZipArchive({packed}, "m.zip").read("a").view, zeros);  // the most that deflate can do
  const auto claims = [&](uint64_t size, bool deflate) {
    return archive_refusal(
        zip({{.name = "a", .bytes = kText, .deflate = deflate, .size = size}}, true));
  };
  const std::string wrong = "m.zip: a: damaged: its size or checksum is wrong";
  for (const uint64_t size : {0UL, 20UL, 22UL, 1UL << 29}) {
    EXPECT_EQ(claims(size, false), wrong) << size;
    EXPECT_EQ(claims(size, true), wrong) << size;
  }
  const std::string too_much =
      "m.zip: would unpack to far more than it holds: damaged, or made to fill memory";
  EXPECT_EQ(claims(1UL << 40, true), too_much);
  EXPECT_EQ(claims(~0UL, false), too_much);
  // Two files that are one and the same.
  std::string archive = zip({{"a", zeros.substr(0, 1000)}});
  const std::size_t directory = archive.find("PK\1\2"), end = archive.find("PK\5\6");
  const std::string entry = archive.substr(directory, end - directory);
  archive.replace(end + 12, 4, testing::bytes_of(static_cast<uint32_t>(2 * entry.size())));
  archive.insert(end, entry);
  EXPECT_EQ(archive_refusal(archive), too_much);
}

}  // namespace
}  // namespace heed::exchange
