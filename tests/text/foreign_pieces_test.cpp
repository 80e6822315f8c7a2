#include "text/foreign_pieces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <algorithm>
#include <stdexcept>
#include <unordered_map>

#include "base/error.h"
#include "base/files.h"
#include "message.h"
#include "temporary_folder.h"
#include "text/model_file.h"

namespace heed::text {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

using Settings = std::unordered_map<std::string, std::string>;

const std::vector<std::string> kGerman = {"ein Mann liest ein Buch", "die Frau sieht den Mann",
                                          "der Hund und die Katze", "ein Haus am See"},
                               kEnglish = {"a man reads a book", "the woman sees the man",
                                           "the dog and the cat", "a house at the lake"};

/// A SentencePiece file as other programs have it: unk 0, <s> 1, </s> 2.
std::string trained(const std::vector<std::string>& lines, const Settings& settings) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 5; ++i)
    for (const std::string& line : lines) text += line + "\n";
  Settings all = {{"input", folder.write("lines", text)},
                  {"model_prefix", folder / "foreign"},
                  {"hard_vocab_limit", "false"},
                  {"vocab_size", "60"},
                  {"minloglevel", "3"}};
  for (const auto& [key, value] : settings) all[key] = value;
  const auto status = sentencepiece::SentencePieceTrainer::Train(all);
  if (!status.ok()) throw std::runtime_error(status.ToString());
  return read_file(folder / "foreign.model");
}

std::vector<std::string> names_in(const std::string& model) {
  std::vector<std::string> names;
  for (const ModelPiece& piece : pieces_of(model)) names.push_back(piece.text);
  return names;
}

/// MarianMT's order: </s>, <unk>, the pieces of both files, <pad>.
ForeignPieces marian(const std::string& source, const std::string& target) {
  ForeignPieces pieces{{"</s>", "<unk>"}, "<pad>", "<unk>", "", "</s>", {}};
  for (const std::string& model : {source, target})
    for (const std::string& piece : names_in(model))
      if (piece != "<s>" && std::ranges::count(pieces.names, piece) == 0)
        pieces.names.push_back(piece);
  pieces.names.push_back("<pad>");
  return pieces;
}

std::vector<std::string> original(const std::string& model, const std::string& line) {
  sentencepiece::SentencePieceProcessor processor;
  EXPECT_TRUE(processor.LoadFromSerializedProto(model).ok());
  return processor.EncodeAsPieces(line);
}

const std::vector<std::string> kProbes = {"ein Mann und die Katze",
                                          "the man reads a house",
                                          "Katzenhaus dogs",
                                          "ein  \u00fc \u5b57 Mann",
                                          "unendlich anders manndies",
                                          "\uff21\uff42 a",
                                          "a"};

class ForeignPiecesOf : public testing::TestWithParam<const char*> {};

TEST_P(ForeignPiecesOf, SegmentAsTheOriginalDoesUnderMariansIds) {
  const std::string source = trained(kGerman, {{"model_type", GetParam()}}),
                    target = trained(kEnglish, {{"model_type", GetParam()}});
  const ForeignPieces pieces = marian(source, target);
  const auto outside = pieces_outside(source, pieces, "source.spm");
  EXPECT_THAT(outside, IsEmpty());
  const auto mine = rearranged(source, pieces, outside, "source.spm"),
             other = rearranged(target, pieces, outside, "target.spm");
  ASSERT_EQ(mine.vocabulary.size(), std::ssize(pieces.names) + 1);  // <s>
  EXPECT_EQ(mine.foreign_id, other.foreign_id);
  EXPECT_EQ(mine.foreign_id[kPad], std::ssize(pieces.names) - 1);
  EXPECT_EQ(mine.foreign_id[kUnknown], 1);
  EXPECT_EQ(mine.foreign_id[kBegin], -1);
  EXPECT_EQ(mine.foreign_id[kEnd], 0);
  for (int32_t id = 0; id < mine.vocabulary.size(); ++id) {
    EXPECT_EQ(mine.vocabulary.piece(id), other.vocabulary.piece(id));
    if (id == kBegin) continue;
    EXPECT_EQ(mine.vocabulary.piece(id), pieces.names[mine.foreign_id[id]]);
  }
  for (const std::string& line : kProbes) {
    EXPECT_EQ(mine.vocabulary.spell(line), original(source, line)) << line;
    EXPECT_EQ(other.vocabulary.spell(line), original(target, line)) << line;
  }
  // Pieces with which only the other side segments are text all the same.
  const auto theirs = other.vocabulary.encode("the woman reads");
  EXPECT_EQ(mine.vocabulary.decode(theirs), "the woman reads");
}

