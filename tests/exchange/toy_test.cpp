// The program that docs/extending.md adds to those whose models are imported: one file and one line
// of a table. Nothing else in this program knows its name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "engine/random_weights.h"
#include "exchange/arrays.h"
#include "exchange/formats.h"
#include "exchange/plain_transformer.h"
#include "guide.h"
#include "message.h"
#include "model/description/safetensors_file.h"
#include "temporary_folder.h"
#include "text/vocabulary_training.h"

namespace heed::exchange {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// Writes a model of the lab. Returns heed's weights of it.
engine::Weights write_lab(const TemporaryFolder& folder) {
  folder.write("text", "a b c d\nb a\nd c\n");
  const text::Vocabulary pieces = text::train_vocabulary(
      {.files = {text::TextFile(folder / "text")}, .size = 12, .algorithm = "bpe"});
  folder.write("lab/pieces.model", pieces.model());
  model::ModelConfig config = engine::testing::small_transformer();
  config.tie = model::Tie::all;
  engine::Weights weights = engine::testing::random_transformer(config, pieces.size());
  std::vector<engine::Array> arrays;
  std::vector<model::SlotBytes> slots;
  for (const HuggingFaceTensor& tensor : hugging_face_tensors(config)) {
    const engine::Array& own = weights.at(tensor.own);
    const int64_t share = own.rows() / tensor.parts;
    arrays.push_back(rows_of(own, tensor.part * share, share));
    slots.push_back({{.name = tensor.name, .type = model::Dtype::F32, .shape = arrays.back().shape},
                     {reinterpret_cast<const char*>(arrays.back().data),
                      arrays.back().count() * sizeof(float)}});
  }
  model::write_safetensors(std::move(slots), {}, folder / "lab/weights.safetensors");
  const nlohmann::json sizes = {{"width", config.width},
                                {"inner", config.feed_forward},
                                {"heads", config.heads},
                                {"layers", config.encoder_layers}};
  folder.write("lab/sizes.json", sizes.dump());
  return weights;
}

TEST(AToyImport, IsOneOfTheTableWithoutAnotherEdit) {
  const TemporaryFolder folder;
  const engine::Weights weights = write_lab(folder);
  const Package package(folder / "lab");
  EXPECT_STREQ(format_of(package).program, "Lab");
  const ForeignModel model = read_model(package, {});
  EXPECT_EQ(model.program, "Lab");
  EXPECT_TRUE(model.joint);
  const std::string last = hugging_face_tensors(model.model).back().own;
  ASSERT_TRUE(model.weights.contains(last));
  EXPECT_EQ(model.weights.at(last).copy(), weights.at(last).copy());
  folder.write("lab/model.npz", "");
  EXPECT_THAT(message_of<UserError>([&] { read_model(Package(folder / "lab"), {}); }),
              AllOf(HasSubstr("model.npz (Marian)"), HasSubstr("sizes.json (Lab)")));
  folder.write("none/README", "");
  EXPECT_THAT(message_of<UserError>([&] { read_model(Package(folder / "none"), {}); }),
              HasSubstr("sizes.json (Lab)"));
}

TEST(AToyImport, IsThatOfTheGuide) {
  expect_in_guide("tests/exchange/toy/lab.cpp");
  expect_in_guide("tests/exchange/toy/exchange/formats.def");
}

}  // namespace
}  // namespace heed::exchange
