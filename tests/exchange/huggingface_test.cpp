// Folders of Hugging Face's transformers as heed reads them. Which files there are, and what they
// say, is as transformers 4.57.1 and 5.24.0 wrote it (save_pretrained of models and tokenizers);
// that heed computes the same is tested in tests/twins/test_transformers.py.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "engine/random_weights.h"
#include "exchange/arrays.h"
#include "exchange/foreign_model.h"
#include "exchange/formats.h"
#include "exchange/plain_transformer.h"
#include "message.h"
#include "model/description/safetensors_file.h"
#include "temporary_folder.h"
#include "text/vocabulary_training.h"

namespace heed::exchange {
namespace {

using engine::Array, engine::Floats;
using engine::testing::random_transformer, engine::testing::small_transformer;
using nlohmann::json;
using ::testing::AllOf, ::testing::ElementsAre, ::testing::HasSubstr, ::testing::IsEmpty,
    ::testing::Not;

/// A folder whose word vectors say which row they are.
class TransformersFolder : public ::testing::Test {
 protected:
  TransformersFolder() {
    folder_.write("text", "a b c d\nb a\nd c\n");
    // The ids of fairseq's SentencePiece files: <unk>, <s>, </s>, then pieces.
    text::VocabularyTraining training{
        .files = {text::TextFile(folder_ / "text")}, .size = 12, .algorithm = "bpe"};
    const text::Vocabulary trained = text::train_vocabulary(training);
    for (int32_t id = text::kEnd + 1; id < trained.size(); ++id) own_.push_back(trained.piece(id));
    segments_ = trained.model();
    shape_ = {{"d_model", 12},
              {"encoder_ffn_dim", 10},
              {"decoder_ffn_dim", 10},
              {"encoder_attention_heads", 3},
              {"decoder_attention_heads", 3},
              {"encoder_layers", 1},
              {"decoder_layers", 1},
              {"max_position_embeddings", 9},
              {"activation_function", "relu"},
              {"scale_embedding", true}};
  }

  void write(const std::string& file, const json& value) const {
    folder_.write("model/" + file, value.dump());
  }
  void remove(const std::string& file) const {
    std::filesystem::remove(folder_ / ("model/" + file));
  }

  /// Writes weights with so many rows. `extra`: a matrix of their shape with other numbers, under
  /// this name. `mbart`: with norms of embeddings, and tables of positions whose row i is i in the
  /// encoder and 100 + i in the decoder.
  void write_weights(const std::string& file, model::Norm norm, int64_t rows,
                     const std::string& extra = "", bool mbart = false) const {
    model::ModelConfig config = small_transformer();
    config.norm = norm;
    config.tie = model::Tie::all;
    config.embedding_norm = mbart;
    const engine::Weights weights = random_transformer(config, rows);
    std::vector<Array> arrays;
    std::vector<model::SlotBytes> slots;
    for (const HuggingFaceTensor& tensor : hugging_face_tensors(config)) {
      Array own = weights.at(tensor.own);
      if (tensor.name == "model.shared.weight") {
        Floats numbers(own.count());
        for (int64_t i = 0; i < own.count(); ++i) numbers[i] = static_cast<float>(i / config.width);
        own = array_from(std::move(numbers), own.shape);
      }
      const int64_t share = own.rows() / tensor.parts;
      arrays.push_back(rows_of(own, tensor.part * share, share));
      slots.push_back(
          {{.name = tensor.name, .type = model::Dtype::F32, .shape = arrays.back().shape},
           {reinterpret_cast<const char*>(arrays.back().data),
            arrays.back().count() * sizeof(float)}});
    }
    const auto add = [&](const std::string& name, Floats numbers) {
      const int64_t count = std::ssize(numbers) / config.width;
      arrays.push_back(array_from(std::move(numbers), {count, config.width}));
      slots.push_back({{.name = name, .type = model::Dtype::F32, .shape = arrays.back().shape},
                       {reinterpret_cast<const char*>(arrays.back().data),
                        arrays.back().count() * sizeof(float)}});
    };
    if (!extra.empty()) add(extra, Floats(rows * config.width, 0.5F));
    for (const bool decoder : {false, true}) {
      if (!mbart) break;
      Floats table;
      for (int64_t i = 0; i < 11; ++i)  // 9 positions after two that no token has
        table.insert(table.end(), config.width, static_cast<float>(decoder ? 100 + i : i));
      add(fmt::format("model.{}.embed_positions.weight", decoder ? "decoder" : "encoder"), table);
    }
    model::write_safetensors(std::move(slots), {{"format", "pt"}}, folder_ / ("model/" + file));
  }

  /// OPUS-MT's order: </s> first, <pad> last.
  void write_marian() {
    std::vector<std::string> names = {"</s>", "<unk>"};
    names.insert(names.end(), own_.begin(), own_.end());
    names.emplace_back("<pad>");
    const auto pad = std::ssize(names) - 1;
    write("vocab.json", ids_of(names));
    folder_.write("model/source.spm", segments_);
    folder_.write("model/target.spm", segments_);
    json config = shape_;
    config.update({{"model_type", "marian"},
                   {"vocab_size", names.size()},
                   {"decoder_start_token_id", pad},
                   {"pad_token_id", pad},
                   {"eos_token_id", 0}});
    write("config.json", config);
    write_weights("model.safetensors", model::Norm::post, std::ssize(names));
  }