TEST_P(ForeignPiecesOf, OfManyLanguagesHaveSymbols) {
  // fairseq's order, with languages after it; the original has <s>, <unk> and </s> elsewhere.
  const std::string model = trained(kGerman, {{"model_type", GetParam()}});
  ForeignPieces pieces{{"<s>", "<pad>", "</s>", "<unk>"}, "<pad>", "<unk>", "<s>", "</s>",
                       {{"deu_Latn"}, {"__fr__"}}};
  for (const ModelPiece& piece : pieces_of(model))
    if (piece.type == PieceType::normal) pieces.names.push_back(piece.text);
  pieces.names.insert(pieces.names.end(), {"", "deu_Latn", "__fr__"});  // a hole before them
  const auto found = rearranged(model, pieces, {}, "spm");
  const Vocabulary& vocabulary = found.vocabulary;
  ASSERT_EQ(vocabulary.size(), std::ssize(pieces.names) - 1);
  EXPECT_THAT(std::vector(found.foreign_id.begin(), found.foreign_id.begin() + 5),
              ElementsAre(1, 3, 0, 2, 4));
  EXPECT_TRUE(vocabulary.has_symbol("deu_Latn"));
  EXPECT_EQ(found.foreign_id.back(), std::ssize(pieces.names) - 1);
  EXPECT_EQ(vocabulary.piece(vocabulary.size() - 1), "__fr__");
  for (const std::string& line : kProbes) EXPECT_EQ(vocabulary.spell(line), original(model, line));
  EXPECT_EQ(vocabulary.spell("deu_Latn ein Mann")[0], "deu_Latn");
}

TEST_P(ForeignPiecesOf, KeepBytesSymbolsAndTheNormaliser) {
  const std::string model = trained(kGerman, {{"model_type", GetParam()},
                                              {"byte_fallback", "true"},
                                              {"vocab_size", "320"},
                                              {"user_defined_symbols", "<url>,Mann"},
                                              {"normalization_rule_name", "nmt_nfkc_cf"}});
  const ForeignPieces pieces{names_in(model), "", "<unk>", "<s>", "</s>", {}};
  const auto found = rearranged(model, pieces, {}, "spm");
  EXPECT_EQ(found.foreign_id[kPad], -1);
  EXPECT_TRUE(found.vocabulary.has_bytes());
  EXPECT_TRUE(found.vocabulary.has_symbol("<url>"));
  for (std::string line : kProbes) {
    line += " <url> Mann\u5b57";
    EXPECT_EQ(found.vocabulary.spell(line), original(model, line));
    EXPECT_EQ(found.vocabulary.decode(found.vocabulary.encode(line)), [&] {
      sentencepiece::SentencePieceProcessor processor;
      EXPECT_TRUE(processor.LoadFromSerializedProto(model).ok());
      return processor.DecodePieces(processor.EncodeAsPieces(line));
    }());
  }
}

