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
                        "(Hugging Face), .npz or .bin (Marian)"));
  EXPECT_THAT(
      importable_programs(),
      StartsWith("Hugging Face (MarianMT, M2M-100, NLLB-200, mBART-50), Marian (or its .npz or "
                 ".bin; students of Firefox and Bergamot)"));
}

/// A file of a folder that has the others, too, as `heed import` refuses it.
std::string refusal_with(const std::string& file, const std::string& bytes,
                         const std::vector<std::string>& others = {}, bool named = false) {
  const TemporaryFolder folder;
  for (const std::string& other : others) folder.write(other, "");
  folder.write(file, bytes);
  return message_of<UserError>([&] { format_of(Package(named ? folder / file : folder.path())); });
}

// Beginnings of files as pymarian 1.12.42 and ctranslate2 4.8.5 wrote them.
TEST(ImportFormats, ABinaryFileIsMariansByItsBeginning) {
  const std::string marian =
      std::string("\x01\0\0\0\0\0\0\0\x71\0\0\0\0\0\0\0", 16) + "Wemb special:model.yml";
  const std::string other("\6\0\0\0\x10\0TransformerSpec\0", 22);
  for (const char* file : {"model.bin", "model.deen.intgemm.alphas.bin"}) {
    const TemporaryFolder folder;
    folder.write("vocab.spm", "");
    folder.write("lex.50.50.deen.s2t.bin", "");
    folder.write(file, marian);
    EXPECT_EQ(std::string(format_of(Package(folder.path())).program), "Marian");
    EXPECT_EQ(std::string(format_of(Package(folder / file)).program), "Marian");
    // Beside a .npz it is the same program's.
    folder.write("model.npz", "");
    EXPECT_EQ(std::string(format_of(Package(folder.path())).program), "Marian");
  }
  // Any name, where the user gives it.
  const TemporaryFolder folder;
  folder.write("student.bin", marian);
  EXPECT_EQ(std::string(format_of(Package(folder / "student.bin")).program), "Marian");
  EXPECT_THAT(message_of<UserError>([&] { format_of(Package(folder.path())); }),
              HasSubstr("holds no model"));
  folder.write("model.bin", other);
  EXPECT_EQ(std::string(format_of(Package(folder.path())).program), "CTranslate2");
  for (const char* file : {"model.bin", "lex.s2t.bin"}) {
    folder.write(file, other);
    EXPECT_THAT(message_of<UserError>([&] { format_of(Package(folder / file)); }),
                HasSubstr("is no model by itself; name the folder"));
  }
  EXPECT_THAT(refusal_with("model.intgemm.bin",
                           "version https://git-lfs.github.com/spec/v1\noid sha256:" +
                               std::string(64, '1') + "\nsize 17\n",
                           {"vocab.spm"}),
              HasSubstr("model.intgemm.bin: is a Git LFS pointer"));
}

TEST(ShutFormats, NameTheConverter) {
  EXPECT_THAT(refusal_with("model.00.safetensors", "", {"config.json", "vocab.json"}),
              AllOf(HasSubstr("a model of Eole"), HasSubstr("ctranslate2.converters.eole_ct2")));
  EXPECT_THAT(refusal_with("params.best", "", {"config", "version", "vocab.src.0.json"}),
              AllOf(HasSubstr("a model of Sockeye"), HasSubstr("no converter")));
  EXPECT_THAT(refusal_with("100.ckpt", "PK model_state optimizer_state", {"config.yaml"}),
              HasSubstr("a model of JoeyNMT"));
  EXPECT_THAT(refusal_with("m_step_10.pt", "PK vocab opt argparse encoder_type"),
              AllOf(HasSubstr("a model of OpenNMT-py"), HasSubstr("ct2-opennmt-py-converter")));
  EXPECT_THAT(refusal_with("checkpoint_best.pt", "PK optimizer_history extra_state"),
              AllOf(HasSubstr("a model of fairseq"), HasSubstr("ct2-fairseq-converter")));
  EXPECT_THAT(refusal_with("saved_model.pb", "", {"variables/variables.index"}),
              AllOf(HasSubstr("a model of OpenNMT-tf"), HasSubstr("ct2-opennmt-tf-converter")));
  // Those of transformers' trainer are no models.
  EXPECT_EQ(refusal_with("optimizer.pt", "PK state param_groups", {"config.json"}).find("a model"),
            std::string::npos);
  EXPECT_THAT(refusal_with("optimizer.pt", "PK state param_groups"), HasSubstr("holds no model"));
}

TEST(ImportFormats, AreOnTheirPage) {
  const std::string page = read_file(std::string(paths::kSource) + "/docs/importing.md");
  const std::string table = page.substr(page.find("## What can be imported"));
#define HEED_IMPORT(name, program, models, files, mark) \
  EXPECT_THAT(table, AllOf(HasSubstr(std::string("| ") + (program)), HasSubstr(mark)));
#define HEED_SHUT(program, files, has, cure) EXPECT_THAT(page, HasSubstr(program));
#include "../../src/exchange/formats.def"
#undef HEED_IMPORT
#undef HEED_SHUT
}

}  // namespace
}  // namespace heed::exchange
