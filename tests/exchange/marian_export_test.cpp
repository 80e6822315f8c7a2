// Models of heed as Marian's and Bergamot's, read again. That these programs compute the same is
// tested by ./run strangers.
#include "exchange/marian_export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <regex>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "decode/search/shortlist.h"
#include "engine/random_weights.h"
#include "exchange/activation_ranges.h"
#include "exchange/arrays.h"
#include "exchange/bergamot_export.h"
#include "exchange/foreign_model.h"
#include "exchange/formats.h"
#include "exchange/marian_bin_writer.h"
#include "exchange/transformer_parts.h"
#include "message.h"
#include "temporary_folder.h"
#include "text/foreign_pieces.h"
#include "text/vocabulary_training.h"

namespace heed::exchange {
namespace {

using engine::Array, engine::Floats, engine::Weights;
using engine::testing::random_transformer, engine::testing::small_transformer;
using model::ModelConfig, model::Tie;
using ::testing::ElementsAre, ::testing::HasSubstr, ::testing::IsEmpty, ::testing::SizeIs;

ModelConfig marian_like() {
  ModelConfig config = small_transformer();
  config.norm = model::Norm::post;
  config.norm_epsilon = 1e-6;
  config.positions = "tensor2tensor";
  config.tie = Tie::all;
  return config;
}

ModelConfig student_like() {
  ModelConfig config = marian_like();
  config.decoder = model::DecoderKind::ssru;
  config.width = 64;
  config.heads = 4;
  config.feed_forward = 128;
  return config;
}

decode::DecodeConfig search_of_marian() {
  decode::DecodeConfig search;
  search.beam_size = 3;
  search.length_penalty = decode::LengthPenalty::power;
  search.alpha = 0.6;
  search.word_penalty = 0.25;
  search.max_length_ratio = search.max_length_extra = 2.5;
  search.max_source_length = 77;
  search.forbid = {"<unk>"};
  return search;
}

struct MarianExport : ::testing::Test {
  TemporaryFolder folder;

