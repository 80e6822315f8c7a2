// CTranslate2's models of any age as heed reads them. The layouts are those that ctranslate2 2.24.0
// (format 5, revision 4), 3.0.2, 3.24.0 and 4.8.5 (format 6) wrote by their own specifications; the
// numbers of such files, too, were compared with what the program computes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "engine/random_weights.h"
#include "exchange/archives.h"
#include "exchange/ctranslate2.h"
#include "exchange/foreign_model.h"
#include "exchange/formats.h"
#include "message.h"
#include "temporary_folder.h"
#include "text/vocabulary_training.h"

namespace heed::exchange {
namespace {

using engine::testing::random_transformer, engine::testing::small_transformer;
using ::testing::AllOf, ::testing::FloatEq, ::testing::FloatNear, ::testing::HasSubstr;
using testing::bytes_of;

/// The variables of a model.bin as they stand in it.
class VariableFile {
 public:
  struct Value {
    std::string shape;  // as bytes
    char code{};
    std::string bytes;
  };
  std::map<std::string, Value> variables;
  std::map<std::string, std::string> aliases;

  /// Reads the bytes of a file of format 6, as write_ctranslate2() writes it.
  explicit VariableFile(std::string bytes) : bytes_(std::move(bytes)) {
    number<uint32_t>();
    text();
    number<uint32_t>();
    for (auto count = number<uint32_t>(); count > 0; --count) {
      const std::string name = text();
      Value value;
      value.shape = take(number<uint8_t>() * 4);
      value.code = take(1)[0];
      value.bytes = take(number<uint32_t>());
      variables[name] = value;
    }
    for (auto count = number<uint32_t>(); count > 0; --count) {
      const std::string alias = text();
      aliases[alias] = text();
    }
  }

  template <class Number>
  void set(const std::string& name, Number value, char code) {
    variables[name] = {"", code, bytes_of(value)};
  }
  void set_text(const std::string& name, const std::string& value) {
    variables[name] = {bytes_of(static_cast<uint32_t>(value.size())), 1, value};
  }
  void move(const std::string& from, const std::string& to) {
    variables[to] = variables.at(from);
    variables.erase(from);
  }

  /// Before format 4 a variable had the size of a number in place of its type, and how many.
  std::string written(uint32_t format, uint32_t revision,
                      const std::string& spec = "TransformerSpec") const {
    std::string out = bytes_of(format);
    if (format > 1) out += named(spec) + bytes_of(revision);
    out += bytes_of(static_cast<uint32_t>(variables.size()));
    for (const auto& [name, value] : variables) {
      out += named(name) + static_cast<char>(value.shape.size() / 4) + value.shape;
      const int size = value.code == 0 ? 4 : value.code == 1 ? 1 : 2;
      const std::size_t count = value.bytes.size() / (format < 4 ? size : 1);
      out += (format < 4 ? static_cast<char>(size) : value.code) +
             bytes_of(static_cast<uint32_t>(count)) + value.bytes;
    }
    if (format < 3) return out;
    out += bytes_of(static_cast<uint32_t>(aliases.size()));
    for (const auto& [alias, name] : aliases) out += named(alias) + named(name);
    return out;
  }

 private:
  static std::string named(const std::string& value) {
    return bytes_of(static_cast<uint16_t>(value.size() + 1)) + value + std::string(1, '\0');
  }
  template <class Number>
  Number number() {
    Number value{};
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string text() {
    std::string value = take(number<uint16_t>());
    value.pop_back();
    return value;
  }
  std::string take(std::size_t count) {
    return bytes_.substr(std::exchange(at_, at_ + count), count);
  }

  std::string bytes_;
  std::size_t at_ = 0;
};

class CTranslate2Folder : public ::testing::Test {
 protected:
  CTranslate2Folder() {
    folder_.write("text", "a b c d\nb a\nd c\n");
    vocabulary_ = text::train_vocabulary(
        {.files = {text::TextFile(folder_ / "text")}, .size = 12, .algorithm = "bpe"});
    vocabulary_->save(folder_ / "sentencepiece.model");
    config_ = small_transformer();
    config_.tie = model::Tie::all;
    config_.positions = "learned";
    pieces_ = nlohmann::json::array();
    for (int32_t id = 0; id < vocabulary_->size(); ++id) pieces_.push_back(vocabulary_->piece(id));
    folder_.write("shared_vocabulary.json", pieces_.dump());
    folder_.write("config.json", R"({"add_source_eos": true, "decoder_start_token": "<s>"})");
  }

