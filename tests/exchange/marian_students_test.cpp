// Folders of Firefox and Bergamot: a .bin, its vocabularies and its shortlist.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "compressed.h"
#include "decode/search/shortlist.h"
#include "engine/weights.h"
#include "exchange/foreign_model.h"
#include "exchange/formats.h"
#include "exchange/marian_writer.h"
#include "message.h"
#include "text/foreign_pieces.h"
#include "text/vocabulary.h"

namespace heed::exchange {
namespace {

using namespace testing;  // what marian_writer.h writes
using ::testing::Contains, ::testing::ElementsAre, ::testing::HasSubstr, ::testing::IsEmpty,
    ::testing::Not, ::testing::SizeIs;

const std::map<std::string, std::string> kStudent = {{"dec-cell", "ssru"},
                                                     {"dim-emb", "8"},
                                                     {"transformer-dim-ffn", "8"},
                                                     {"transformer-decoder-autoreg", "rnn"},
                                                     {"transformer-ffn-activation", "relu"}};

const std::string& student_spm() {
  static const std::string model = marian_spm("grün rot gelb green red");
  return model;
}

const std::vector<std::string>& student_pieces() {
  static const std::vector<std::string> pieces = text::all_pieces(student_spm(), "spm");
  return pieces;
}

MarianTensors student_tensors() {
  return {.source = std::ssize(student_pieces()), .ssru = true, .width = 8, .inner = 8};
}

/// A file in Marian's format (decode/search/shortlist.h) with a list of Marian's ids for each
/// piece.
std::string lex_bin(uint64_t frequent, const std::vector<std::vector<uint32_t>>& lists) {
  std::vector<uint64_t> words = {frequent, 3, lists.size() + 1, 0, 0};
  std::string pieces;
  for (const std::vector<uint32_t>& list : lists) {
    words[3] += list.size();
    words.push_back(words[3]);
    pieces += bytes_of(list);
  }
  const std::string bytes = bytes_of(words) + pieces;
  uint64_t sum = 0, word = 0;
  for (std::size_t at = 0; at + sizeof word <= bytes.size(); at += sizeof word) {
    std::memcpy(&word, bytes.data() + at, sizeof word);
    sum ^= word + 0x9E3779B9 + (sum << 6) + (sum >> 2);
  }
  return bytes_of<uint64_t>(0xF11A48D5013417F5) + bytes_of(sum) + bytes;
}

struct StudentImport : ::testing::Test {
  TemporaryFolder folder;

