#include "base/stand_in.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "message.h"
#include "temporary_folder.h"

namespace heed {
namespace {

// A pointer as `git clone` leaves it with GIT_LFS_SKIP_SMUDGE=1 (git-lfs 3.3.0).
const std::string kPointer =
    "version https://git-lfs.github.com/spec/v1\n"
    "oid sha256:f1de62f9672cf7bf895ed6adc3b48d3bcec426bd594686e7a52172ce972ef0b0\n"
    "size 3000\n";
// The form of git-annex's documentation (internals/pointer_file).
const std::string kAnnexPointer =
    "/annex/objects/SHA256E-s3000--"
    "f1de62f9672cf7bf895ed6adc3b48d3bcec426bd594686e7a52172ce972ef0b0.npz\n";

TEST(StandIn, OfGitLfsIsToldByItsFirstTwoLines) {
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

TEST(StandIn, OfGitAnnexIsToldByItsKey) {
  EXPECT_TRUE(is_annex_pointer(kAnnexPointer));
  EXPECT_TRUE(is_annex_pointer("/annex/objects/MD5E-s8--0cc175b9c0f1b6a831c399e269772661"));
  for (const std::string text : {"", "/annex/objects/", "/annex/objects/a folder of -- ours",
                                 "annex/objects/MD5E-s8--0cc175b9c0f1b6a831c399e269772661"})
    EXPECT_FALSE(is_annex_pointer(text)) << text;
}

TEST(StandIn, OfAServerIsAPage) {
  for (const std::string text : {"<!DOCTYPE html><html><title>404", "\n <html lang='en'>",
                                 "\xEF\xBB\xBF<!doctype HTML>", "<HTML>"})
    EXPECT_TRUE(is_web_page(text)) << text;
  for (const std::string text : {"", "<htmlish> is a piece", "a <html>", "{\"<html>\": 1}"})
    EXPECT_FALSE(is_web_page(text)) << text;
}

TEST(StandIn, NamesTheFileAndTheCure) {
  EXPECT_NO_THROW(require_no_stand_in("weights", "model.npz"));
  const auto message = [](const std::string& bytes) {
    return message_of<UserError>([&] { require_no_stand_in(bytes, "a/model.npz"); });
  };
  EXPECT_EQ(message(kPointer),
            "a/model.npz: is a Git LFS pointer, not the file itself; fetch it with `git lfs pull` "
            "in its folder");
  EXPECT_EQ(message(kAnnexPointer),
            "a/model.npz: is a git-annex pointer, not the file itself; fetch it with `git annex "
            "get .` in its folder");
  EXPECT_EQ(message("<!DOCTYPE html>\n<p>Not Found"),
            "a/model.npz: is a web page, such as a server's message about an error, not the file "
            "itself; fetch it again");
}

TEST(StandIn, MayBeALinkThatLeadsNowhere) {
  const TemporaryFolder folder;
  const std::string object = ".git/annex/objects/1x/2Y/MD5E-s1--0cc1/MD5E-s1--0cc1";
  std::filesystem::create_symlink(object, folder / "model.npz");
  EXPECT_EQ(annex_link_flaw(folder / "model.npz"),
            folder /
                "model.npz: is a link of git-annex to a file that is not here; fetch it with "
                "`git annex get .` in its folder");
  folder.write(object, "a");
  EXPECT_EQ(annex_link_flaw(folder / "model.npz"), "");
  std::filesystem::create_symlink("elsewhere", folder / "other");
  EXPECT_EQ(annex_link_flaw(folder / "other"), "");
  EXPECT_EQ(annex_link_flaw(folder / "none"), "");
}

}  // namespace
}  // namespace heed