  engine::Weights own() const { return random_transformer(config_, vocabulary_->size()); }
  VariableFile file() const {
    write_ctranslate2(config_, own(), {}, folder_ / "model.bin");
    return VariableFile(read_file(folder_ / "model.bin"));
  }
  ForeignModel read(const std::string& bytes) const {
    folder_.write("model.bin", bytes);
    return read_model(Package(folder_.path()), {});
  }
  std::string refusal(const std::string& bytes) const {
    return message_of<UserError>([&] { read(bytes); });
  }
  void expect_own(const ForeignModel& model) const {
    const engine::Weights wanted = own();
    ASSERT_EQ(model.weights.size(), wanted.all().size());
    for (const auto& [name, array] : wanted.all()) {
      if (name == "output.bias" || name == "embedding.weight") continue;  // special pieces differ
      EXPECT_EQ(model.weights.at(name).copy(), array.copy()) << name;
    }
    for (int64_t i = 0; i < config_.width; ++i)
      EXPECT_EQ(model.weights.at("embedding.weight").data[5 * config_.width + i],
                wanted.at("embedding.weight").data[5 * config_.width + i]);
  }
  /// Makes a model one that ctranslate2 2.24.0 has written: no config.json, and what both sides
  /// have at the root.
  void age(VariableFile& old) const {
    std::filesystem::remove(folder_ / "config.json");
    std::filesystem::remove(folder_ / "shared_vocabulary.json");
    std::string lines;
    for (const std::string piece : pieces_) lines += piece + "\n";
    folder_.write("shared_vocabulary.txt", lines);
    old.set<int8_t>("num_heads", 3, 1);
    for (const char* name : {"pre_norm", "activation"}) {
      old.variables[name] = old.variables.at(std::string("encoder/") + name);
      old.variables.erase(std::string("encoder/") + name);
      old.variables.erase(std::string("decoder/") + name);
    }
    old.variables.erase("encoder/num_heads");
    old.variables.erase("decoder/num_heads");
    old.move("encoder/embeddings_merge", "embeddings_merge");
    old.set<int16_t>("alignment_layer", -1, 2);
    old.set<int16_t>("alignment_heads", 1, 2);
    old.variables.erase("decoder/alignment_layer");
    old.variables.erase("decoder/alignment_heads");
    for (const char* name :
         {"with_relative_position", "with_source_bos", "user_decoder_start_tokens"})
      old.set<int8_t>(name, 0, 1);
    old.set<int8_t>("layernorm_embedding", config_.embedding_norm ? 1 : 0, 1);
    old.set<int8_t>("with_source_eos", 1, 1);
    old.set<int8_t>("with_target_bos", 1, 1);
    old.set_text("unk_token", "<unk>");
    old.set_text("bos_token", "<s>");
    old.set_text("eos_token", "</s>");
  }