  /// `rows` beyond those of vocab.json.
  void write_m2m_100(int64_t rows) {
    write("vocab.json", ids_of(fairseq_names()));
    write_many(rows);
  }
  void write_nllb(int64_t rows) { write_many(rows); }
  void write_many(int64_t rows) {
    folder_.write("model/sentencepiece.bpe.model", segments_);
    rows_ = 4 + std::ssize(own_) + rows;
    json config = shape_;
    config.update(
        {{"model_type", "m2m_100"}, {"vocab_size", rows_}, {"decoder_start_token_id", 2}});
    write("config.json", config);
    write_weights("model.safetensors", model::Norm::pre, rows_);
  }
  /// mBART-50 with so many rows beyond the pieces of text.
  void write_mbart(int64_t rows) {
    folder_.write("model/sentencepiece.bpe.model", segments_);
    rows_ = 4 + std::ssize(own_) + rows;
    json config = shape_;
    config.update({{"model_type", "mbart"},
                   {"vocab_size", rows_},
                   {"tokenizer_class", "MBart50Tokenizer"},
                   {"decoder_start_token_id", 2}});
    write("config.json", config);
    write_weights("model.safetensors", model::Norm::pre, rows_, "", /*mbart=*/true);
  }
  std::vector<std::string> fairseq_names() const {
    std::vector<std::string> names = {"<s>", "<pad>", "</s>", "<unk>"};
    names.insert(names.end(), own_.begin(), own_.end());
    return names;
  }
  static json ids_of(const std::vector<std::string>& names) {
    json ids;
    for (std::size_t id = 0; id < names.size(); ++id) ids[names[id]] = id;
    return ids;
  }

  ForeignModel read() const { return read_model(Package(folder_ / "model"), {}); }
  std::string refusal() const {
    return message_of<UserError>([&] { read(); });
  }
  /// The row that a piece's vector has in the model that was read; -1: there is no such piece.
  static int64_t row_of(const ForeignModel& model, const std::string& piece) {
    const auto id = model.source.id_of(piece);
    if (!id) return -1;
    const Array& vectors = model.weights.at("embedding.weight");
    return static_cast<int64_t>(vectors.data[*id * vectors.columns()]);
  }

  /// The same where the sides have vectors of their own.
  static int64_t row_of_source(const ForeignModel& model, const std::string& piece) {
    const Array& vectors = model.weights.at("source_embedding.weight");
    return static_cast<int64_t>(vectors.data[*model.source.id_of(piece) * vectors.columns()]);
  }

