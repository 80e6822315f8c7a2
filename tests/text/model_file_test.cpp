#include "text/model_file.h"

#include <gtest/gtest.h>
#include <sentencepiece_trainer.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "message.h"
#include "temporary_folder.h"
#include "text/vocabulary.h"
#include "text/vocabulary_training.h"

namespace heed::text {
namespace {

std::string bytes_of(uint32_t value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::string message(int number, const std::string& content) {
  return std::string(1, static_cast<char>(number << 3 | 2)) +
         static_cast<char>((content.size() & 0x7F) | 0x80) +
         static_cast<char>(content.size() >> 7) + content;
}

std::string piece(float score) {
  return message(1,
                 "\x0A\x01"
                 "a\x15" +
                     bytes_of(std::bit_cast<uint32_t>(score)));
}

/// A model with nothing but a normalisation: its table's first units, filled up to `count`.
std::string normalizer(std::vector<uint32_t> units, const std::string& texts,
                       std::size_t count = 256) {
  units.resize(count);
  std::string trie;
  for (const uint32_t unit : units) trie += bytes_of(unit);
  return message(3, message(2, bytes_of(static_cast<uint32_t>(trie.size())) + trie + texts));
}

constexpr uint32_t kLeaf = 1 << 8;
constexpr uint32_t offset(uint32_t by) {
  return by << 10;
}

TEST(ModelFile, ModelsOfSentencePiecesOwnTrainingAreSound) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 20; ++i) text += "the cat sat on the mat \u00e9 \uff21\n";
  const std::string files = "--input=" + folder.write("text", text) +
                            " --model_prefix=" + folder / "trained" +
                            " --vocab_size=18 --hard_vocab_limit=false --minloglevel=3";
  for (const std::string rule : {"identity", "nmt_nfkc", "nmt_nfkc_cf"})
    for (const std::string type : {"unigram", "bpe", "word", "char"}) {
      const auto status = sentencepiece::SentencePieceTrainer::Train(
          files + " --model_type=" + type + " --normalization_rule_name=" + rule);
      ASSERT_TRUE(status.ok()) << type << ' ' << status.message();
      EXPECT_TRUE(is_sound_model(read_file(folder / "trained.model"))) << rule << ' ' << type;
    }
}

TEST(ModelFile, ScoresAreNumbers) {
  EXPECT_TRUE(is_sound_model(piece(-1.5F) + piece(0)));
  EXPECT_FALSE(is_sound_model(piece(-1.5F) + piece(NAN)));
  EXPECT_FALSE(is_sound_model(piece(-INFINITY)));
}

TEST(ModelFile, NoPathLeadsOutOfTheTable) {
  const std::string texts("a\0bc\0", 5);
  EXPECT_TRUE(is_sound_model(normalizer({}, texts)));
  EXPECT_TRUE(is_sound_model(normalizer({offset(3) | kLeaf, 0, 0, 0x80000002}, texts)));
  EXPECT_FALSE(is_sound_model(normalizer({offset(3) | kLeaf, 0, 0, 0x80000005}, texts)));
  EXPECT_FALSE(is_sound_model(normalizer({offset(256)}, texts)));
  EXPECT_TRUE(is_sound_model(normalizer({offset(256)}, texts, 512)));
  EXPECT_FALSE(is_sound_model(normalizer({offset(1) | 1 << 9}, texts)));  // times 256
  EXPECT_FALSE(is_sound_model(normalizer({}, texts, 255)));
  EXPECT_FALSE(is_sound_model(normalizer({}, "no NUL")));
  EXPECT_FALSE(is_sound_model(normalizer({}, "")));
  EXPECT_FALSE(is_sound_model(normalizer({}, texts, 0)));
}

TEST(ModelFile, ADamagedMessageIsNotSound) {
  for (const char* bytes : {"\x0A\x05"
                            "a",
                            "\x0A\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01", "\x0B", "\x08",
                            "\x09"
                            "1234567"})
    EXPECT_FALSE(is_sound_model(bytes));
  EXPECT_TRUE(is_sound_model(""));
}

TEST(ModelFile, PiecesArePutBehindTheModel) {
  // A piece: text "ab", score 1.0F, type 4; then a trainer whose vocabulary has one piece.
  EXPECT_EQ(with_pieces("", {{"ab", 1.0F, PieceType::user_defined}}),
            std::string("\x0A\x0B\x0A\x02"
                        "ab\x15\x00\x00\x80\x3F\x18\x04\x12\x02\x20\x01",
                        17));
  const std::string two = with_pieces(with_pieces("", {{"a"}}), {{"b", -1, PieceType::unused}});
  EXPECT_TRUE(is_sound_model(two));
  const std::vector<ModelPiece> pieces = pieces_of(two);
  ASSERT_EQ(pieces.size(), 2);
  EXPECT_EQ(pieces[0].text, "a");
  EXPECT_EQ(pieces[0].type, PieceType::normal);
  EXPECT_EQ(pieces[1].text, "b");
  EXPECT_EQ(pieces[1].score, -1);
  EXPECT_EQ(pieces[1].type, PieceType::unused);
}

TEST(ModelFile, AModelThatIsNotSoundNeverReachesSentencePiece) {
  const TemporaryFolder folder;
  folder.write("text", "the cat sat on the mat and the hat\n");
  train_vocabulary({.files = {folder / "text"}, .size = 16, .algorithm = "bpe"})
      .save(folder / "v.spm");
  std::string model = read_file(folder / "v.spm");
  const std::string bad =
      folder.write("bad.spm", model + normalizer({offset(1 << 20)}, std::string(2, 0)));
  EXPECT_EQ(message_of<UserError>([&] { Vocabulary::load(bad); }),
            bad + ": no SentencePiece model; make one with heed vocab");
}

}  // namespace
}  // namespace heed::text
