// Marian's folders: which file is what, and which options heed opens. That the models compute what
// Marian computes is tested in tests/twins/.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/error.h"
#include "compressed.h"
#include "decode/search/search.h"
#include "exchange/foreign_model.h"
#include "exchange/formats.h"
#include "exchange/marian_options.h"
#include "exchange/marian_writer.h"
#include "message.h"
#include "text/foreign_pieces.h"
#include "text/vocabulary.h"

namespace heed::exchange {
namespace {

using namespace testing;  // what marian_writer.h writes
using ::testing::AllOf, ::testing::Contains, ::testing::ElementsAre, ::testing::HasSubstr,
    ::testing::IsEmpty, ::testing::Key, ::testing::Not;

const std::string& spm_of(const std::string& language) {
  static const std::string german = marian_spm("grün rot gelb"), english = marian_spm("green red"),
                           both = marian_spm("grün rot gelb green red");
  return language == "de" ? german : language == "en" ? english : both;
}

int64_t pieces_of(const std::string& language) {
  return std::ssize(text::all_pieces(spm_of(language), language));
}

/// A folder whose name says nothing about languages.
struct MarianImport : ::testing::Test {
  TemporaryFolder folder;

  std::string place(const std::string& name) const { return folder / ("m/" + name); }
  std::string root() const { return folder / "m"; }
  void write(const std::string& name, const std::string& bytes) const {
    folder.write("m/" + name, bytes);
  }
  ForeignModel open(const std::string& path, const SegmentFiles& segments = {}) const {
    return read_model(Package(path), segments);
  }
  ForeignModel open() const { return open(root()); }
  std::string refusal(const std::string& path) const {
    return message_of<UserError>([&] { open(path); });
  }
  std::string refusal() const { return refusal(root()); }