  text::Vocabulary vocabulary(const std::string& words) const {
    const std::string file = folder.write("words", words + "\n" + words + "\n");
    return text::train_vocabulary({.files = {{file}}, .size = 28, .algorithm = "bpe"});
  }
  ForeignModel again(const std::string& name) const {
    return read_model(Package(folder / name), {});
  }
};

/// The same numbers, bit by bit. `unread`: the rows of <s> that no network looks up.
void expect_equal(const std::map<std::string, Array>& ours,
                  const std::map<std::string, Array>& theirs) {
  ASSERT_EQ(ours.size(), theirs.size());
  for (const auto& [name, array] : ours) {
    ASSERT_TRUE(theirs.contains(name)) << name;
    EXPECT_EQ(theirs.at(name).shape, array.shape) << name;
    EXPECT_EQ(theirs.at(name).copy(), array.copy()) << name;
  }
}

TEST_F(MarianExport, IsTheSameModelWhenItIsImportedAgain) {
  const text::Vocabulary source = vocabulary("grün rot gelb blau haus"),
                         target = vocabulary("green red yellow blue house");
  int number = 0;
  for (const Tie tie : {Tie::all, Tie::decoder, Tie::none})
    for (const auto decoder : {model::DecoderKind::attention, model::DecoderKind::ssru})
      for (const bool norm : {false, true}) {
        ModelConfig config = marian_like();
        config.tie = tie;
        config.decoder = decoder;
        config.embedding_norm = norm;
        config.activation = norm ? model::Activation::silu : model::Activation::relu;
        const text::Vocabulary& own = tie == Tie::all ? target : source;
        ASSERT_EQ(own.size(), target.size());
        const Weights weights = random_transformer(config, own.size());
        const std::string name = "m" + std::to_string(number++);
        folder.write(name + "/here", "");
        const auto notes = write_marian({.model = config,
                                         .decoding = search_of_marian(),
                                         .weights = weights,
                                         .source = own,
                                         .target = target},
                                        folder / name, "run");
        EXPECT_THAT(notes, IsEmpty());
        const ForeignModel model = again(name);
        EXPECT_EQ(model.program, "Marian");
        EXPECT_EQ(model.model.tie, tie);
        EXPECT_EQ(model.model.decoder, decoder);
        EXPECT_EQ(model.model.positions, "tensor2tensor");
        EXPECT_EQ(model.model.embedding_norm, norm);
        EXPECT_EQ(model.model.activation, config.activation);
        EXPECT_EQ(model.joint, tie == Tie::all);
        EXPECT_EQ(model.source.size(), own.size());
        for (int32_t id = 0; id < target.size(); ++id)
          EXPECT_EQ(model.target.piece(id), target.piece(id));
        EXPECT_EQ(model.target.encode("green house"), target.encode("green house"));
        expect_equal(weights.all(), model.weights);
        EXPECT_EQ(model.decoding.beam_size, 3);
        EXPECT_EQ(model.decoding.alpha, 0.6);
        EXPECT_EQ(model.decoding.word_penalty, 0.25);
        EXPECT_EQ(model.decoding.max_length_ratio, 2.5);
        EXPECT_EQ(model.decoding.max_length_extra, 2.5);
        EXPECT_EQ(model.decoding.max_source_length, 77);
        EXPECT_THAT(model.decoding.forbid, ElementsAre("<unk>"));
      }
}

// Marian counts commas.
TEST_F(MarianExport, WritesShapesAsNumPyDoes) {
  const text::Vocabulary own = vocabulary("green red yellow blue house");
  const ModelConfig config = marian_like();
  const Weights weights = random_transformer(config, own.size());
  folder.write("m/here", "");
  write_marian({.model = config,
                .decoding = search_of_marian(),
                .weights = weights,
                .source = own,
                .target = own},
               folder / "m", "run");
  const std::string file = read_file(folder / "m/model.npz");
  EXPECT_THAT(file, HasSubstr("Wemb.npy\x93NUMPY\x01"));
  EXPECT_THAT(file, HasSubstr("{'descr': '<f4', 'fortran_order': False, 'shape': (12, 10), }"));
  EXPECT_THAT(file, HasSubstr("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 12), }"));
  EXPECT_TRUE(std::regex_search(file, std::regex("\\{'descr': '\\|i1', [^(]*\\([0-9]+,\\), \\}")));
}

TEST_F(MarianExport, LeavesOutPiecesThatNoTranslationHas) {
  const ModelConfig config = marian_like();
  std::map<std::string, Array> arrays = random_transformer(config, 9).all();
  EXPECT_THAT(marian_rows(Weights(arrays), 9, 1), ElementsAre(3, 1, 0, 2, 4, 5, 6, 7, 8));
  Floats bias = arrays.at("output.bias").copy();
  bias[text::kPad] = bias[text::kBegin] = kNeverWritten + 1;  // after some tuning
  arrays["output.bias"] = array_from(bias, {9});
  EXPECT_THAT(marian_rows(Weights(arrays), 9, 1), ElementsAre(3, 1, 4, 5, 6, 7, 8));
  EXPECT_THAT(marian_rows(Weights(arrays), 9, 4), ElementsAre(3, 1, 4, 5, 6, 7, 8, -1));
}

TEST_F(MarianExport, RefusesABeginningAndPositionsThatWereLearned) {
  const text::Vocabulary own = vocabulary("green red yellow blue house");
  ModelConfig config = marian_like();
  config.positions = "learned";
  std::map<std::string, Array> arrays = random_transformer(config, own.size()).all();
  const auto refusal = [&] {
    const Weights weights(arrays);
    return message_of<UserError>([&] {
      marian_network(
          {.model = config, .decoding = {}, .weights = weights, .source = own, .target = own}, 1,
          "run");
    });
  };
  EXPECT_THAT(refusal(), HasSubstr("run: its translations begin with a vector that was learned"));
  const std::string embedding = std::string(model::embedding_module(Tie::all, true)) + ".weight";
  Floats vectors = arrays.at(embedding).copy();
  std::fill_n(vectors.begin() + text::kBegin * config.width, config.width, 0.0F);
  arrays[embedding] = array_from(vectors, arrays.at(embedding).shape);
  EXPECT_THAT(refusal(), HasSubstr("(model.positions is learned)"));
  for (const char* side : {"source_positions.weight", "target_positions.weight"})
    arrays[side] = tensor2tensor_positions(0, config.max_positions, config.width);
  const Weights weights(arrays);
  EXPECT_TRUE(
      marian_network(
          {.model = config, .decoding = {}, .weights = weights, .source = own, .target = own}, 1,
          "run")
          .tensors.contains("Wemb"));
}

TEST(MarianNetworks, LackWhatMarianCannotCompute) {
  const auto missing = [](const auto& change) {
    ModelConfig config = student_like();
    change(config);
    return std::pair(missing_in_marian(config), missing_in_bergamot(config));
  };
  EXPECT_EQ(missing([](ModelConfig&) {}), std::pair(std::string(), std::string()));
  const auto both = [&](const char* key, const auto& change) {
    const auto [marian, bergamot] = missing(change);
    EXPECT_THAT(marian, HasSubstr(key));
    EXPECT_EQ(bergamot, marian);
  };
  both("(model.type is rnn)", [](ModelConfig& c) { c.type = model::ModelType::rnn; });
  both("(model.decoder is average)",
       [](ModelConfig& c) { c.decoder = model::DecoderKind::average; });
  both("(model.norm is pre); train with model.norm: post",
       [](ModelConfig& c) { c.norm = model::Norm::pre; });
  both("(model.norm_epsilon is 1e-05); train with model.norm_epsilon: 1e-6",
       [](ModelConfig& c) { c.norm_epsilon = 1e-5; });
  for (const char* positions : {"sinusoidal", "rotary", "alibi", "relative", "t5"})
    both("train with model.positions: tensor2tensor",
         [&](ModelConfig& c) { c.positions = positions; });
  both("(model.kv_heads is 1)", [](ModelConfig& c) { c.kv_heads = 1; });
  both("(model.activation is gelu)",
       [](ModelConfig& c) { c.activation = model::Activation::gelu; });
  const auto bergamot_alone = [&](const char* key, const auto& change) {
    const auto [marian, bergamot] = missing(change);
    EXPECT_EQ(marian, "");
    EXPECT_THAT(bergamot, HasSubstr(key));
  };
  bergamot_alone("(model.decoder is attention)",
                 [](ModelConfig& c) { c.decoder = model::DecoderKind::attention; });
  bergamot_alone("(model.activation is silu)",
                 [](ModelConfig& c) { c.activation = model::Activation::silu; });
  bergamot_alone("(model.tie is decoder)", [](ModelConfig& c) { c.tie = Tie::decoder; });
  bergamot_alone("(model.positions is none)", [](ModelConfig& c) { c.positions = "none"; });
  bergamot_alone("(model.embedding_norm is true)", [](ModelConfig& c) { c.embedding_norm = true; });
  bergamot_alone("(model.width is 68)", [](ModelConfig& c) { c.width = 68; });
  bergamot_alone("(model.feed_forward is 100)", [](ModelConfig& c) { c.feed_forward = 100; });
}

TEST(MarianNetworks, LackRulesOfASearch) {
  const auto missing = [](const auto& change) {
    decode::DecodeConfig config = search_of_marian();
    config.beam_size = 1;
    config.word_penalty = 0;
    change(config);
    return std::pair(search_missing_in_marian(config), search_missing_in_bergamot(config));
  };
  using Search = decode::DecodeConfig;
  EXPECT_EQ(missing([](Search&) {}), std::pair(std::string(), std::string()));
  const auto both = [&](const char* cure, const auto& change) {
    EXPECT_THAT(missing(change).first, HasSubstr(cure));
    EXPECT_THAT(missing(change).second, HasSubstr(cure));
  };
  both("--set decoding.length_penalty=average",
       [](Search& s) { s.length_penalty = decode::LengthPenalty::gnmt; });
  both("--set decoding.coverage_penalty=0", [](Search& s) { s.coverage_penalty = 0.1; });
  both("--set decoding.min_length=0", [](Search& s) { s.min_length = 1; });
  both("--set decoding.no_repeat_ngram=0", [](Search& s) { s.no_repeat_ngram = 4; });
  both("--set decoding.forbid=", [](Search& s) { s.forbid = {"<unk>", "x"}; });
  both("--set decoding.sampling.top_k=0", [](Search& s) { s.sampling.top_k = 3; });
  both("--set decoding.mbr=0", [](Search& s) { s.mbr = 4; });
  both("--set decoding.glossary=''", [](Search& s) { s.glossary = "terms.tsv"; });
  EXPECT_EQ(missing([](Search& s) { s.beam_size = 2; }).first, "");
  EXPECT_THAT(missing([](Search& s) { s.beam_size = 2; }).second,
              HasSubstr("--set decoding.beam_size=1"));
  EXPECT_THAT(missing([](Search& s) { s.word_penalty = 1; }).second,
              HasSubstr("--set decoding.word_penalty=0"));
}

TEST(MarianNetworks, SaysThatTheLimitOfLengthIsAnother) {
  decode::DecodeConfig config;
  EXPECT_THAT(notes_of_search(config), SizeIs(1));
  config.max_length_extra = config.max_length_ratio;
  EXPECT_THAT(notes_of_search(config), IsEmpty());
}

// 127 / 2 = 63.5: 0.3 is 19.05 of them, and 0.01 is 0.635.
TEST(WholeNumbersOf8Bits, AreRoundedByTheLargest) {
  const WholeNumbers numbers = whole_numbers(array_from({2, -0.3F, 0.01F, -1}, {2, 2}));
  EXPECT_EQ(numbers.multiplier, 63.5F);
  EXPECT_EQ(numbers.bytes, std::string({127, -19, 1, -64}));
}

TEST(WholeNumbersOf8Bits, OfQuotientsAreTheSameAgain) {
  for (const float multiplier : {37.7F, 0.0123F, 5e3F})
    for (const int largest : {127, 101, 64}) {
      Floats quotients;
      for (int whole = -largest; whole <= largest; ++whole)
        quotients.push_back(static_cast<float>(whole) / multiplier);
      const auto count = std::ssize(quotients);
      const Floats copy = quotients;
      const WholeNumbers numbers = whole_numbers(array_from(std::move(quotients), {1, count}));
      for (int64_t i = 0; i < count; ++i) {
        EXPECT_EQ(numbers.bytes[i], i - largest);
        EXPECT_EQ(static_cast<float>(numbers.bytes[i]) / numbers.multiplier, copy[i]);
      }
    }
}

struct BergamotExport : MarianExport {
  const text::Vocabulary own = vocabulary("green red yellow blue house");
  const ModelConfig config = student_like();

