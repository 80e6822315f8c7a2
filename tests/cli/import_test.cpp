// heed import, as far as it refuses. That it computes what other programs compute is tested in
// tests/twins/.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/toy.h"
#include "program.h"
#include "temporary_folder.h"

namespace heed::cli {
namespace {

struct ImportCommand : ::testing::Test {
  TemporaryFolder folder;

  Result import_from(const std::string& from) const {
    return run_heed({"import", from, "-o", folder / "run"});
  }
  void expect_refusal(const std::string& from, const std::vector<std::string>& parts) const {
    expect_mistake(import_from(from), parts);
    EXPECT_FALSE(std::filesystem::exists(folder / "run"));
  }
};

TEST_F(ImportCommand, SaysWhatItLooksFor) {
  expect_refusal(folder / "none", {"none", "no such file"});
  folder.write("empty/README.md", "");
  expect_refusal(folder / "empty", {"config.json", ".npz", "model.bin"});
  folder.write("text.zip", "no archive");
  expect_refusal(folder / "text.zip", {"text.zip", "no zip archive"});
}

TEST_F(ImportCommand, NamesWhatHeedLacks) {
  const auto with = [&](const std::string& config) {
    folder.write("model/config.json", config);
    return folder / "model";
  };
  expect_refusal(with(R"({"model_type": "t5"})"), {"config.json", "t5", "m2m_100", "mbart"});
  expect_refusal(with(R"({"model_type": "mbart"})"), {"config.json", "tokenizer_class"});
  expect_refusal(with(R"({"model_type": "marian"})"), {"config.json", "'d_model'"});
  const std::string shape =
      R"({"model_type": "marian", "d_model": 8, "encoder_ffn_dim": 3, "decoder_ffn_dim": 3,
          "encoder_attention_heads": 2, "decoder_attention_heads": 2, "encoder_layers": 1,
          "decoder_layers": 1, "decoder_start_token_id": 2, "activation_function": )";
  expect_refusal(with(shape + R"("gelu_new"})"), {"gelu_new", "silu"});
  expect_refusal(with(shape + R"("relu", "normalize_embedding": true})"), {"normalize_embedding"});
  expect_refusal(with(shape + R"("relu", "dropout": 7})"), {"config.json", "dropout"});
  expect_refusal(with(shape + R"("relu"})"), {"vocab.json"});
  folder.write("model/vocab.json", R"({"</s>": 0, "<unk>": 1, "<pad>": 2})");
  expect_refusal(folder / "model", {"source.spm"});
}

TEST_F(ImportCommand, KeepsEachLicence) {
  product(run_heed({"export", Toy::get().transformer, "-o", folder / "ct"}));
  folder.write("ct/LICENSE", "A");
  folder.write("ct/third/LICENSE", "B");
  product(import_from(folder / "ct"));
  EXPECT_EQ(read_file(folder / "run/LICENSE"), "A");
  EXPECT_EQ(read_file(folder / "run/third-LICENSE"), "B");
}

TEST_F(ImportCommand, ComputesInTheProgramsPrecision) {
  product(run_heed({"export", Toy::get().transformer, "-o", folder / "ct", "--set",
                    "decoding.alignment.layer=0", "--set", "decoding.alignment.head=0"}));
  product(import_from(folder / "ct"));
  EXPECT_THAT(read_file(folder / "run/config.yaml"),
              ::testing::AllOf(::testing::HasSubstr("\nprecision: fp32\n"),
                               ::testing::HasSubstr("\n    layer: 0\n    head: 0\n")));
}

TEST_F(ImportCommand, LeavesARunAlone) {
  folder.write("run/config.yaml", "");
  expect_mistake(import_from(folder / "none"), {"holds a model already"});
}

}  // namespace
}  // namespace heed::cli
