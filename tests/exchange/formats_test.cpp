// Which program a folder's model is of.
#include "exchange/formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "message.h"
#include "paths.h"
#include "temporary_folder.h"

namespace heed::exchange {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// The program of a folder with these files, none of which has to be sound.
std::string program_of(const std::vector<std::string>& files, const std::string& chosen = "") {
  const TemporaryFolder folder;
  for (const std::string& file : files) folder.write(file, "");
  return format_of(Package(chosen.empty() ? folder.path() : folder / chosen)).program;
}

std::string refusal_of(const std::vector<std::string>& files) {
  return message_of<UserError>([&] { program_of(files); });
}

TEST(ImportFormats, AreRecognisedByTheirFiles) {
  EXPECT_EQ(program_of({"config.json"}), "Hugging Face");
  EXPECT_EQ(program_of({"config.json", "model.safetensors"}), "Hugging Face");
  EXPECT_EQ(program_of({"model.npz"}), "Marian");
  EXPECT_EQ(program_of({"best.npz", "decoder.yml"}), "Marian");
  EXPECT_EQ(program_of({"model.bin"}), "CTranslate2");
  EXPECT_EQ(program_of({"metadata.json", "model/model.bin", "model/config.json"}), "CTranslate2");
}

// The name is that of several programs.
TEST(ImportFormats, HaveAConfigJsonThatIsOfTheWeightsBesideIt) {
  EXPECT_EQ(program_of({"config.json", "model.bin"}), "CTranslate2");
  EXPECT_EQ(program_of({"config.json", "model/model.bin"}), "CTranslate2");
  EXPECT_EQ(program_of({"config.json", "model.npz"}), "Marian");
}

TEST(ImportFormats, ThatAreTwoInOneFolderAreNamed) {
  EXPECT_THAT(refusal_of({"config.json", "pytorch_model.bin", "model.bin"}),
              AllOf(HasSubstr("config.json (Hugging Face) and model.bin (CTranslate2)"),
                    HasSubstr("folder of its own"), Not(HasSubstr("or name"))));
  EXPECT_THAT(refusal_of({"model.npz", "model/model.bin"}),
              AllOf(HasSubstr("model.npz (Marian) and model/model.bin (CTranslate2)"),
                    HasSubstr("folder of its own, or name "), HasSubstr("/model.npz")));
}

TEST(ImportFormats, FollowFromAFileThatTheUserNames) {
  EXPECT_EQ(program_of({"model.npz", "model.bin"}, "model.npz"), "Marian");
  EXPECT_EQ(program_of({"best.npz.gz", "model.bin"}, "best.npz.gz"), "Marian");
  EXPECT_EQ(program_of({"decoder.yml", "model.bin"}, "decoder.yml"), "Marian");
  EXPECT_FALSE(stands_for_folder("config.json"));
  EXPECT_FALSE(stands_for_folder("mydecoder.yml"));
  EXPECT_TRUE(stands_for_folder("model.npz.decoder.yml"));
}

TEST(ImportFormats, AreNamedWhereThereIsNone) {
  EXPECT_THAT(refusal_of({"README.md"}),
              HasSubstr(": holds no model that heed knows: no config.json "
                        "(Hugging Face), .npz (Marian)"));
  EXPECT_THAT(
      importable_programs(),
      StartsWith("Hugging Face (MarianMT, M2M-100, NLLB-200, mBART-50), Marian (or its .npz)"));
}

TEST(ImportFormats, AreOnTheirPage) {
  const std::string page = read_file(std::string(paths::kSource) + "/docs/importing.md");
  const std::string table = page.substr(page.find("## What can be imported"));
#define HEED_IMPORT(name, program, models, files, mark) \
  EXPECT_THAT(table, AllOf(HasSubstr(std::string("| ") + (program)), HasSubstr(mark)));
#include "../../src/exchange/formats.def"
#undef HEED_IMPORT
}

}  // namespace
}  // namespace heed::exchange