  TemporaryFolder folder_;
  std::string segments_;
  std::vector<std::string> own_;  // pieces
  json shape_;
  int64_t rows_ = 0;
};

TEST_F(TransformersFolder, HasTheWeightsOfItsOwnFileAlone) {
  write_marian();
  const auto vectors = [&] { return read().weights.at("embedding.weight").copy(); };
  const Floats right = vectors();
  // Somebody's copy of before, with another number of rows.
  write_weights("model_old.safetensors", model::Norm::post, 40);
  write_weights("adapter_model.safetensors", model::Norm::post, 40);
  EXPECT_EQ(vectors(), right);
  std::filesystem::rename(folder_ / "model/model.safetensors",
                          folder_ / "model/model-00001-of-00002.safetensors");
  EXPECT_THAT(refusal(), AllOf(HasSubstr("model.safetensors: is missing"),
                               HasSubstr("model-00001-of-00002.safetensors"),
                               HasSubstr("model_old.safetensors")));
  const json index = {
      {"weight_map", {{"model.shared.weight", "model-00001-of-00002.safetensors"}}}};
  write("model.safetensors.index.json", index);
  EXPECT_EQ(vectors(), right);
  write_weights("model.safetensors", model::Norm::post, 40);
  EXPECT_THAT(refusal(), AllOf(HasSubstr("model.safetensors and model.safetensors.index.json"),
                               HasSubstr("move the other away")));
  remove("model.safetensors");
  remove("model-00001-of-00002.safetensors");
  EXPECT_THAT(refusal(), HasSubstr("model-00001-of-00002.safetensors: is missing, and"));
}

TEST_F(TransformersFolder, ComparesRowsWithNamesAndWithItsConfiguration) {
  write_marian();
  const json config = json::parse(read_file(folder_ / "model/config.json"));
  const int64_t names = config["vocab_size"];
  write_weights("model.safetensors", model::Norm::post, names + 3);
  EXPECT_THAT(refusal(), AllOf(HasSubstr("'vocab_size' is 11"), HasSubstr("have 14 rows")));
  json other = config;
  other["vocab_size"] = names + 3;  // as pad_to_multiple_of makes it
  write("config.json", other);
  EXPECT_THAT(read().notes, IsEmpty());
  other["vocab_size"] = 64;
  write("config.json", other);
  write_weights("model.safetensors", model::Norm::post, 64);
  EXPECT_THAT(read().notes, ElementsAre(HasSubstr("last 53 of the encoder's 64 word vectors")));
  other["vocab_size"] = 2000;
  write("config.json", other);
  write_weights("model.safetensors", model::Norm::post, 2000);
  EXPECT_THAT(refusal(), AllOf(HasSubstr("'vocab_size' is 2000"), HasSubstr("vocab.json"),
                               HasSubstr("11 pieces"), HasSubstr("not of one model")));
  other["vocab_size"] = 9;
  write("config.json", other);
  write_weights("model.safetensors", model::Norm::post, 9);
  EXPECT_THAT(refusal(), AllOf(HasSubstr("is 9"), HasSubstr("11 pieces")));
}

TEST_F(TransformersFolder, RowsWithoutAPieceAreAPartOfTheSoftmax) {
  const auto has_all_rows = [&](const ForeignModel& model) {
    std::set<int64_t> rows;
    for (int32_t id = 0; id < model.target.size(); ++id)
      rows.insert(row_of(model, model.target.piece(id)));
    return std::ssize(rows) == model.weights.at("embedding.weight").rows() - 1;  // <s> begins
  };
  write_marian();
  json config = json::parse(read_file(folder_ / "model/config.json"));
  const int64_t names = config["vocab_size"];
  config["vocab_size"] = names + 2;
  write("config.json", config);
  write_weights("model.safetensors", model::Norm::post, names + 2);
  ForeignModel model = read();
  const std::string first = fmt::format("<unused {}>", names),
                    second = fmt::format("<unused {}>", names + 1);
  EXPECT_TRUE(has_all_rows(model));
  EXPECT_EQ(row_of(model, second), names + 1);
  EXPECT_THAT(model.decoding.forbid, ElementsAre(first, second));
  EXPECT_FALSE(model.source.has_symbol(first));
  // A list that names one of them, too.
  write("generation_config.json", {{"bad_words_ids", {{names + 1}}}});
  EXPECT_THAT(read().decoding.forbid, ElementsAre(second, first));
  remove("generation_config.json");
  // A hole among the others.
  json ids = json::parse(read_file(folder_ / "model/vocab.json"));
  const int64_t hole = ids[own_.back()];
  ids.erase(own_.back());
  write("vocab.json", ids);
  EXPECT_EQ(row_of(read(), fmt::format("<unused {}>", hole)), hole);
}

TEST_F(TransformersFolder, HasAnOutputLayerOfItsOwn) {
  write_m2m_100(108);
  write("tokenizer_config.json", {{"language_codes", "m2m100"}});
  write_weights("model.safetensors", model::Norm::pre, rows_, "lm_head.weight");
  EXPECT_THAT(refusal(), AllOf(HasSubstr("config.json: 'tie_word_embeddings' is not false"),
                               HasSubstr("model.shared.weight and lm_head.weight differ")));
  json config = json::parse(read_file(folder_ / "model/config.json"));
  config["tie_word_embeddings"] = false;
  write("config.json", config);
  const ForeignModel model = read();
  EXPECT_EQ(model.model.tie, model::Tie::none);
  EXPECT_EQ(model.weights.at("output.weight").data[0], 0.5F);
  EXPECT_EQ(row_of_source(model, "__af__"), std::ssize(fairseq_names()));
}

TEST_F(TransformersFolder, KnowsTheLanguagesThatMariansTokenizerNames) {
  write_marian();
  write("tokenizer_config.json", {{"source_lang", "deu"}, {"target_lang", "en"}});
  EXPECT_EQ(read().source_language, "de");
  EXPECT_EQ(read().target_language, "en");
  write("tokenizer_config.json", {{"source_lang", "zle"}});  // a family of languages
  EXPECT_EQ(read().source_language, "");
  EXPECT_EQ(read().target_language, "");
}

TEST_F(TransformersFolder, TakesPiecesThatWereAdded) {
  write_marian();
  json config = json::parse(read_file(folder_ / "model/config.json"));
  const int64_t names = config["vocab_size"];
  config["vocab_size"] = names + 2;
  write("config.json", config);
  write_weights("model.safetensors", model::Norm::post, names + 2);
  write("added_tokens.json", {{"<x>", names}, {"zork", names + 1}});
  const ForeignModel model = read();
  EXPECT_EQ(row_of(model, "<x>"), names);
  EXPECT_EQ(row_of(model, "zork"), names + 1);
  EXPECT_TRUE(model.source.has_symbol("zork"));
  EXPECT_THAT(model.notes, IsEmpty());
  // As transformers cuts it: each part has a word start of its own.
  EXPECT_EQ(model.source.spell("a <x>b"), model.source.spell("a<x> b"));
  EXPECT_EQ(std::ranges::count(model.source.spell("a<x>b zork"), "\u2581b"), 1);
  const json word = {{"content", "zork"}, {"single_word", true}};
  write("tokenizer_config.json", {{"added_tokens_decoder", {{std::to_string(names + 1), word}}}});
  EXPECT_THAT(read().notes, ElementsAre(AllOf(HasSubstr("zork"), HasSubstr("whole words"))));
  remove("tokenizer_config.json");
  write("added_tokens.json", {{"<x>", 3}});
  EXPECT_THAT(refusal(),
              AllOf(HasSubstr("added_tokens.json"), HasSubstr("'<x>' have the same id, 3")));
}

TEST_F(TransformersFolder, KnowsTheLanguagesOfM2M100AsTransformers5SavesIt) {
  // It lists none: tokenizer_config.json names the list, whose ids follow those of vocab.json.
  write_m2m_100(108);
  const auto own = static_cast<int64_t>(fairseq_names().size());
  const json special = {{"0", {{"content", "<s>"}, {"special", true}}},
                        {"1", {{"content", "<pad>"}, {"special", true}}},
                        {"2", {{"content", "</s>"}, {"special", true}}},
                        {"3", {{"content", "<unk>"}, {"special", true}}}};
  json tokenizer = {{"added_tokens_decoder", special},
                    {"extra_special_tokens", json::array()},
                    {"language_codes", "m2m100"},
                    {"num_madeup_words", 8},
                    {"src_lang", "de"},
                    {"tgt_lang", nullptr}};
  write("tokenizer_config.json", tokenizer);
  const ForeignModel model = read();
  EXPECT_EQ(model.languages.size(), 100U);
  EXPECT_EQ(row_of(model, "__af__"), own);
  EXPECT_EQ(row_of(model, "__de__"), own + 16);  // the 17th of the list
  EXPECT_EQ(row_of(model, "__zu__"), own + 99);
  EXPECT_EQ(model.source_language, "de");
  EXPECT_EQ(model.target_language, "");
  tokenizer["language_codes"] = "wmt21";
  write("tokenizer_config.json", tokenizer);
  EXPECT_EQ(row_of(read(), "__ja__"), own + 3);
  // A piece that was added to such a tokenizer has the id of a language.
  write("added_tokens.json", {{"<x>", own}});
  EXPECT_THAT(read().notes, ::testing::Contains(AllOf(HasSubstr("__en__ cannot be used"),
                                                      HasSubstr("were added"))));
  EXPECT_EQ(row_of(read(), "<x>"), own);
  EXPECT_EQ(row_of(read(), "__ha__"), own + 1);
  EXPECT_EQ(row_of(read(), "__en__"), -1);
  remove("added_tokens.json");
  tokenizer["language_codes"] = "none";
  write("tokenizer_config.json", tokenizer);
  EXPECT_THAT(refusal(), HasSubstr("'language_codes' is 'none'"));
  write("special_tokens_map.json", {{"additional_special_tokens", {"__fr__", "__de__"}}});
  EXPECT_EQ(row_of(read(), "__de__"), own + 1);
}

TEST_F(TransformersFolder, ReadsTheIdsOfNLLBsLanguages) {
  write_nllb(5);
  const auto own = static_cast<int64_t>(fairseq_names().size());
  write("special_tokens_map.json",
        {{"additional_special_tokens", {"deu_Latn", "fra_Latn"}}, {"mask_token", "<mask>"}});
  EXPECT_THAT(refusal(), AllOf(HasSubstr("tokenizer.json: is needed"), HasSubstr("'deu_Latn'")));
  // Version 4.57.1 numbers them so where it has the SentencePiece file alone.
  write("added_tokens.json", {{"<mask>", own}, {"deu_Latn", own + 1}, {"fra_Latn", own + 2}});
  EXPECT_EQ(row_of(read(), "fra_Latn"), own + 2);
  EXPECT_THAT(read().languages, ElementsAre("deu_Latn", "fra_Latn"));
  EXPECT_FALSE(read().source.has_symbol("<mask>"));
  // Facebook's own folder has them in tokenizer.json.
  remove("added_tokens.json");
  const auto token = [](int64_t id, const char* content) {
    return json{{"id", id}, {"content", content}, {"special", true}};
  };
  json tokenizer = {{"model", {{"type", "BPE"}, {"vocab", ids_of(fairseq_names())}}}};
  tokenizer["added_tokens"] = {token(0, "<s>"), token(own, "deu_Latn"), token(own + 1, "fra_Latn"),
                               token(own + 2, "<mask>")};
  write("tokenizer.json", tokenizer);
  write("generation_config.json", {{"forced_bos_token_id", own + 1}});
  EXPECT_EQ(row_of(read(), "fra_Latn"), own + 1);
  EXPECT_EQ(read().target_language, "fra_Latn");
  EXPECT_THAT(read().notes, IsEmpty());
  write("tokenizer_config.json", {{"legacy_behaviour", true}});
  EXPECT_THAT(read().notes, ElementsAre(HasSubstr("'legacy_behaviour' puts")));
  write("tokenizer_config.json",
        {{"added_tokens_decoder", {{std::to_string(own + 2), {{"content", "fra_Latn"}}}}}});
  EXPECT_THAT(refusal(), AllOf(HasSubstr("'fra_Latn'"), HasSubstr("in another file")));
  remove("sentencepiece.bpe.model");
  remove("tokenizer.json");
  EXPECT_THAT(refusal(),
              HasSubstr("sentencepiece.bpe.model: is missing, and so is tokenizer.json"));
}

TEST_F(TransformersFolder, CutsAsTokenizerJsonSaysWhereItIsAlone) {
  write_nllb(2);
  const auto own = static_cast<int64_t>(fairseq_names().size());
  json merges = json::array();
  const std::set<std::string> known(own_.begin(), own_.end());
  for (const std::string& piece : own_)
    for (std::size_t at = 1; at < piece.size(); ++at)
      if (known.contains(piece.substr(0, at)) && known.contains(piece.substr(at)))
        merges.push_back({piece.substr(0, at), piece.substr(at)});
  ASSERT_FALSE(merges.empty());
  const auto token = [](int64_t id, const char* content) {
    return json{{"id", id}, {"content", content}, {"normalized", false}};
  };
  json tokenizer = {
      {"added_tokens", {token(own, "deu_Latn"), token(own + 1, "<x>")}},
      {"normalizer", {{"type", "Replace"}, {"pattern", {{"Regex", " {2,}"}}}, {"content", " "}}},
      {"pre_tokenizer",
       {{"type", "Metaspace"}, {"replacement", "\u2581"}, {"prepend_scheme", "always"}}},
      {"model", {{"type", "BPE"}, {"vocab", ids_of(fairseq_names())}, {"merges", merges}}}};
  write("tokenizer.json", tokenizer);
  const text::Vocabulary with_segments = read().source;
  remove("sentencepiece.bpe.model");
  const text::Vocabulary alone = read().source;
  for (const std::string line : {"a b c d", "dcab ba", "a<x> b <x>c", "q a", "d d"}) {
    EXPECT_EQ(alone.encode(line), with_segments.encode(line)) << line;
    EXPECT_EQ(alone.spell(line), with_segments.spell(line)) << line;
  }
  // This version of transformers makes a piece of the blank before an added piece; one whose
  // normaliser strips texts at their end makes none.
  const auto marks = [&] { return std::ranges::count(read().source.spell("a <x>"), "\u2581"); };
  EXPECT_EQ(marks(), 1);
  tokenizer["normalizer"] = {{"type", "Sequence"},
                             {"normalizers", {{{"type", "Strip"}, {"strip_right", true}}}}};
  write("tokenizer.json", tokenizer);
  EXPECT_EQ(marks(), 0);
  const auto refused = [&](const json& patch) {
    json other = tokenizer;
    other.merge_patch(patch);
    write("tokenizer.json", other);
    return refusal();
  };
  EXPECT_THAT(refused({{"model", {{"merges", json::array()}}}}), HasSubstr("'model.merges' lacks"));
  EXPECT_THAT(refused({{"model", {{"byte_fallback", true}}}}), HasSubstr("'model.byte_fallback'"));
  EXPECT_THAT(refused({{"model", {{"type", "WordPiece"}}}}),
              AllOf(HasSubstr("'model.type'"), HasSubstr("'WordPiece'")));
  EXPECT_THAT(refused({{"normalizer", {{"type", "Lowercase"}}}}), HasSubstr("step 'Lowercase'"));
  EXPECT_THAT(refused({{"pre_tokenizer", nullptr}}), HasSubstr("has no Metaspace"));
  EXPECT_THAT(refused({{"normalizer", {{"type", "Precompiled"}, {"precompiled_charsmap", "*"}}}}),
              HasSubstr("no base64"));
}

TEST_F(TransformersFolder, ReadsSMaLL100WithTheTargetBeforeTheSource) {
  write_m2m_100(108);
  const auto own = static_cast<int64_t>(fairseq_names().size());
  write("tokenizer_config.json", {{"tokenizer_class", "SMALL100Tokenizer"}, {"tgt_lang", "fr"}});
  const ForeignModel model = read();
  EXPECT_EQ(model.program, "Hugging Face SMaLL-100");
  EXPECT_EQ(model.target_language, "fr");
  EXPECT_EQ(model.source_language, "");
  EXPECT_EQ(model.languages.size(), 100U);
  EXPECT_EQ(row_of(model, "<2de>"), own + 16);
  EXPECT_EQ(row_of(model, "__de__"), -1);
  EXPECT_TRUE(model.source.has_symbol("<2fr>"));
  write("tokenizer_config.json", {{"language_codes", "m2m100"}});
  EXPECT_EQ(row_of(read(), "__de__"), own + 16);
  folder_.write("model/tokenization_small100.py", "");
  EXPECT_EQ(row_of(read(), "<2de>"), own + 16);
}

TEST_F(TransformersFolder, ReadsAllTensors) {
  write_marian();
  json config = json::parse(read_file(folder_ / "model/config.json"));
  const int64_t rows = config["vocab_size"];
  for (const char* extra :
       {"model.encoder.layers.1.fc1.weight", "model.decoder.layers.0.fc3.weight"}) {
    write_weights("model.safetensors", model::Norm::post, rows, extra);
    const std::string stack = std::string(extra).substr(6, 7);
    EXPECT_THAT(refusal(), HasSubstr(fmt::format("config.json: '{}_layers' is 1, and the weights "
                                                 "have the tensor {}, which",
                                                 stack, extra)));
  }
  write_weights("model.safetensors", model::Norm::post, rows, "model.adapter.weight");
  EXPECT_THAT(refusal(), HasSubstr("config.json: the weights have the tensor model.adapter.weight, "
                                   "which transformers lacks in 'marian'"));
  // The norms after the last block of an M2M-100.
  write_weights("model.safetensors", model::Norm::pre, rows);
  EXPECT_THAT(refusal(), HasSubstr("model.decoder.layer_norm.bias"));
  // transformers computes these.
  for (const char* extra :
       {"model.encoder.embed_positions.weight", "model.decoder.embed_positions.weights"}) {
    write_weights("model.safetensors", model::Norm::post, rows, extra);
    EXPECT_EQ(row_of(read(), "<unk>"), 1) << extra;
  }
}

TEST_F(TransformersFolder, NamesTheTensorThatDoesNotFit) {
  write_marian();
  json config = json::parse(read_file(folder_ / "model/config.json"));
  config["d_model"] = 24;
  write("config.json", config);
  EXPECT_THAT(refusal(), AllOf(HasSubstr("config.json: 'd_model' is 24"),
                               HasSubstr("the tensor model.shared.weight is [11,12]")));
  config["d_model"] = 12;
  config["encoder_ffn_dim"] = config["decoder_ffn_dim"] = 16;
  write("config.json", config);
  EXPECT_THAT(refusal(),
              AllOf(HasSubstr("'encoder_ffn_dim' is 16"),
                    HasSubstr("the tensor model.encoder.layers.0.fc1.weight is [10,12]")));
}

TEST_F(TransformersFolder, SaysWhichKeyIsMissing) {
  write_marian();
  const json config = json::parse(read_file(folder_ / "model/config.json"));
  for (const char* key : {"model_type", "activation_function"}) {
    json other = config;
    other.erase(key);
    write("config.json", other);
    EXPECT_THAT(refusal(), HasSubstr(fmt::format("config.json: has no '{}', which says", key)));
  }
}

TEST_F(TransformersFolder, CountsPiecesThatOtherFilesAddApart) {
  write_m2m_100(107);  // and there are 100 languages
  write("tokenizer_config.json", {{"language_codes", "m2m100"}});
  json config = json::parse(read_file(folder_ / "model/config.json"));
  const std::size_t own = fairseq_names().size();
  config["vocab_size"] = own + 99;
  write("config.json", config);
  write_weights("model.safetensors", model::Norm::pre, static_cast<int64_t>(own) + 99);
  EXPECT_THAT(refusal(),
              AllOf(HasSubstr(fmt::format("there are {} pieces: {} of ", own + 100, own)),
                    HasSubstr("vocab.json, and 100 that were added")));
}

TEST_F(TransformersFolder, NamesKeysAndTypesThatAreThere) {
  write_marian();
  json config = json::parse(read_file(folder_ / "model/config.json"));
  config["encoder_layers"] = -1;
  write("config.json", config);
  // The file has one line.
  EXPECT_THAT(refusal(), AllOf(HasSubstr("config.json: encoder_layers"),
                               ::testing::Not(HasSubstr("config.json:1"))));
  write_marian();
  const std::vector<int64_t> numbers(4);
  model::write_safetensors(
      {{{.name = "model.shared.weight", .type = model::Dtype::I64, .shape = {4}},
        {reinterpret_cast<const char*>(numbers.data()), 32}}},
      {}, folder_ / "model/model.safetensors");
  EXPECT_THAT(refusal(), AllOf(HasSubstr("model.shared.weight"), HasSubstr("I64")));
}

TEST_F(TransformersFolder, NamesFilesThatStandInForOthers) {
  for (const char* file : {"config.json", "vocab.json", "source.spm", "model.safetensors"}) {
    write_marian();
    folder_.write("model/" + std::string(file), "<!DOCTYPE html>\n<title>404</title>");
    EXPECT_THAT(refusal(), AllOf(HasSubstr(std::string(file) + ": is a web page"),
                                 HasSubstr("fetch it again")));
    folder_.write("model/" + std::string(file), "/annex/objects/MD5E-s8--0cc175b9c0f1b6\n");
    EXPECT_THAT(refusal(), HasSubstr(std::string(file) + ": is a git-annex pointer"));
  }
}

TEST_F(TransformersFolder, OpensMBart50) {
  // Facebook's own folder: 52 languages and <mask>, whose ids no file says.
  write_mbart(53);
  const auto own = static_cast<int64_t>(fairseq_names().size());
  write("special_tokens_map.json",
        {{"additional_special_tokens", {"ar_AR", "en_XX", "sl_SI"}}, {"mask_token", "<mask>"}});
  write("tokenizer_config.json", {{"src_lang", "en_XX"}, {"tgt_lang", nullptr}});
  write("generation_config.json",
        {{"forced_bos_token_id", own + 2}, {"forced_eos_token_id", 2}, {"eos_token_id", 2}});
  const ForeignModel model = read();
  EXPECT_EQ(model.program, "Hugging Face mBART-50");
  EXPECT_THAT(model.notes, IsEmpty());
  EXPECT_EQ(model.languages.size(), 52U);
  EXPECT_EQ(row_of(model, own_[0]), 4);
  EXPECT_EQ(row_of(model, "ar_AR"), own);
  EXPECT_EQ(row_of(model, "en_XX"), own + 3);  // the fourth of the list
  EXPECT_EQ(row_of(model, "sl_SI"), own + 51);
  EXPECT_EQ(row_of(model, "<mask>"), own + 52);
  EXPECT_TRUE(model.source.has_symbol("en_XX"));
  EXPECT_FALSE(model.source.has_symbol("<mask>"));
  EXPECT_EQ(model.source_language, "en_XX");
  EXPECT_EQ(model.target_language, "de_DE");
  EXPECT_TRUE(model.source_end);
  EXPECT_EQ(model.model.norm, model::Norm::pre);
  EXPECT_TRUE(model.model.embedding_norm);
  EXPECT_EQ(model.model.norm_epsilon, 1e-5);
  EXPECT_EQ(model.model.max_positions, 9);
  // Position 0 has row 2 of its own side's table.
  EXPECT_EQ(model.weights.at("source_positions.weight").shape, (std::vector<int64_t>{9, 12}));
  EXPECT_EQ(model.weights.at("source_positions.weight").data[0], 2);
  EXPECT_EQ(model.weights.at("target_positions.weight").data[8 * 12], 110);
  const Array& vectors = model.weights.at("embedding.weight");
  EXPECT_EQ(vectors.data[text::kBegin * vectors.columns()], 2);  // decoders begin with </s>
  EXPECT_TRUE(model.weights.contains("decoder.embedding_norm.bias"));
  // A language that is listed, and that transformers' list lacks.
  write("special_tokens_map.json", {{"additional_special_tokens", {"ar_AR", "xx_YY"}}});
  EXPECT_THAT(refusal(), AllOf(HasSubstr("tokenizer.json: is needed"), HasSubstr("'xx_YY'")));
}

TEST_F(TransformersFolder, ReadsTheIdsOfMBart50sLanguages) {
  write_mbart(4);
  const auto own = static_cast<int64_t>(fairseq_names().size());
  // As transformers 4.57.1 saves a tokenizer.
  json added;
  for (const auto& [id, piece] : std::map<int64_t, std::string>{
           {0, "<s>"}, {2, "</s>"}, {own, "<mask>"}, {own + 1, "fr_XX"}, {own + 2, "de_DE"}})
    added[std::to_string(id)] = {{"content", piece}, {"special", true}};
  write("tokenizer_config.json",
        {{"added_tokens_decoder", added}, {"src_lang", "de_DE"}, {"tgt_lang", "fr_XX"}});
  ForeignModel model = read();
  EXPECT_THAT(model.languages, ElementsAre("fr_XX", "de_DE"));
  EXPECT_EQ(row_of(model, "fr_XX"), own + 1);
  EXPECT_EQ(row_of(model, "<mask>"), own);
  EXPECT_EQ(model.target_language, "fr_XX");
  EXPECT_THAT(model.decoding.forbid, ElementsAre(fmt::format("<unused {}>", own + 3)));
  // As transformers 5.24.0 does: its vocabulary has the languages, too.
  json vocabulary = json::array();
  for (const std::string& piece : fairseq_names()) vocabulary.push_back({piece, -1.5});
  for (const char* piece : {"de_DE", "fr_XX", "<mask>"}) vocabulary.push_back({piece, 0.0});
  write("tokenizer_config.json", {{"src_lang", "de_DE"}});
  write("tokenizer.json",
        {{"model", {{"type", "Unigram"}, {"vocab", vocabulary}}},
         {"added_tokens",
          {{{"id", own + 1}, {"content", "fr_XX"}}, {{"id", own + 3}, {"content", "<x>"}}}}});
  model = read();
  EXPECT_EQ(row_of(model, "de_DE"), own);
  EXPECT_EQ(row_of(model, "fr_XX"), own + 1);
  for (const char* symbol : {"de_DE", "fr_XX", "<x>"})
    EXPECT_TRUE(model.source.has_symbol(symbol)) << symbol;
  EXPECT_EQ(model.target_language, "");
}

TEST_F(TransformersFolder, RefusesMBartWhoseSourcesEndWithTheirLanguage) {
  write_mbart(53);
  json config = json::parse(read_file(folder_ / "model/config.json"));
  config.erase("tokenizer_class");
  write("config.json", config);
  EXPECT_THAT(refusal(), AllOf(HasSubstr("config.json: 'tokenizer_class' is missing"),
                               HasSubstr("transformers takes 'MBartTokenizer'"),
                               HasSubstr("sources end with their language")));
  write("tokenizer_config.json", {{"tokenizer_class", "MBartTokenizer"}});
  EXPECT_THAT(refusal(), AllOf(HasSubstr("tokenizer_config.json: 'tokenizer_class' is "
                                         "'MBartTokenizer', whose sources end with"),
                               Not(HasSubstr("\n"))));
  write("tokenizer_config.json", {{"tokenizer_class", "AlbertTokenizer"}});
  EXPECT_THAT(refusal(), HasSubstr("is 'AlbertTokenizer'; heed opens mbart with"));
  write("tokenizer_config.json", {{"tokenizer_class", "MBart50TokenizerFast"}});
  EXPECT_EQ(read().languages.size(), 52U);
}

TEST_F(TransformersFolder, TakesMBartsTableOfVectorsWhereSidesHaveNoneOfTheirOwn) {
  // transformers 4.57.1 saves a model that is not tied so, and draws other vectors when it loads
  // it.
  write_mbart(53);
  write_weights("model.safetensors", model::Norm::pre, rows_, "lm_head.weight", /*mbart=*/true);
  json config = json::parse(read_file(folder_ / "model/config.json"));
  config["tie_word_embeddings"] = false;
  write("config.json", config);
  const ForeignModel model = read();
  EXPECT_EQ(model.model.tie, model::Tie::none);
  EXPECT_EQ(row_of_source(model, "ar_AR"), std::ssize(fairseq_names()));
  EXPECT_EQ(model.weights.at("output.weight").data[0], 0.5F);
}

TEST_F(TransformersFolder, OtherModelsHaveNoNormOfEmbeddings) {
  write_marian();
  json config = json::parse(read_file(folder_ / "model/config.json"));
  config["normalize_embedding"] = true;
  write("config.json", config);
  EXPECT_THAT(refusal(), HasSubstr("config.json: 'normalize_embedding' is true, and transformers "
                                   "has no such layer in 'marian'"));
}

TEST_F(TransformersFolder, SearchesAsItsGenerationConfigurationSays) {
  write_marian();
  const json ids = json::parse(read_file(folder_ / "model/vocab.json"));
  const int64_t pad = ids["<pad>"], piece = ids[own_[2]], other = ids[own_[3]];
  write("generation_config.json", {{"bad_words_ids", {{pad}, {piece}, {1}}},
                                   {"min_length", 6},
                                   {"max_length", 512},
                                   {"num_beams", 3},
                                   {"length_penalty", 0.5},
                                   {"no_repeat_ngram_size", 4},
                                   {"num_return_sequences", 2},
                                   {"forced_eos_token_id", 0},
                                   {"eos_token_id", 0}});
  ForeignModel model = read();
  EXPECT_THAT(model.decoding.forbid, ElementsAre(own_[2], "<unk>"));
  EXPECT_EQ(model.decoding.min_length, 5);  // theirs counts <pad>
  EXPECT_EQ(model.decoding.beam_size, 3);
  EXPECT_EQ(model.decoding.alpha, 0.5);
  EXPECT_EQ(model.decoding.no_repeat_ngram, 4);
  EXPECT_EQ(model.decoding.n_best, 2);
  EXPECT_THAT(model.notes, IsEmpty());  // 512 is more than its positions
  write("generation_config.json", {{"bad_words_ids", {{piece, other}}},
                                   {"suppress_tokens", {other}},
                                   {"max_length", 7},
                                   {"repetition_penalty", 1.2},
                                   {"diversity_penalty", 0.0},
                                   {"forced_bos_token_id", 3}});
  model = read();
  EXPECT_THAT(model.decoding.forbid, ElementsAre(own_[3]));
  EXPECT_THAT(model.notes,
              ElementsAre(AllOf(HasSubstr("generation_config.json"), HasSubstr("'bad_words_ids'"),
                                HasSubstr("'max_length' (7)"), HasSubstr("'repetition_penalty'"),
                                HasSubstr("'forced_bos_token_id' (3)"),
                                ::testing::Not(HasSubstr("diversity")))));
  write("generation_config.json", {{"do_sample", true}, {"temperature", 0.5}, {"num_beams", 1}});
  model = read();
  EXPECT_EQ(model.decoding.sampling.top_k, 50);
  EXPECT_EQ(model.decoding.sampling.temperature, 0.5);
}

TEST_F(TransformersFolder, SaysWhichNumbersOfASearchChange) {
  write_marian();
  write("generation_config.json", {{"num_beams", 5000}, {"length_penalty", -1.5}});
  const ForeignModel model = read();
  EXPECT_EQ(model.decoding.beam_size, 1000);
  EXPECT_EQ(model.decoding.alpha, 0);
  EXPECT_THAT(model.notes,
              ElementsAre(HasSubstr("generation_config.json: out of the range of heed's keys: "
                                    "'num_beams' 5000 becomes 1000, 'length_penalty' -1.5 "
                                    "becomes 0")));
}

TEST_F(TransformersFolder, SaysWhatItLeavesOutOfPiecesOfASearch) {
  write_marian();
  const json ids = json::parse(read_file(folder_ / "model/vocab.json"));
  const int64_t start = ids["<pad>"], beyond = static_cast<int64_t>(ids.size());
  write("generation_config.json", {{"decoder_start_token_id", start}, {"bad_words_ids", {{1}}}});
  EXPECT_THAT(read().notes, IsEmpty());
  write("generation_config.json", {{"decoder_start_token_id", 0}});
  EXPECT_THAT(read().notes, ElementsAre(HasSubstr("'decoder_start_token_id' (0): left out")));
  write("generation_config.json", {{"bad_words_ids", {{1}, {beyond}, {beyond + 7}}}});
  const ForeignModel model = read();
  EXPECT_THAT(model.decoding.forbid, ElementsAre("<unk>"));
  EXPECT_THAT(model.notes, ElementsAre(HasSubstr("the same as 'bad_words_ids' ([[1],")));
}

TEST_F(TransformersFolder, SaysWhereATranslationEndsWithAnotherPieceToo) {
  write_marian();
  const json ids = json::parse(read_file(folder_ / "model/vocab.json"));
  const int64_t end = ids["</s>"], piece = ids[own_[2]];
  write("generation_config.json", {{"eos_token_id", {end, piece}}});
  EXPECT_THAT(read().notes, ElementsAre(HasSubstr("'eos_token_id'")));
  write("generation_config.json", {{"eos_token_id", end}});
  EXPECT_THAT(read().notes, IsEmpty());
}

TEST_F(TransformersFolder, NamesPointersOfGitLfs) {
  write_marian();
  const std::string pointer =
      "version https://git-lfs.github.com/spec/v1\n"
      "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n";
  for (const char* file : {"config.json", "vocab.json", "source.spm", "model.safetensors"}) {
    const std::string whole = read_file(folder_ / ("model/" + std::string(file)));
    folder_.write("model/" + std::string(file), pointer);
    EXPECT_THAT(refusal(), AllOf(HasSubstr(std::string(file) + ": is a Git LFS pointer"),
                                 HasSubstr("`git lfs pull` in its folder")));
    folder_.write("model/" + std::string(file), whole);
  }
  read();
  folder_.write("archive.zip", pointer);
  EXPECT_THAT(message_of<UserError>([&] { Package(folder_ / "archive.zip"); }),
              HasSubstr("archive.zip: is a Git LFS pointer"));
}

}  // namespace
}  // namespace heed::exchange