  void write(const std::string& name, const std::string& bytes) const {
    folder.write("m/" + name, bytes);
  }
  ForeignModel open(const std::string& file = "") const {
    return read_model(Package(folder / ("m/" + file)), {});
  }
  std::string refusal() const {
    return message_of<UserError>([&] { open(); });
  }
  void write_student(const std::map<std::string, std::string>& other = {}) const {
    std::map<std::string, std::string> options = kStudent;
    for (const auto& [option, value] : other) options[option] = value;
    write("model.deen.intgemm.alphas.bin",
          marian_student(marian_options(options), student_tensors()));
    write("vocab.deen.spm", student_spm());
  }
};

TEST_F(StudentImport, OpensAFolderOfFirefox) {
  write("model.deen.intgemm.alphas.bin.gz",
        gzip(marian_student(marian_options(kStudent), student_tensors())));
  write("vocab.deen.spm.gz", gzip(student_spm()));
  std::vector<std::vector<uint32_t>> lists(student_pieces().size());
  write("lex.50.50.deen.s2t.bin.gz", gzip(lex_bin(2, lists)));
  write("metadata.json", "{}");
  const ForeignModel model = open();
  EXPECT_EQ(model.program, "Marian");
  EXPECT_EQ(model.model.decoder, model::DecoderKind::ssru);
  EXPECT_EQ(model.model.activation, model::Activation::relu);
  EXPECT_TRUE(model.joint);
  EXPECT_EQ(model.source_language, "de");
  EXPECT_EQ(model.target_language, "en");
  EXPECT_EQ(model.decoding.beam_size, 1);
  EXPECT_EQ(model.decoding.max_length_ratio, 2);
  EXPECT_EQ(model.decoding.max_length_extra, 2);
  EXPECT_THAT(model.decoding.forbid, ElementsAre("<unk>"));
  EXPECT_EQ(model.decoding.alignment.layer, 0);
  EXPECT_EQ(model.decoding.alignment.head, 0);
  EXPECT_THAT(model.shortlist, Not(IsEmpty()));
  EXPECT_THAT(model.notes,
              ElementsAre(HasSubstr("the search is that of Firefox"),
                          HasSubstr("lex.50.50.deen.s2t.bin is its decoding.shortlist"),
                          HasSubstr("head 0 of")));
}

TEST_F(StudentImport, HasTheWeightsOfItsNpz) {
  write_student();
  const ForeignModel student = open();
  const TemporaryFolder other;
  other.write("model.npz", marian_npz(marian_options(kStudent), student_tensors()));
  other.write("vocab.spm", student_spm());
  const ForeignModel npz = read_model(Package(other.path()), {});
  ASSERT_EQ(student.weights.size(), npz.weights.size());
  for (const auto& [name, array] : npz.weights) {
    EXPECT_EQ(student.weights.at(name).shape, array.shape) << name;
    EXPECT_EQ(student.weights.at(name).copy(), array.copy()) << name;
  }
  // W of a recurrence has no bias. Row i of Marian's matrix is i, i + 1/2.
  const std::string recurrence = "decoder.0.recurrence.";
  const engine::Floats candidate = student.weights.at(recurrence + "candidate.weight").copy();
  for (int64_t i = 0; i < 8; ++i)
    for (int64_t k = 0; k < 8; ++k)
      EXPECT_EQ(candidate[k * 8 + i], static_cast<float>(i) + static_cast<float>(k) / 2);
  EXPECT_THAT(student.weights.at(recurrence + "forget.bias").copy(),
              ElementsAre(0, 0.5F, 1, 1.5F, 2, 2.5F, 3, 3.5F));
  EXPECT_FALSE(student.weights.contains(recurrence + "candidate.bias"));
}

TEST_F(StudentImport, TakesTheConfigurationOfBergamotsPrograms) {
  write_student();
  write("config.intgemm8bitalpha.yml",
        "relative-paths: true\nmodels:\n  - model.deen.intgemm.alphas.bin\nvocabs:\n  - "
        "vocab.deen.spm\n  - vocab.deen.spm\nshortlist:\n  - lex.bin\n  - false\nbeam-size: 4\n"
        "normalize: 1.0\nmax-length-break: 128\nmax-length-factor: 1.5\nworkspace: 128\n"
        "gemm-precision: int8shiftAlphaAll\nalignment: soft\nskip-cost: true\n");
  write("lex.bin", lex_bin(2, std::vector<std::vector<uint32_t>>(student_pieces().size())));
  const ForeignModel model = open();
  EXPECT_EQ(model.decoding.beam_size, 4);
  EXPECT_EQ(model.decoding.max_length_ratio, 1.5);
  EXPECT_EQ(model.decoding.alignment.layer, 0);
  EXPECT_THAT(model.shortlist, Not(IsEmpty()));
  EXPECT_THAT(model.notes, Contains(HasSubstr("max-length-break: 128 is left out")));
  EXPECT_THAT(model.notes, Not(Contains(HasSubstr("does not know"))));
  EXPECT_EQ(open("model.deen.intgemm.alphas.bin").decoding.beam_size, 4);
  // That of a training names no models.
  write("config.intgemm8bitalpha.yml", "train-sets: [a, b]\nbeam-size: 4\n");
  EXPECT_EQ(open().decoding.beam_size, 1);
}

TEST_F(StudentImport, TwoVocabulariesAreToldByTheirNames) {
  const std::string german = marian_spm("grün rot gelb"), english = marian_spm("green red");
  const auto count = [](const std::string& spm) { return std::ssize(text::all_pieces(spm, "")); };
  std::map<std::string, std::string> options = kStudent;
  options["tied-embeddings-all"] = "false";
  options["tied-embeddings"] = "true";
  write("model.deen.intgemm.alphas.bin",
        marian_student(marian_options(options), {.source = count(german),
                                                 .target = count(english),
                                                 .shared = false,
                                                 .ssru = true,
                                                 .width = 8,
                                                 .inner = 8}));
  write("srcvocab.deen.spm", german);
  write("trgvocab.deen.spm", english);
  const ForeignModel model = open();
  EXPECT_TRUE(model.source.id_of("ü"));
  EXPECT_FALSE(model.target.id_of("ü"));
  EXPECT_EQ(model.source_language, "de");
}

TEST_F(StudentImport, LanguagesStandInTwoNames) {
  write("model.deen.bin", marian_student(marian_options(kStudent), student_tensors()));
  write("vocab.spm", student_spm());
  EXPECT_EQ(open().source_language, "");
  std::filesystem::rename(folder / "m/vocab.spm", folder / "m/vocab.deen.spm");
  EXPECT_EQ(open().source_language, "de");
  EXPECT_EQ(open().target_language, "en");
  for (const char* name : {"tiny", "best", "deenx"}) {
    std::filesystem::remove_all(folder / "m");
    write(fmt::format("model.{}.bin", name),
          marian_student(marian_options(kStudent), student_tensors()));
    write(fmt::format("vocab.{}.spm", name), student_spm());
    EXPECT_EQ(open().source_language, "") << name;
  }
}

TEST_F(StudentImport, ListsKeepTheirPieces) {
  write_student();
  const auto count = static_cast<uint32_t>(student_pieces().size());
  // </s> 0 and <unk> 1 come first; the last piece may be in every translation of piece 2.
  std::vector<std::vector<uint32_t>> lists(count);
  lists[2] = {count - 1, 3};
  lists[count - 1] = {4};
  write("lex.50.50.deen.s2t.bin", lex_bin(/*frequent=*/6, lists));
  const ForeignModel model = open();
  const decode::Shortlist shortlist(model.shortlist, "list", model.source, model.target);
  const auto id_of = [&](uint32_t piece) { return *model.target.id_of(student_pieces()[piece]); };
  const auto with = [&](std::vector<int32_t> source) {
    source.push_back(text::kEnd);
    return shortlist.pieces_for(source);
  };
  for (const uint32_t frequent : {2, 3, 4, 5})
    EXPECT_THAT(with({}), Contains(id_of(frequent))) << frequent;
  EXPECT_THAT(with({}), Not(Contains(id_of(6))));
  EXPECT_THAT(with({}), SizeIs(4 + 4));  // and heed's four special ones
  EXPECT_THAT(with({id_of(2)}), Contains(id_of(count - 1)));
  // With one vocabulary a piece may be copied.
  EXPECT_THAT(with({id_of(7)}), SizeIs(4 + 4 + 1));
  EXPECT_THAT(with({id_of(7)}), Contains(id_of(7)));
}

TEST_F(StudentImport, AForeignOrDamagedListIsRefused) {
  write_student();
  const auto count = static_cast<uint32_t>(student_pieces().size());
  const auto with = [&](const std::string& bytes) {
    write("lex.50.50.deen.s2t.bin", bytes);
    return refusal();
  };
  std::vector<std::vector<uint32_t>> lists(count);
  EXPECT_THAT(with(lex_bin(2, std::vector<std::vector<uint32_t>>(count + 1))),
              HasSubstr("it belongs to another model; copy it again, or import without it"));
  lists[3] = {count};
  EXPECT_THAT(with(lex_bin(2, lists)), HasSubstr("it belongs to another model"));
  lists[3] = {3};
  std::string bytes = lex_bin(2, lists);
  EXPECT_THAT(with(bytes.substr(0, bytes.size() - 8)),
              HasSubstr(".s2t.bin: is damaged; copy it again, or import without it"));
  bytes[20] ^= 1;
  EXPECT_THAT(with(bytes), HasSubstr(".s2t.bin: is damaged"));
  EXPECT_THAT(with("text"), HasSubstr(".s2t.bin: is no shortlist"));
  // Of two, nothing says which is the model's.
  write("lex.2.s2t.bin", "text");
  EXPECT_THAT(open().shortlist, IsEmpty());
  EXPECT_THAT(open().notes, Contains(HasSubstr("lex.2.s2t.bin, lex.50.50.deen.s2t.bin is left")));
}

TEST_F(StudentImport, OtherRecurrencesAreRefused) {
  write_student({{"dec-cell", "gru"}});
  EXPECT_THAT(refusal(), HasSubstr("option dec-cell is 'gru'; heed has 'ssru'"));
  write_student({{"transformer-rnn-projection", "true"}});
  EXPECT_THAT(refusal(), HasSubstr("option transformer-rnn-projection is true"));
}

TEST_F(StudentImport, AFolderOfSeveralAsksForOne) {
  write_student();
  write("model.deen.intgemm.bin", marian_student(marian_options(kStudent), student_tensors()));
  EXPECT_THAT(refusal(), HasSubstr("several models; name one of these files"));
  EXPECT_EQ(open("model.deen.intgemm.bin").decoding.beam_size, 1);
}

TEST_F(StudentImport, NamesAVocabularyOfAnotherModel) {
  write_student();
  write("vocab.deen.spm", marian_spm("grün rot"));
  EXPECT_THAT(refusal(), HasSubstr("it is another model's vocabulary"));
}

}  // namespace
}  // namespace heed::exchange