TEST_P(ForeignPiecesOf, CutTheLineAtSymbolsAsTheProgramDoes) {
  const std::string model = trained(kGerman, {{"model_type", GetParam()}});
  ForeignPieces pieces = marian(model, model);
  const SymbolCut anywhere{.place = SymbolPlace::anywhere};
  pieces.symbols = {{"<x>", anywhere},
                    {"<x>y", anywhere},
                    {"<k>", {.place = SymbolPlace::anywhere, .keeps_blank = true}},
                    {">>a<<", {.place = SymbolPlace::first}},
                    {"__b__", {.place = SymbolPlace::nowhere}}};
  for (const auto& symbol : pieces.symbols) pieces.names.push_back(symbol.piece);
  // The rules come back from the bytes of its file, which runs, exports and pages have.
  const Vocabulary vocabulary =
      Vocabulary::from_model(rearranged(model, pieces, {}, "spm").vocabulary.model(), "spm");
  using Names = std::vector<std::string>;
  const Names mann = original(model, "Mann"), hund = original(model, "Hund");
  const auto joined = [](std::initializer_list<Names> parts) {
    Names all;
    for (const Names& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
  };
  const auto expect_pieces = [&](const std::string& line, const Names& names) {
    EXPECT_EQ(vocabulary.spell(line), names) << line;
    const std::vector<int32_t> ids = vocabulary.encode(line);
    ASSERT_EQ(ids.size(), names.size()) << line;
    for (std::size_t i = 0; i < ids.size(); ++i)
      if (ids[i] != kUnknown) {
        EXPECT_EQ(vocabulary.piece(ids[i]), names[i]) << line;
      }
  };
  // Each part is cut alone: it has its own word start, and no blank at its end.
  for (const std::string line : {"Mann<x>Hund", "Mann <x> Hund", "Mann<x> Hund", "Mann  <x>Hund"})
    expect_pieces(line, joined({mann, {"<x>"}, hund}));
  expect_pieces("<x> <x>Mann<x>", joined({{"<x>", "<x>"}, mann, {"<x>"}}));
  expect_pieces("Mann<x>yHund", joined({mann, {"<x>y"}, hund}));  // the longest
  expect_pieces("Mann <k> Hund", joined({mann, {"\u2581", "<k>"}, hund}));
  expect_pieces("Mann<k>Hund", joined({mann, {"<k>"}, hund}));
  expect_pieces(">>a<< Mann", joined({{">>a<<"}, mann}));
  expect_pieces("<x>>>a<<Mann", joined({{"<x>", ">>a<<"}, mann}));
  const auto count = [&](const std::string& line, const std::string& symbol) {
    return std::ranges::count(vocabulary.encode(line), *vocabulary.id_of(symbol));
  };
  EXPECT_EQ(count("Mann >>a<<", ">>a<<"), 0);
  EXPECT_EQ(count(">>a<<>>a<<", ">>a<<"), 1);  // what follows the first is the rest of its part
  EXPECT_EQ(count("Mann __b__ Hund", "__b__"), 0);
  EXPECT_TRUE(vocabulary.has_symbol("__b__"));
  EXPECT_EQ(vocabulary.beginning_with({"__b__"}).spell("Mann"), joined({{"__b__"}, mann}));
  EXPECT_EQ(vocabulary.decode(vocabulary.encode("Mann <x> Hund")), "Mann<x> Hund");
  // A limit counts symbols, too.
  const auto all = vocabulary.encode("Mann <x> Hund <x> Mann");
  for (int64_t most = 0; most < std::ssize(all); ++most)
    EXPECT_EQ(vocabulary.encode("Mann <x> Hund <x> Mann", most),
              std::vector<int32_t>(all.begin(), all.begin() + most + 1));
}

TEST_P(ForeignPiecesOf, LookUpByItsNameWhatOnlyTheOtherSideHas) {
  for (const std::string bytes : {"false", "true"}) {
    const Settings settings = {
        {"model_type", GetParam()}, {"byte_fallback", bytes}, {"vocab_size", "300"}};
    const std::string model = trained(kGerman, settings);
    ForeignPieces pieces = marian(model, model);
    pieces.names.insert(pieces.names.end(), {"x", "y", "xy", "\u00fc"});
    const Vocabulary vocabulary = rearranged(model, pieces, {}, "spm").vocabulary;
    for (const std::string line : {"x", "ein xy Mann", "xxyy\u00fc y", "Maxnxyn", "q\u00fcq xyq"}) {
      EXPECT_EQ(vocabulary.spell(line), original(model, line)) << line;
      const auto ids = vocabulary.encode(line);
      const auto names = vocabulary.spell(line);
      ASSERT_EQ(ids.size(), names.size());
      for (std::size_t i = 0; i < ids.size(); ++i)
        EXPECT_EQ(vocabulary.piece(ids[i]), vocabulary.id_of(names[i]) ? names[i] : "<unk>");
    }
    // A run of such letters is one piece, whose name is looked up: "xy" is one, "xxyy" is none.
    const bool by_name = bytes == "false";
    const auto count = [&](const std::string& line, const std::string& piece) {
      return std::ranges::count(vocabulary.encode(line), *vocabulary.id_of(piece));
    };
    EXPECT_EQ(count("ein xy Mann", "xy"), by_name ? 1 : 0);
    EXPECT_EQ(count("x Mann", "x"), by_name ? 1 : 0);
    EXPECT_EQ(count("ein xxyy Mann", "<unk>"), by_name ? 1 : 0);
    EXPECT_EQ(count("ein xxyy Mann", "x"), 0);
    EXPECT_EQ(vocabulary.decode({*vocabulary.id_of("x"), *vocabulary.id_of("xy")}), "xxy");
  }
}

TEST_P(ForeignPiecesOf, OutsideTheProgramAreUnknownToIt) {
  const std::string model = trained(kGerman, {{"model_type", GetParam()}});
  ForeignPieces pieces = marian(model, model);
  std::erase(pieces.names, "M");
  std::erase(pieces.names, "H");
  const auto outside = pieces_outside(model, pieces, "spm");
  EXPECT_THAT(outside, AllOf(Contains("M"), Contains("H"), testing::SizeIs(2)));
  const auto found = rearranged(model, pieces, outside, "spm");
  for (const std::string& line : kProbes)
    EXPECT_EQ(found.vocabulary.spell(line), original(model, line));
  const auto id = found.vocabulary.id_of("M");
  ASSERT_TRUE(id);
  EXPECT_GE(*id, found.vocabulary.size() - 2);
  EXPECT_EQ(found.foreign_id[*id], 1);  // <unk>
}

TEST_P(ForeignPiecesOf, OutsideTheProgramAreItsUnknownPieceEachByItself) {
  const std::string model = trained(kGerman, {{"model_type", GetParam()}});
  ForeignPieces pieces = marian(model, model);
  std::erase(pieces.names, "M");
  std::erase(pieces.names, "H");
  const auto outside = pieces_outside(model, pieces, "spm");
  const RearrangedVocabulary own = rearranged(model, pieces, outside, "spm"),
                             found = rearranged(model, pieces, outside, "spm", Outside::unknown);
  EXPECT_EQ(found.foreign_id, own.foreign_id);
  // Through its file.
  const Vocabulary vocabulary = Vocabulary::from_model(found.vocabulary.model(), "spm");
  const int32_t m = *own.vocabulary.id_of("M"), h = *own.vocabulary.id_of("H");
  for (const std::string line : {"MHM ein HM", "Mann Haus", "die Katze"}) {
    EXPECT_EQ(vocabulary.spell(line), original(model, line));
    std::vector<int32_t> wanted = own.vocabulary.encode(line);
    const auto hidden = std::ranges::count(wanted, m) + std::ranges::count(wanted, h);
    EXPECT_EQ(hidden > 0, line == "MHM ein HM") << line;
    std::ranges::replace(wanted, m, kUnknown);
    std::ranges::replace(wanted, h, kUnknown);
    EXPECT_EQ(vocabulary.encode(line), wanted) << line;
    const auto drawn = vocabulary.sample(line, 0.3, 7);
    EXPECT_EQ(std::ranges::count(drawn, m) + std::ranges::count(drawn, h), 0);
    EXPECT_EQ(std::ranges::count(drawn, kUnknown), hidden);
  }
}

INSTANTIATE_TEST_SUITE_P(Algorithms, ForeignPiecesOf, testing::Values("unigram", "bpe"),
                         [](const auto& info) { return std::string(info.param); });

TEST(ForeignPieces, OfAProgramWithoutSpecialPiecesGetNamesOfTheirOwn) {
  const std::string model = trained(kGerman, {});
  ForeignPieces pieces;
  for (const ModelPiece& piece : pieces_of(model))
    if (piece.type == PieceType::normal) pieces.names.push_back(piece.text);
  pieces.names.push_back("<pad>");  // a piece like any other here
  pieces.end = "</s>";              // which it has not
  const auto found = rearranged(model, pieces, {}, "spm");
  EXPECT_THAT(std::vector(found.foreign_id.begin(), found.foreign_id.begin() + 5),
              ElementsAre(-1, -1, -1, -1, 0));
  EXPECT_EQ(found.vocabulary.piece(kPad), "<pad>_");
  EXPECT_EQ(found.vocabulary.piece(found.vocabulary.size() - 1), "<pad>");
  EXPECT_EQ(found.vocabulary.spell("ein Mann"), original(model, "ein Mann"));
}

TEST(ForeignPieces, HostileOnesAreRefusedInOneLine) {
  const std::string model = trained(kGerman, {});
  const auto refusal = [&](ForeignPieces pieces, const std::vector<std::string>& outside = {}) {
    return message_of<UserError>([&] { rearranged(model, pieces, outside, "the model"); });
  };
  const ForeignPieces good = marian(model, model);
  ForeignPieces bad = good;
  bad.names.push_back("ein");
  bad.names.push_back("ein");
  EXPECT_EQ(refusal(bad), "the model: the piece 'ein' is there twice");
  EXPECT_EQ(refusal(good, {good.names[2]}),
            "the model: the piece '" + good.names[2] + "' is there twice");
  bad = good;
  bad.names.push_back(std::string("a\0b", 3));
  EXPECT_THAT(refusal(bad), HasSubstr("is no UTF-8, or has a NUL"));
  bad.names.back() = "\xff\xfe";
  EXPECT_THAT(refusal(bad), HasSubstr("is no UTF-8, or has a NUL"));
  bad.names.back() = std::string(1 << 20, 'a');
  EXPECT_EQ(refusal(bad), "the model: a piece of 1048576 bytes; at most 1000 are possible");
  bad = good;
  bad.begin = "</s>";
  EXPECT_EQ(refusal(bad), "the model: '</s>' is two special pieces");
  bad = good;
  bad.names.resize(1'000'001);
  EXPECT_THAT(refusal(bad), StartsWith("the model: 1000001 pieces; at most"));
  for (const std::string& damaged :
       {std::string(), std::string("no model"), model.substr(0, 100)}) {
    const auto refused = [&](const auto& work) { return message_of<UserError>(work); };
    EXPECT_THAT(refused([&] { pieces_outside(damaged, good, "x.spm"); }),
                AllOf(StartsWith("x.spm: no SentencePiece model"), Not(HasSubstr("\n"))));
    EXPECT_THAT(refused([&] { rearranged(damaged, good, {}, "x.spm"); }),
                StartsWith("x.spm: no SentencePiece model"));
  }
}

}  // namespace
}  // namespace heed::text