  /// model.npz and vocab.spm, of both sides.
  void write_joint(const std::map<std::string, std::string>& options = {},
                   const std::vector<std::string>& more = {}) const {
    write("model.npz", marian_npz(marian_options(options),
                                  {.source = pieces_of("both"), .shared = true, .more = more}));
    write("vocab.spm", spm_of("both"));
    write("model.npz.yml", "guided-alignment: none\n");
  }
  /// A model from German to English, without vocabularies.
  std::string separate(const std::map<std::string, std::string>& other = {}) const {
    std::map<std::string, std::string> options = {
        {"tied-embeddings-all", "false"},
        {"tied-embeddings", "true"},
        {"dim-vocabs", fmt::format("\n  - {}\n  - {}", pieces_of("de"), pieces_of("en"))}};
    for (const auto& [option, value] : other) options[option] = value;
    return marian_npz(marian_options(options),
                      {.source = pieces_of("de"), .target = pieces_of("en"), .shared = false});
  }
  /// Only German has this letter.
  static std::string sides(const ForeignModel& model) {
    return fmt::format("{}-{}", model.source.id_of("ü") ? "de" : "en",
                       model.target.id_of("ü") ? "de" : "en");
  }
};

/// As marian-train writes them, also where other norms come after sublayers.
const std::vector<std::string> kEmbeddingNorms = {
    "encoder_emb_ln_scale_pre", "encoder_emb_ln_bias_pre", "decoder_emb_ln_scale_pre",
    "decoder_emb_ln_bias_pre"};

/// The table as marian-vocab writes it: names that YAML would misread are quoted.
std::string table_of(const std::vector<std::string>& names) {
  std::string yaml;
  for (std::size_t id = 0; id < names.size(); ++id)
    yaml += fmt::format("\"{}\": {}\n", names[id], id);
  return yaml;
}

TEST_F(MarianImport, OpensAsMarianLeavesIt) {
  // Written with --keep-best and --exponential-smoothing; the alphabet would take English first,
  // and model.iter100.npz.
  write("model.npz", separate());
  write("model.npz.decoder.yml",
        marian_decoder_yml("run/m/model.npz", "run/m/vocab.de.spm", "run/m/vocab.en.spm"));
  write("vocab.de.spm", spm_of("de"));
  write("vocab.en.spm", spm_of("en"));
  write("model.npz.yml", "vocabs:\n  - run/m/vocab.de.spm\n  - run/m/vocab.en.spm\n");
  write("model.npz.progress.yml", "epochs: 1\n");
  for (const char* name : {"model.npz.optimizer.npz", "model.npz.orig.npz", "model.iter100.npz",
                           "model.npz.best-translation.npz"})
    write(name, "not to be read");
  for (const char* name : {"model.iter100.npz", "model.npz.best-translation.npz"})
    write(std::string(name) + ".decoder.yml",
          marian_decoder_yml("run/m/" + std::string(name), "run/m/vocab.de.spm",
                             "run/m/vocab.en.spm"));
  const Package package(root());
  const ForeignModel model = read_model(package, {});
  EXPECT_EQ(sides(model), "de-en");
  EXPECT_EQ(model.model.positions, "tensor2tensor");
  EXPECT_EQ(model.model.tie, model::Tie::decoder);
  EXPECT_THAT(model.notes, IsEmpty());
  // Row i of the vectors began with i: ids are those of the SentencePiece files.
  const std::vector<std::string> names = text::all_pieces(spm_of("en"), "en");
  const auto& vectors = model.weights.at("target_embedding.weight");
  for (std::size_t id = 2; id < names.size(); ++id)
    EXPECT_EQ(vectors.data[*model.target.id_of(names[id]) * 2], static_cast<float>(id));
  EXPECT_THAT(package.paths_read(),
              ElementsAre(place("model.npz"), place("model.npz.decoder.yml"),
                          place("model.npz.yml"), place("vocab.de.spm"), place("vocab.en.spm")));
}

TEST_F(MarianImport, TakesOffInEverySpelling) {
  for (const char* off : {"0", "0.0", "false", "\"\"", "none", "~", "\n  []", "\"0\""})
    for (const char* option : {"lemma-dim-emb", "right-left", "transformer-tied-layers",
                               "transformer-disable-position-embeddings", "something-new"}) {
      write_joint({{option, off}});
      EXPECT_EQ(open().model.positions, "tensor2tensor") << option << ": " << off;
      EXPECT_THAT(open().notes, IsEmpty()) << option << ": " << off;
    }
}

TEST_F(MarianImport, IgnoresWhatMarianIgnores) {
  // The tensors are there, and pymarian 1.12.42 computes the same scores with and without.
  for (const char* option :
       {"transformer-train-position-embeddings", "transformer-no-bias", "transformer-no-affine",
        "layer-normalization", "skip", "transformer-alibi-shift", "transformer-rnn-projection"}) {
    write_joint({{option, "true"}});
    EXPECT_THAT(open().notes, IsEmpty()) << option;
  }
}

TEST_F(MarianImport, RefusesByKeyWhatHeedLacks) {
  const std::map<std::string, std::string> cases = {
      {"type", "transformer-new"},
      {"right-left", "true"},
      {"lemma-dim-emb", "3"},
      {"lemma-dependency", "soft-transformer-layer"},
      {"transformer-attention-mask", "alibi"},
      {"transformer-decoder-autoreg", "average-attention"},
      {"transformer-decoder-dim-ffn", "4"},
      {"transformer-ffn-depth", "3"},
      {"transformer-no-projection", "true"},
      {"transformer-pool", "true"},
      {"transformer-postprocess-emb", "na"},
      {"transformer-postprocess-top", "n"},
      {"transformer-tied-layers", "\n  - 1\n  - 1"},
      {"input-types", "\n  - class\n  - sequence"},
      {"ulr", "true"}};
  for (const auto& [option, value] : cases) {
    write_joint({{option, value}});
    EXPECT_THAT(refusal(), AllOf(HasSubstr(place("model.npz")), HasSubstr("option " + option),
                                 Not(HasSubstr("\n"))));
  }
  write_joint({{"dim-emb", "[2]"}});
  EXPECT_THAT(refusal(), HasSubstr("option dim-emb has a value of another kind"));
}

TEST_F(MarianImport, SaysWhatItDoesNotKnow) {
  write_joint({{"transformer-of-tomorrow", "big"}});
  EXPECT_THAT(open().notes,
              ElementsAre("heed does not know Marian's option transformer-of-tomorrow (big): "
                          "compare translations with Marian's"));
  // Whatever made it, a tensor that nobody reads is part of the function.
  write_joint({}, {"encoder_l1_ffn_W3"});
  EXPECT_EQ(refusal(), place("model.npz") +
                           ": has the tensor encoder_l1_ffn_W3, which no Transformer of heed has");
  // A norm of embeddings that the options do not mention.
  write_joint({}, kEmbeddingNorms);
  EXPECT_EQ(refusal(), place("model.npz") +
                           ": has the tensor decoder_emb_ln_bias_pre, which no Transformer of "
                           "heed has");
  write_joint({}, {"decoder_l1_ffn_W1_QuantMultA"});
  EXPECT_THAT(open().notes, IsEmpty());
}

TEST_F(MarianImport, AddsMarians1e6ToVariances) {
  write_joint();
  const ForeignModel model = open();
  EXPECT_EQ(model.model.norm_epsilon, 1e-6);
  EXPECT_FALSE(model.model.embedding_norm);
}

TEST_F(MarianImport, HasNormsOfEmbeddings) {
  for (const char* steps : {"n", "nd", "dn"}) {
    write_joint({{"transformer-postprocess-emb", steps}}, kEmbeddingNorms);
    const ForeignModel model = open();
    EXPECT_TRUE(model.model.embedding_norm) << steps;
    EXPECT_THAT(model.notes, IsEmpty());
    for (const char* name : {"encoder.embedding_norm.weight", "encoder.embedding_norm.bias",
                             "decoder.embedding_norm.weight", "decoder.embedding_norm.bias"})
      EXPECT_THAT(model.weights.at(name).copy(), ElementsAre(0, 0.5)) << name;
  }
  write_joint({{"transformer-postprocess-emb", "nd"}});
  EXPECT_THAT(refusal(), HasSubstr("encoder_emb_ln_scale"));
}

TEST_F(MarianImport, WithoutPositionsHasNone) {
  write_joint({{"transformer-disable-position-embeddings", "true"}});
  const ForeignModel model = open();
  EXPECT_EQ(model.model.positions, "none");
  EXPECT_THAT(model.weights, Not(Contains(Key("source_positions.weight"))));
  // heed multiplies word vectors by the root of 2, and Marian does not: row 3 began with 3.
  const std::string third = text::all_pieces(spm_of("both"), "both")[3];
  EXPECT_EQ(model.model.tie, model::Tie::none);
  EXPECT_FLOAT_EQ(model.weights.at("source_embedding.weight").data[*model.source.id_of(third) * 2],
                  3 / std::sqrt(2.F));
  EXPECT_EQ(model.weights.at("output.weight").data[*model.target.id_of(third) * 2], 3);
}

TEST_F(MarianImport, VectorsSharedByTwoVocabulariesHaveTwoNames) {
  write("model.npz", marian_npz(marian_options(), {.source = 4}));
  write("source.spm", spm_of("de"));
  write("target.spm", spm_of("en"));
  write("vocab.src.yml", table_of({"</s>", "<unk>", "\u2581rot", "\u2581gelb"}));
  write("vocab.trg.yml", table_of({"</s>", "<unk>", "\u2581green", "\u2581red"}));
  const ForeignModel model = open();
  EXPECT_EQ(model.model.tie, model::Tie::decoder);
  EXPECT_EQ(model.weights.at("source_embedding.weight").data[*model.source.id_of("\u2581gelb") * 2],
            3);
  EXPECT_EQ(model.weights.at("target_embedding.weight").data[*model.target.id_of("\u2581red") * 2],
            3);
}

TEST_F(MarianImport, KnowsSidesByTheirNames) {
  const auto sides_of = [&](const std::string& model, const std::string& source,
                            const std::string& target) {
    const TemporaryFolder other;
    const std::string root = other / "m/";
    other.write("m/" + model, separate());
    other.write("m/" + source, spm_of("de"));
    other.write("m/" + target, spm_of("en"));
    std::string found;
    const std::string error = message_of<UserError>([&] { found = sides(open(root)); });
    return found.empty() ? error : found;
  };
  EXPECT_EQ(sides_of("model.npz", "vocab.src.spm", "vocab.trg.spm"), "de-en");
  EXPECT_EQ(sides_of("model.npz", "source.spm", "target.spm"), "de-en");
  EXPECT_EQ(sides_of("model.npz", "src-vocab.spm", "tgt-vocab.spm"), "de-en");
  EXPECT_EQ(sides_of("model.zh-en.npz", "vocab.zh.spm", "vocab.en.spm"), "de-en");
  EXPECT_EQ(sides_of("zhen.model.npz", "vocab.zh.spm", "vocab.en.spm"), "de-en");
  // The alphabet says nothing, and nobody is asked twice.
  EXPECT_THAT(sides_of("model.npz", "vocab.zh.spm", "vocab.en.spm"),
              HasSubstr("m/: vocab.en.spm, vocab.zh.spm: which vocabulary is the source's? Say it "
                        "in a file decoder.yml there, the source's first: vocabs: [vocab.en.spm, "
                        "vocab.zh.spm]"));
  EXPECT_THAT(sides_of("model.npz", "a.b.spm", "c.d.spm"), HasSubstr("which vocabulary"));
}

TEST_F(MarianImport, AsksAndTakesTheAnswer) {
  write("model.npz", separate());
  write("vocab.de.spm", spm_of("de"));
  write("vocab.en.spm", spm_of("en"));
  EXPECT_THAT(refusal(), HasSubstr("which vocabulary is the source's?"));
  EXPECT_EQ(sides(open(root(), {place("vocab.de.spm"), place("vocab.en.spm")})), "de-en");
  write("decoder.yml", "vocabs: [vocab.de.spm, vocab.en.spm]");
  EXPECT_EQ(sides(open()), "de-en");
  // The wrong answer is noticed where the sides have different sizes.
  write("decoder.yml", "vocabs: [vocab.en.spm, vocab.de.spm]");
  EXPECT_THAT(refusal(), AllOf(HasSubstr("vocab.en.spm"), HasSubstr("another model's")));
  write("decoder.yml", "vocabs: [elsewhere/vocab.fr.spm, vocab.en.spm]");
  EXPECT_THAT(refusal(), HasSubstr("vocabs names 'elsewhere/vocab.fr.spm', and the folder has no"));
  write("decoder.yml", "vocabs: [de/vocab.en.spm, en/vocab.en.spm]");
  EXPECT_THAT(refusal(), HasSubstr("only one file of that name"));
  write("decoder.yml", "vocabs: [a, b, c]");
  EXPECT_THAT(refusal(), HasSubstr("vocabs names 3 files"));
}

TEST_F(MarianImport, TablesOfPiecesHaveTheIds) {
  const std::vector<std::string> names = {"</s>", "<unk>", "\u2581red", "\u2581rot"};
  const auto vector_of_red = [&](const std::string& text, const std::string& name) {
    const TemporaryFolder other;
    other.write("m/model.npz", marian_npz(marian_options(), {.source = 4}));
    other.write("m/source.spm", spm_of("de"));
    other.write("m/target.spm", spm_of("en"));
    other.write("m/" + name, text);
    other.write("m/decoder.yml", fmt::format("vocabs: [x/{0}, x/{0}]", name));
    const ForeignModel model = open(other / "m");
    return model.weights.at("embedding.weight").data[*model.source.id_of("\u2581red") * 2];
  };
  EXPECT_EQ(vector_of_red(table_of(names), "vocab.deen.yml"), 2);
  EXPECT_EQ(
      vector_of_red("{\"</s>\": 0, \"<unk>\": 1, \"\u2581red\": 3, \"\u2581rot\": 2}", "v.json"),
      3);
  EXPECT_EQ(vector_of_red("</s>\n<unk>\n\u2581rot\n\u2581red\n", "words"), 3);
  write("model.npz", marian_npz(marian_options(), {.source = 4}));
  write("vocab.fsv", "x");
  write("decoder.yml", "vocabs: [vocab.fsv, vocab.fsv]");
  write("source.spm", spm_of("de"));
  write("target.spm", spm_of("en"));
  EXPECT_THAT(refusal(), HasSubstr("vocab.fsv: a factored vocabulary"));
}

TEST_F(MarianImport, TablesWithoutSentencePieceAreOfTextThatIsCut) {
  write("model.npz", marian_npz(marian_options(), {.source = 5}));
  write("vocab.yml", table_of({"</s>", "<unk>", "tür", "Haus@@", "die"}));
  const ForeignModel model = open();
  EXPECT_TRUE(model.joint);
  EXPECT_TRUE(model.source.is_cut());
  const std::vector<int32_t> ids = model.source.encode("die Haus@@ tür Haus");
  EXPECT_EQ(ids, (std::vector<int32_t>{*model.source.id_of("die"), *model.source.id_of("Haus@@"),
                                       *model.source.id_of("tür"), text::kUnknown}));
  EXPECT_EQ(model.target.decode({ids[0], ids[1], ids[2]}), "die Haustür");
  EXPECT_EQ(model.weights.at("embedding.weight").data[ids[1] * 2], 3);
  EXPECT_THAT(model.notes, Contains(HasSubstr("a line is pieces with blanks between them")));

  folder.write("codes", "#version: 0.2\nH a\nHa u\nHau s\nt ü\ntü r</w>\n");
  const ForeignModel words = open(root(), {.source_codes = folder / "codes"});
  EXPECT_EQ(words.source.encode("Haustür"), (std::vector<int32_t>{ids[1], ids[2]}));
  EXPECT_TRUE(words.source.reads_words());

  // Pieces of SentencePiece cannot be made without its file.
  write("vocab.yml", table_of({"</s>", "<unk>", "\u2581tür", "Haus", "die"}));
  EXPECT_THAT(refusal(), HasSubstr("name them with --source-sentencepiece"));
}

TEST_F(MarianImport, CodesAreNotForSentencePiece) {
  write_joint();
  folder.write("codes", "a b\n");
  EXPECT_THAT(message_of<UserError>([&] { open(root(), {.source_codes = folder / "codes"}); }),
              HasSubstr("--codes"));
}

TEST_F(MarianImport, SentencePieceFilesOfOtherModelsAreRefused) {
  std::vector<std::string> names = {"</s>", "<unk>"};
  const auto open_with = [&] {
    write("vocab.yml", table_of(names));
    write("model.npz", marian_npz(marian_options(), {.source = std::ssize(names)}));
    return open();
  };
  const auto letters = [](char first) {  // 20 words of a letter each
    std::string words;
    for (int i = 0; i < 20; ++i) words += fmt::format("{} ", static_cast<char>(first + i));
    return marian_spm(words);
  };
  const std::string small = letters('a'), large = letters('A');
  write("source.spm", small);
  write("target.spm", large);
  for (const std::string& file : {small, large})
    for (const std::string& piece : text::all_pieces(file, "x"))
      if (std::ranges::count(names, piece) == 0) names.push_back(piece);
  ASSERT_GE(names.size(), 42U);
  EXPECT_FALSE(open_with().joint);
  // Each file's pieces are in the shared table: this cannot be seen.
  write("source.spm", large);
  write("target.spm", small);
  EXPECT_FALSE(open_with().joint);
  // Digits and signs.
  write("target.spm", letters('!'));
  EXPECT_THAT(refusal(),
              AllOf(HasSubstr(place("target.spm") + ": "), HasSubstr("unknown to the network"),
                    HasSubstr("belongs to another model")));
  // A table that was made smaller has pieces of these files alone.
  write("source.spm", small);
  write("target.spm", large);
  names.resize(33);
  EXPECT_FALSE(open_with().joint);
}

TEST_F(MarianImport, TheTargetsSentencePieceFileAloneIsTaken) {
  write("model.npz", separate());
  write("vocab.src.spm", spm_of("de"));
  write("vocab.trg.spm", spm_of("de"));
  folder.write("english.spm", spm_of("en"));
  EXPECT_EQ(sides(open(root(), {.target = folder / "english.spm"})), "de-en");
}

TEST_F(MarianImport, KnowsTheEndOfATextByNematusName) {
  write("source.spm", spm_of("de"));
  write("target.spm", spm_of("en"));
  write("model.npz", marian_npz(marian_options(), {.source = 4}));
  write("decoder.yml", "vocabs: [vocab.yml, vocab.yml]");
  write("vocab.yml", table_of({"eos", "UNK", "\u2581red", "\u2581rot"}));
  const ForeignModel model = open();
  EXPECT_EQ(model.target.piece(text::kEnd), "eos");
  EXPECT_EQ(model.target.piece(text::kUnknown), "UNK");
  EXPECT_EQ(model.weights.at("embedding.weight").data[text::kUnknown * 2], 1);
  EXPECT_THAT(model.decoding.forbid, ElementsAre("UNK"));
  // Under other ids they are words.
  write("vocab.yml", table_of({"UNK", "eos", "\u2581red", "\u2581rot"}));
  EXPECT_EQ(refusal(),
            place("model.npz") + ": its vocabulary has no '</s>', with which a text ends");
}

TEST_F(MarianImport, RowsAreComparedWithNames) {
  const std::vector<std::string> names = {"</s>", "<unk>", "\u2581red", "\u2581rot"};
  write("source.spm", spm_of("de"));
  write("target.spm", spm_of("en"));
  write("vocab.deen.yml", table_of(names));
  write("model.npz.yml", "guided-alignment: none\n");
  for (const int64_t rows : {3, 5}) {
    write("model.npz", marian_npz(marian_options(), {.source = rows}));
    EXPECT_EQ(refusal(), fmt::format("{}: has 4 pieces, and {} has {} word vectors: it is another "
                                     "model's vocabulary",
                                     place("vocab.deen.yml"), place("model.npz"), rows));
  }
  // Marian allows both with --dim-vocabs, and its own decoder.yml then names this vocabulary.
  write("decoder.yml", "vocabs: [vocab.deen.yml, vocab.deen.yml]");
  ForeignModel model = open();
  EXPECT_THAT(model.notes, ElementsAre(HasSubstr("has 4 pieces, and the model 5 word vectors"),
                                       HasSubstr("has 4 pieces")));
  EXPECT_TRUE(model.target.id_of("<unused 4>"));  // a part of the softmax
  write("model.npz", marian_npz(marian_options(), {.source = 3}));
  model = open();
  const auto vector_of = [&](const char* piece) {
    return model.weights.at("embedding.weight").data[*model.source.id_of(piece) * 2];
  };
  EXPECT_EQ(vector_of("\u2581red"), 2);
  EXPECT_FALSE(model.source.id_of("\u2581rot"));  // counts as <unk>
  write("model.npz", marian_npz(marian_options({{"dim-vocabs", "[4, 4]"}}), {.source = 3}));
  EXPECT_THAT(refusal(), HasSubstr("option dim-vocabs is 4, and there are 3 word vectors"));
}

TEST_F(MarianImport, TakesTheModelThatIsNamed) {
  const auto positions = [](const ForeignModel& model) { return model.model.positions; };
  const auto with_none = [&] {
    return marian_npz(marian_options({{"transformer-disable-position-embeddings", "true"}}),
                      {.source = pieces_of("both")});
  };
  write_joint();
  write("a.npz", with_none());
  EXPECT_EQ(positions(open()), "tensor2tensor");
  write("decoder.yml", "models: [elsewhere/a.npz]\nvocabs: [vocab.spm, vocab.spm]");
  EXPECT_EQ(positions(open()), "none");
  EXPECT_EQ(positions(open(place("model.npz"))), "tensor2tensor");
  EXPECT_EQ(positions(open(place("a.npz"))), "none");
  EXPECT_EQ(positions(open(place("decoder.yml"))), "none");
  write("decoder.yml", "models: [elsewhere/c.npz]\nvocabs: [vocab.spm, vocab.spm]");
  EXPECT_THAT(refusal(), HasSubstr("decoder.yml: models names 'elsewhere/c.npz', and the folder "
                                   "has no such file"));
  write("decoder.yml", "models: [model.onnx]\nvocabs: [vocab.spm, vocab.spm]");
  EXPECT_THAT(refusal(), HasSubstr("models names 'model.onnx'; heed opens .npz and .bin"));
  write("decoder.yml", "models: [a.npz, model.npz]");
  EXPECT_THAT(refusal(), HasSubstr("decoder.yml: names 2 models"));
  EXPECT_EQ(positions(open(place("a.npz"))), "none");
  std::filesystem::remove(place("decoder.yml"));
  std::filesystem::rename(place("model.npz"), place("b.npz"));
  write("b.npz.optimizer.npz", "x");
  EXPECT_EQ(refusal(), root() +
                           "/: a.npz, b.npz: several models; name one of these files in place "
                           "of the folder");
  std::filesystem::remove(place("a.npz"));
  EXPECT_EQ(positions(open()), "tensor2tensor");
  std::filesystem::remove(place("b.npz"));
  EXPECT_THAT(refusal(), HasSubstr("has no model of Marian (.npz or .bin)"));
}

TEST_F(MarianImport, MayBeCompressed) {
  write("model.npz.gz", gzip(marian_npz(marian_options(), {.source = pieces_of("both")})));
  write("vocab.spm.gz", gzip(spm_of("both")));
  EXPECT_TRUE(open().source.id_of("ü"));
  EXPECT_TRUE(open(place("model.npz.gz")).source.id_of("ü"));
  write_joint();
  std::filesystem::remove(place("vocab.spm.gz"));
  EXPECT_THAT(open().notes, ElementsAre("model.npz is taken, and not model.npz.gz beside it"));
  std::filesystem::remove(place("model.npz"));
  std::filesystem::remove(place("vocab.spm"));
  const std::string whole = gzip(spm_of("both"));
  write("vocab.spm.gz", whole.substr(0, whole.size() / 2));
  EXPECT_EQ(refusal(), place("vocab.spm.gz") + ": the gzip file is cut off; copy or make it again");
  write("vocab.spm.gz", "no archive");
  EXPECT_THAT(refusal(), HasSubstr("vocab.spm.gz: no gzip file"));
}

TEST_F(MarianImport, PointersOfGitLfsAreTold) {
  const std::string pointer =
      "version https://git-lfs.github.com/spec/v1\n"
      "oid sha256:f1de62f9672cf7bf895ed6adc3b48d3bcec426bd594686e7a52172ce972ef0b0\n"
      "size 3000\n";
  for (const std::string name : {"model.npz", "vocab.spm", "decoder.yml"}) {
    write_joint();
    write("decoder.yml", "vocabs: [vocab.spm, vocab.spm]");
    write(name, pointer);
    EXPECT_EQ(refusal(), place(name) +
                             ": is a Git LFS pointer, not the file itself; fetch it with "
                             "`git lfs pull` in its folder");
  }
  std::filesystem::remove(place("decoder.yml"));
  write_joint();
  folder.write("pointer.spm", pointer);
  EXPECT_THAT(message_of<UserError>([&] {
                open(root(), {folder / "pointer.spm", ""});
              }),
              HasSubstr("pointer.spm: is a Git LFS pointer"));
  EXPECT_THAT(refusal(folder.write("de_en.zip", pointer)), HasSubstr("is a Git LFS pointer"));
}

TEST_F(MarianImport, SearchesAsDecoderYmlSays) {
  const auto with = [&](const std::string& keys) {
    write_joint();
    write("decoder.yml", "vocabs: [vocab.spm, vocab.spm]\n" + keys);
    return open();
  };
  ForeignModel model = with("beam-size: 6\nnormalize: 0.6\nword-penalty: 0\nallow-unk: false\n");
  EXPECT_EQ(model.decoding.beam_size, 6);
  EXPECT_EQ(model.decoding.length_penalty, decode::LengthPenalty::power);
  EXPECT_EQ(model.decoding.alpha, 0.6);
  EXPECT_THAT(model.decoding.forbid, ElementsAre("<unk>"));
  EXPECT_THAT(model.notes, IsEmpty());
  model = with("normalize: 0\nallow-unk: true\nmax-length-factor: 2\n");
  EXPECT_EQ(model.decoding.length_penalty, decode::LengthPenalty::none);
  EXPECT_THAT(model.decoding.forbid, IsEmpty());
  EXPECT_EQ(model.decoding.max_length_ratio, 2);
  EXPECT_EQ(model.decoding.max_length_extra, 2);  // for </s>, which Marian counts
  EXPECT_THAT(model.notes, IsEmpty());
  // pymarian 1.12.42 wrote at most 63 pieces for 47, and 26 for 19, with a factor of 1.3.
  model = with("max-length-factor: 1.3\n");
  EXPECT_EQ(decode::length_limit(model.decoding, 47, 1000), 63);
  EXPECT_EQ(decode::length_limit(model.decoding, 19, 1000), 26);
  EXPECT_EQ(decode::length_limit(with("").decoding, 10, 1000), 33);  // Marian's own factor, 3
  model = with("normalize: 0.6\nword-penalty: 0.3\nmax-length: 200\n");
  EXPECT_EQ(model.decoding.word_penalty, 0.3);
  EXPECT_EQ(model.decoding.max_source_length, 199);
  EXPECT_THAT(model.notes, IsEmpty());
  EXPECT_THAT(with("word-penalty: 101\n").notes,
              ElementsAre("decoder.yml's word-penalty: 101 is left out: decoding.word_penalty is "
                          "from -100 to 100"));
  EXPECT_THAT(with("normalize: -1\n").notes, ElementsAre(HasSubstr("normalize: -1 is left out")));
  EXPECT_THAT(with("shortlist: [lex.s2t, 50, 50]\n").notes,
              ElementsAre("the shortlist lex.s2t is left out: the folder has no such file; heed "
                          "shortlist makes one of the model's own"));
  for (const char* option : {"skip-cost", "n-best", "allow-special", "no-spm-decode"})
    EXPECT_THAT(with(std::string(option) + ": true\n").notes,
                ElementsAre(HasSubstr(fmt::format("{}: true is left out", option))));
  EXPECT_THAT(with("precision: [float16]\n").notes, ElementsAre(HasSubstr("precision: [float16]")));
  EXPECT_THAT(
      with("precision: [float32]\ngemm-type: float32\nshortlist: []\nn-best: false\n").notes,
      IsEmpty());
  EXPECT_THAT(with("max-length: -4\n").notes,
              ElementsAre("decoder.yml's max-length: -4 is left out: decoding.max_source_length is "
                          "at least 1"));
  EXPECT_THAT(with("tsv-fields: 3\nmini-batch: 4\ncpu-threads: 2\n").notes,
              ElementsAre("heed does not know decoder.yml's tsv-fields (3): compare translations "
                          "with Marian's"));
  for (const char* off : {"False", "no", "Off", "0"})
    EXPECT_THAT(with(fmt::format("allow-unk: {}\n", off)).decoding.forbid, ElementsAre("<unk>"));
  EXPECT_THAT(with("allow-unk: yes\n").decoding.forbid, IsEmpty());
  EXPECT_THAT(with("allow-unk: 1\n").decoding.forbid, IsEmpty());
  for (const char* other : {"maybe", "2", "[true]"}) {
    write("decoder.yml", fmt::format("vocabs: [vocab.spm, vocab.spm]\nallow-unk: {}\n", other));
    EXPECT_THAT(refusal(), HasSubstr("decoder.yml: option allow-unk")) << other;
  }
  // Without decoder.yml, too.
  std::filesystem::remove(place("decoder.yml"));
  EXPECT_THAT(open().decoding.forbid, ElementsAre("<unk>"));
}

// The options as pymarian 1.12.42 wrote them: only model.npz.yml knows of the training.
TEST(MarianAlignment, IsOfTheHeadThatWasTaught) {
  std::vector<std::string> notes;
  decode::AlignmentConfig alignment;
  const auto take = [&](const std::string& model, const char* training, const char* decoder) {
    const auto options = [](const char* text) {
      return text == nullptr ? std::nullopt : std::optional<MarianOptions>(std::in_place, text, "");
    };
    const MarianOptions own(model, "m.npz");
    const auto of_training = options(training), of_decoder = options(decoder);
    notes.clear();
    alignment = {};
    take_alignment_of_marian({.model = &own,
                              .training = of_training ? &*of_training : nullptr,
                              .decoder = of_decoder ? &*of_decoder : nullptr},
                             6, alignment, notes);
    return std::pair(alignment.layer, alignment.head);
  };
  const std::pair<int64_t, int64_t> unset{-1, -1}, last{5, 0}, named{1, 0};
  const std::string usual = "transformer-guided-alignment-layer: last",
                    second = "transformer-guided-alignment-layer: 2";
  EXPECT_EQ(take("type: transformer", "guided-alignment: t.al", nullptr), last);
  EXPECT_EQ(take(usual, "guided-alignment: t.al", nullptr), last);
  EXPECT_EQ(take(second, "guided-alignment: t.al", nullptr), named);
  EXPECT_THAT(notes,
              ElementsAre("head 0 of decoder layer 1 links words: guided alignment taught it"));
  EXPECT_EQ(take(second, "guided-alignment: none", "alignment: hard"), unset);
  EXPECT_THAT(notes, IsEmpty());
  // Without the file of the training.
  EXPECT_EQ(take(second, nullptr, nullptr), named);
  EXPECT_EQ(take(usual, nullptr, "alignment: hard"), last);
  EXPECT_EQ(take(usual, nullptr, "beam-size: 6"), unset);
  EXPECT_THAT(notes, ElementsAre(HasSubstr("decoding.alignment: {layer: 5, head: 0}")));
  for (const char* number : {"0", "7", "-1"})
    EXPECT_EQ(message_of<UserError>([&] {
                take(fmt::format("transformer-guided-alignment-layer: {}", number), nullptr,
                     nullptr);
              }),
              fmt::format("m.npz: option transformer-guided-alignment-layer is {}; the decoder has "
                          "6 layers",
                          number));
}

TEST_F(MarianImport, AlignsByTheHeadThatGuidedAlignmentTaught) {
  write_joint();
  EXPECT_EQ(open().decoding.alignment.layer, -1);
  write("model.npz.yml", "guided-alignment: t.al\n");
  EXPECT_EQ(open().decoding.alignment.layer, 0);
  EXPECT_EQ(open().decoding.alignment.head, 0);
}

}  // namespace
}  // namespace heed::exchange