  TemporaryFolder folder_;
  std::optional<text::Vocabulary> vocabulary_;
  model::ModelConfig config_;
  nlohmann::json pieces_;
};

TEST_F(CTranslate2Folder, OpensFilesFromBefore3) {
  VariableFile old = file();
  age(old);
  ForeignModel model = read(old.written(5, 4));
  expect_own(model);
  EXPECT_EQ(model.model.heads, 3);
  EXPECT_EQ(model.model.norm, config_.norm);
  EXPECT_TRUE(model.source_end);
  // Revision 3 is the same, and so is format 4 where nothing is bfloat16.
  expect_own(read(old.written(4, 3)));
  old.set<int8_t>("with_source_eos", 0, 1);
  EXPECT_FALSE(read(old.written(5, 4)).source_end);
  old.set<int8_t>("with_relative_position", 1, 1);
  EXPECT_THAT(refusal(old.written(5, 4)), HasSubstr("'with_relative_position'"));
}

TEST_F(CTranslate2Folder, TakesTheFirstPieceOfATranslationFromVariablesBefore3) {
  VariableFile old = file();
  age(old);
  old.set<int8_t>("with_target_bos", 0, 1);
  const engine::Array vectors = read(old.written(5, 4)).weights.at("embedding.weight");
  const engine::Weights wanted = own();
  EXPECT_EQ(vectors.data[text::kBegin * config_.width],
            wanted.at("embedding.weight").data[text::kEnd * config_.width]);
  old.set<int8_t>("user_decoder_start_tokens", 1, 1);
  EXPECT_THAT(refusal(old.written(5, 4)), HasSubstr("'user_decoder_start_tokens' is on"));
}

TEST_F(CTranslate2Folder, OpensFormatsWithoutTypesOfNumbers) {
  VariableFile old = file();
  age(old);
  for (const char* name : {"unk_token", "bos_token", "eos_token"}) old.variables.erase(name);
  expect_own(read(old.written(3, 3)));
  // Format 2 has no aliases.
  for (const auto& [alias, name] : old.aliases) old.variables[alias] = old.variables.at(name);
  old.aliases.clear();
  old.variables.erase("num_heads");
  EXPECT_THAT(refusal(old.written(2, 2)), HasSubstr("heads"));  // 8 do not divide a width of 12
  EXPECT_THAT(refusal(old.written(0, 1)), HasSubstr("version 0"));
  EXPECT_THAT(refusal(old.written(7, 1)), HasSubstr("heed reads 1 to 6"));
}

TEST_F(CTranslate2Folder, ScalesWordVectorsByTheTypeOfItsSwitch) {
  VariableFile written = file();
  const auto vectors = [&](const auto& set) {
    for (const char* side : {"encoder", "decoder"}) set(side + std::string("/scale_embeddings"));
    const ForeignModel model = read(written.written(6, 7));
    const bool tied = model.model.tie == model::Tie::all;
    return std::pair(tied, model.weights.at(tied ? "embedding.weight" : "source_embedding.weight")
                               .data[5 * config_.width]);
  };
  const float own_number = own().at("embedding.weight").data[5 * config_.width];
  const float root = std::sqrt(12.F);
  const auto factor = [&](float value) {
    return vectors([&](const std::string& name) { written.set<float>(name, value, 0); });
  };
  const auto flag = [&](int8_t value) {
    return vectors([&](const std::string& name) { written.set<int8_t>(name, value, 1); });
  };
  EXPECT_EQ(flag(1), std::pair(true, own_number));
  EXPECT_EQ(factor(root), std::pair(true, own_number));
  EXPECT_FALSE(factor(1).first);
  EXPECT_THAT(factor(1).second, FloatEq(own_number / root));
  EXPECT_THAT(factor(3).second, FloatEq(3 * own_number / root));
  EXPECT_THAT(flag(0).second, FloatEq(own_number / root));
  // A factor of 1 is another model than a switch that is on.
  EXPECT_GT(std::abs(factor(1).second - flag(1).second), 0.1 * std::abs(own_number));
  written.set<float>("encoder/scale_embeddings", 2, 0);
  EXPECT_THAT(refusal(written.written(6, 7)), AllOf(HasSubstr("2"), HasSubstr("scale_embeddings")));
}

TEST_F(CTranslate2Folder, ComputesOpenNMTsSinusoidsWhereThereIsNoTable) {
  VariableFile written = file();
  for (const char* side : {"encoder", "decoder"})
    written.variables.erase(side + std::string("/position_encodings/encodings"));
  const ForeignModel model = read(written.written(6, 7));
  EXPECT_EQ(model.model.positions, "learned");
  for (const char* table : {"source_positions.weight", "target_positions.weight"}) {
    const engine::Array& positions = model.weights.at(table);
    EXPECT_EQ(positions.rows(), 1024);
    // Width 12: the frequencies are 10000^(-i / 5), the first position is 1.
    EXPECT_THAT(positions.data[0], FloatNear(0.8414710F, 1e-6));   // sin 1
    EXPECT_THAT(positions.data[1], FloatNear(0.1578266F, 1e-6));   // sin 0.1584893
    EXPECT_THAT(positions.data[6], FloatNear(0.5403023F, 1e-6));   // cos 1
    EXPECT_THAT(positions.data[12], FloatNear(0.9092974F, 1e-6));  // sin 2
  }
}

TEST_F(CTranslate2Folder, KeepsATableOfSinusoidsThatWasStoredInHalfPrecision) {
  config_.positions = "sinusoidal";
  VariableFile written = file();
  EXPECT_EQ(read(written.written(6, 7)).model.positions, "sinusoidal");
  std::string& bytes = written.variables.at("encoder/position_encodings/encodings").bytes;
  for (std::size_t at = 0; at < bytes.size(); at += 4) {  // 10 bits of a fraction, as halves have
    bytes[at] = 0;
    bytes[at + 1] = static_cast<char>(bytes[at + 1] & 0xe0);
  }
  const ForeignModel model = read(written.written(6, 7));
  EXPECT_EQ(model.model.positions, "learned");
  for (const char* table : {"source_positions.weight", "target_positions.weight"}) {
    const engine::Array& positions = model.weights.at(table);
    EXPECT_EQ(positions.data[12], 0.84130859375F);  // the sine of 1 is 0.84147098
    EXPECT_EQ(positions.data[0], 0);
  }
}

TEST_F(CTranslate2Folder, TakesTheEpsilonOfItsNorms) {
  const std::string bytes = file().written(6, 7);
  const auto epsilon = [&](const std::string& value) {
    folder_.write("config.json", "{" + value + "}");
    const ForeignModel model = read(bytes);
    EXPECT_THAT(model.notes, ::testing::IsEmpty());
    return model.model.norm_epsilon;
  };
  EXPECT_EQ(epsilon(R"("layer_norm_epsilon": 1e-6)"), 1e-6);  // as Eole and OpenNMT-py have it
  EXPECT_EQ(epsilon(R"("layer_norm_epsilon": 0.001)"), 1e-3);
  // The program's own, which its converters of Hugging Face's and Marian's models leave to it.
  EXPECT_EQ(epsilon(R"("layer_norm_epsilon": null)"), 1e-5);
  EXPECT_EQ(epsilon(""), 1e-5);
}

TEST_F(CTranslate2Folder, HasNormsOfEmbeddings) {
  config_.embedding_norm = true;
  VariableFile written = file();
  ForeignModel model = read(written.written(6, 7));
  EXPECT_TRUE(model.model.embedding_norm);
  expect_own(model);
  VariableFile old = written;
  const std::string config = read_file(folder_ / "config.json"),
                    pieces = read_file(folder_ / "shared_vocabulary.json");
  age(old);  // with a switch beside the tensors
  expect_own(read(old.written(5, 4)));
  folder_.write("config.json", config);
  folder_.write("shared_vocabulary.json", pieces);
  std::filesystem::remove(folder_ / "shared_vocabulary.txt");
  written.variables.erase("decoder/layernorm_embedding/beta");
  EXPECT_THAT(refusal(written.written(6, 7)),
              HasSubstr("has no 'decoder/layernorm_embedding/beta'"));
}

TEST_F(CTranslate2Folder, ComparesRowsWithNames) {
  const VariableFile written = file();
  pieces_.push_back("more");
  folder_.write("shared_vocabulary.json", pieces_.dump());
  EXPECT_THAT(refusal(written.written(6, 7)),
              AllOf(HasSubstr("12 rows"), HasSubstr("13 pieces"), HasSubstr("shared_vocabulary")));
}

TEST_F(CTranslate2Folder, NamesBothPlacesOfAPieceThatIsThereTwice) {
  const std::string bytes = file().written(6, 7);
  pieces_[9] = pieces_[5];
  folder_.write("shared_vocabulary.json", pieces_.dump());
  const std::string piece = pieces_[5];
  EXPECT_THAT(refusal(bytes),
              HasSubstr(fmt::format("shared_vocabulary.json: '{}' is piece 5 and 9", piece)));
  std::filesystem::remove(folder_ / "shared_vocabulary.json");
  std::string lines;
  for (const std::string name : pieces_) lines += name + "\n";
  folder_.write("shared_vocabulary.txt", lines);
  EXPECT_THAT(refusal(bytes),
              HasSubstr(fmt::format("shared_vocabulary.txt: '{}' is line 6 and 10", piece)));
}

TEST_F(CTranslate2Folder, CountsTheUnknownPieceThatAListLacksApart) {
  const std::string bytes = file().written(6, 7);
  folder_.write("config.json", R"({"add_source_eos": true, "unk_token": "<other>"})");
  EXPECT_THAT(refusal(bytes), AllOf(HasSubstr("12 rows"), HasSubstr("names 12 pieces, and lacks "
                                                                    "'<other>' (unk_token)")));
  pieces_.erase(11);  // CTranslate2 adds the piece in its place
  folder_.write("shared_vocabulary.json", pieces_.dump());
  EXPECT_EQ(read(bytes).target.piece(text::kUnknown), "<other>");
}

TEST_F(CTranslate2Folder, NeverWritesRowsWithoutAPiece) {
  const std::string bytes = file().written(6, 7);
  EXPECT_THAT(read(bytes).decoding.forbid, ::testing::IsEmpty());
  pieces_[10] = "<unused 10>";
  pieces_[11] = "<unused>";
  folder_.write("shared_vocabulary.json", pieces_.dump());
  EXPECT_THAT(read(bytes).decoding.forbid, ::testing::ElementsAre("<unused 10>"));
}

// ctranslate2 4.8.5 translates by the shared vocabulary, whatever else is there.
TEST_F(CTranslate2Folder, TakesTheSharedVocabularyFirst) {
  nlohmann::json others = pieces_;
  std::swap(others[5], others[6]);
  folder_.write("source_vocabulary.json", others.dump());
  const VariableFile written = file();
  expect_own(read(written.written(6, 7)));  // without a target's beside the source's
  folder_.write("target_vocabulary.json", others.dump());
  const ForeignModel model = read(written.written(6, 7));
  expect_own(model);
  EXPECT_EQ(model.source.piece(5), vocabulary_->piece(5));
}

TEST_F(CTranslate2Folder, NamesTheEndThatIsMissing) {
  folder_.write("config.json", R"({"add_source_eos": true, "eos_token": "</x>"})");
  EXPECT_THAT(refusal(file().written(6, 7)),
              HasSubstr("ends with '</x>' (eos_token), which the vocabulary lacks"));
}

TEST_F(CTranslate2Folder, NamesTheSentencePieceFilesThatItLooksFor) {
  folder_.write("vocab.spm", read_file(folder_ / "sentencepiece.model"));
  std::filesystem::remove(folder_ / "sentencepiece.model");
  nlohmann::json names = pieces_;
  for (std::size_t i = 4; i < names.size(); ++i) names[i] = "\u2581" + std::to_string(i);
  folder_.write("shared_vocabulary.json", names.dump());
  EXPECT_THAT(refusal(file().written(6, 7)),
              HasSubstr("has no SentencePiece file sentencepiece.model, or source.spm and "
                        "target.spm; name it with --source-sentencepiece"));
}

TEST_F(CTranslate2Folder, AlignsAsTheFileSays) {
  const int64_t layers = config_.decoder_layers;
  VariableFile written = file();
  const auto alignment = [&](int16_t layer, int16_t heads) {
    written.set("decoder/alignment_layer", layer, 2);
    written.set("decoder/alignment_heads", heads, 2);
    const ForeignModel model = read(written.written(6, 7));
    return std::pair(model.decoding.alignment.layer, model.decoding.alignment.head);
  };
  const std::pair<int64_t, int64_t> unset{-1, -1}, head{0, 0}, mean{0, -1};
  // ct2-marian-converter, ct2-opennmt-py-converter and others write these, whatever was taught.
  EXPECT_EQ(alignment(-1, 1), unset);
  EXPECT_EQ(alignment(-1, 0), unset);
  EXPECT_EQ(alignment(0, 1), head);
  EXPECT_EQ(alignment(0, 0), mean);
  EXPECT_EQ(alignment(static_cast<int16_t>(-layers), 1), layers == 1 ? unset : head);
  EXPECT_EQ(alignment(0, static_cast<int16_t>(config_.heads)), mean);
  EXPECT_EQ(alignment(0, static_cast<int16_t>(config_.heads - 1)),
            config_.heads == 2 ? head : mean);
  written.set("decoder/alignment_layer", static_cast<int16_t>(layers), 2);
  EXPECT_THAT(refusal(written.written(6, 7)),
              HasSubstr(fmt::format("'decoder/alignment_layer' is {}; the decoder has", layers)));
  // heed's own export.
  for (const decode::AlignmentConfig& own_alignment :
       {decode::AlignmentConfig{.layer = 0, .head = 0}, decode::AlignmentConfig{.layer = 0}}) {
    write_ctranslate2(config_, own(), own_alignment, folder_ / "model.bin");
    const ForeignModel model = read_model(Package(folder_.path()), {});
    EXPECT_EQ(model.decoding.alignment.layer, 0);
    EXPECT_EQ(model.decoding.alignment.head, own_alignment.head);
  }
}

TEST_F(CTranslate2Folder, RefusesWhatIsAnotherModelHere) {
  const std::string bytes = file().written(6, 7);
  folder_.write("config.json", R"({"decoder_start_token": null})");
  EXPECT_THAT(refusal(bytes), HasSubstr("config.json: 'decoder_start_token' is null"));
  for (const char* epsilon : {"0", "0.002", "-1e-6"}) {
    folder_.write("config.json", fmt::format(R"({{"layer_norm_epsilon": {}}})", epsilon));
    EXPECT_THAT(refusal(bytes), AllOf(HasSubstr("config.json: 'layer_norm_epsilon' is"),
                                      HasSubstr("heed has 1e-12 to 0.001")));
  }
  folder_.write("config.json",
                "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n");
  EXPECT_THAT(refusal(bytes),
              AllOf(HasSubstr("config.json: is a Git LFS pointer"), HasSubstr("git lfs pull")));
}

TEST_F(CTranslate2Folder, VocabulariesWithoutSentencePieceAreOfTextThatIsCut) {
  const auto names = nlohmann::json::array(
      {"<pad>", "<unk>", "<s>", "</s>", "Haus@@", "tür", "die", "b", "c", "d", "e", "f"});
  folder_.write("shared_vocabulary.json", names.dump());
  std::filesystem::remove(folder_ / "sentencepiece.model");
  const std::string bytes = file().written(6, 7);
  const ForeignModel model = read(bytes);
  EXPECT_EQ(model.source.encode("die Haus@@ tür"), (std::vector<int32_t>{6, 4, 5}));
  EXPECT_EQ(model.target.decode({6, 4, 5}), "die Haustür");
  EXPECT_THAT(model.notes, ::testing::Contains(HasSubstr("a line is pieces")));
  // Argos Translate's packages have codes of subword-nmt under this name.
  folder_.write("bpe.model", "#version: 0.2\nH a\nHa u\nHau s\nt ü\ntü r</w>\n");
  const ForeignModel argos = read(bytes);
  EXPECT_EQ(argos.source.encode("Haustür"), (std::vector<int32_t>{4, 5}));
  EXPECT_THAT(argos.notes, ::testing::Contains(HasSubstr("sacremoses")));
  EXPECT_EQ(argos.source_language, "");
  folder_.write("metadata.json", R"({"from_code": "de", "to_code": "zle"})");
  EXPECT_EQ(read(bytes).source_language, "de");
  EXPECT_EQ(read(bytes).target_language, "");
}

}  // namespace
}  // namespace heed::exchange