  /// The names of the files, and what is not the same.
  BergamotNames write(const Weights& weights, const std::string& name,
                      const std::string& shortlist = "") const {
    folder.write(name + "/here", "");
    decode::DecodeConfig search = search_of_marian();
    search.beam_size = 1;
    const BergamotRequest request{.own = {.model = config,
                                          .decoding = search,
                                          .weights = weights,
                                          .source = own,
                                          .target = own},
                                  .pairs = {{own.encode("red house"), own.encode("green house")},
                                            {own.encode("yellow"), own.encode("blue")}},
                                  .shortlist = shortlist,
                                  .languages = "deen"};
    write_bergamot(request, folder / name, "run");
    return bergamot_names(request);
  }
};

TEST_F(BergamotExport, IsWithin8BitsOfTheModelAndThenStaysTheSame) {
  const Weights weights = random_transformer(config, own.size());
  const BergamotNames files = write(weights, "first");
  EXPECT_EQ(files.model, "model.deen.intgemm.alphas.bin");
  const ForeignModel once = again("first");
  EXPECT_EQ(once.source_language, "de");
  EXPECT_EQ(once.target_language, "en");
  EXPECT_EQ(once.decoding.beam_size, 1);
  EXPECT_EQ(once.target.size(), 32);  // 28, filled up to a multiple of 8
  for (const auto& [name, array] : weights.all()) {
    const Array& rounded = once.weights.at(name);
    float largest = 0, off = 0;
    for (int64_t i = 0; i < array.count(); ++i)
      largest = std::max(largest, std::abs(array.data[i]));
    for (int64_t i = 0; i < array.count(); ++i)
      off = std::max(off, std::abs(array.data[i] - rounded.data[i]));
    if (array.shape.size() == 1)
      EXPECT_EQ(off, 0) << name;
    else
      EXPECT_LE(off, 0.5001F * largest / 127) << name;
  }
}

TEST_F(BergamotExport, OfAnImportedStudentHasTheSameNumbers) {
  write(random_transformer(config, own.size()), "first");
  const ForeignModel once = again("first");
  const BergamotRequest request{.own = {.model = once.model,
                                        .decoding = once.decoding,
                                        .weights = Weights(once.weights),
                                        .source = once.source,
                                        .target = once.target},
                                .pairs = {{{5}, {6}}},
                                .languages = "deen"};
  folder.write("second/here", "");
  write_bergamot(request, folder / "second", "run");
  expect_equal(once.weights, again("second").weights);
  EXPECT_EQ(text::all_pieces(read_file(folder / "first/vocab.deen.spm"), "first"),
            text::all_pieces(read_file(folder / "second/vocab.deen.spm"), "second"));
}

TEST_F(BergamotExport, HasTheListsOfTheShortlist) {
  std::vector<decode::PieceList> lists(own.size(), decode::PieceList{7});
  lists[5] = {6, 9, 11};
  lists[8] = decode::kUnknownTranslations;
  lists[text::kEnd] = {4};
  const std::string bytes = decode::shortlist_bytes(lists, 3, own, own);
  std::vector<int32_t> rows = {text::kEnd, text::kUnknown};
  for (int32_t id = 4; id < own.size(); ++id) rows.push_back(id);
  int64_t unknown = 0;
  const decode::ShortlistTable table = decode::read_shortlist(
      shortlist_for_marian(bytes, rows, rows, true, unknown, "run"), "lex", "");
  EXPECT_EQ(unknown, 1);
  EXPECT_EQ(table.frequent, 2);
  ASSERT_THAT(table.offsets, SizeIs(rows.size() + 1));
  const auto list = [&](std::size_t row) {
    return std::vector<uint32_t>(
        table.pieces.begin() + static_cast<int64_t>(table.offsets[row]),
        table.pieces.begin() + static_cast<int64_t>(table.offsets[row + 1]));
  };
  EXPECT_THAT(list(0), ElementsAre(0, 1, 2));     // </s>, <unk> and piece 4
  EXPECT_THAT(list(3), ElementsAre(3, 4, 7, 9));  // piece 5, which is copied, too
  EXPECT_THAT(list(6), ElementsAre(6));           // piece 8: a copy alone
}

// Zeros and the first position go into the decoder: all its inputs are sines of 0 and cosines.
TEST_F(BergamotExport, MeasuresTheLargestInputsOfItsMatrices) {
  const Weights weights = random_transformer(config, own.size());
  const MarianNetwork network = marian_network(
      {.model = config, .decoding = {}, .weights = weights, .source = own, .target = own}, 8,
      "run");
  const auto largest = largest_inputs(network, config, {{{0}, {0}}});
  EXPECT_EQ(largest.at("decoder_l1_rnn_W"), 1);
  EXPECT_EQ(largest.at("decoder_l1_rnn_Wf"), 1);
  EXPECT_EQ(largest.at("Wemb"), largest.at("none"));
  for (const auto& [name, tensor] : network.tensors)
    EXPECT_EQ(largest.contains(name), tensor.rows() > 1) << name;
  const auto more = largest_inputs(network, config, {{{0}, {0}}, {{4, 0}, {5, 6, 0}}});
  for (const auto& [name, number] : largest) EXPECT_GE(more.at(name), number) << name;
}

}  // namespace
}  // namespace heed::exchange
