#include "exchange/marian_bin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/weights.h"
#include "exchange/marian_writer.h"
#include "message.h"

namespace heed::exchange {
namespace {

using namespace testing;  // what marian_writer.h writes
using ::testing::ElementsAre, ::testing::HasSubstr;

std::vector<float> floats_in(const Tensors& tensors, const std::string& name) {
  return engine::Floats(array_of(tensors.at(name), name).copy());
}

/// Two columns of 8 numbers, word vectors, a bias and options.
const std::string& quantised_file() {
  static const std::string file =
      marian_bin({{"a_W",
                   kMarianQuantised,
                   {8, 2},
                   std::string("\x01\x03\x81\x00\x04\x06\x08\x0A", 8) +
                       std::string("\xFE\x04\x00\x05\x0C\x0E\x10\x7F", 8) + bytes_of(2.0F)},
                  {"Wemb", kBergamotQuantised, {2, 2}, "\x04\xF8\x0C\x7F" + bytes_of(4.0F)},
                  {"a_b", kMarianFloats, {1, 3}, bytes_of(std::vector{1.5F, -2.0F, 0.1F})},
                  {"special:model.yml", kMarianBytes, {5}, "a: 1\n"}});
  return file;
}

TEST(MarianBin, NumbersOf8BitsKeepTheirValues) {
  const Tensors tensors = read_marian_bin({quantised_file()}, "m.bin");
  EXPECT_EQ(tensors.size(), 4);
  // 1, 3, -127, 0, 4, 6, 8, 10 is the first column; the multiplier is 2.
  EXPECT_THAT(floats_in(tensors, "a_W"),
              ElementsAre(0.5F, -1, 1.5F, 2, -63.5F, 0, 0, 2.5F, 2, 6, 3, 7, 4, 8, 5, 63.5F));
  EXPECT_THAT(tensors.at("a_W").shape, ElementsAre(8, 2));
  // Word vectors lie by rows; their multiplier is 4.
  EXPECT_THAT(floats_in(tensors, "Wemb"), ElementsAre(1, -2, 3, 31.75F));
  EXPECT_THAT(floats_in(tensors, "a_b"), ElementsAre(1.5F, -2, 0.1F));
  EXPECT_THAT(tensors.at("a_b").shape, ElementsAre(1, 3));
  EXPECT_EQ(tensors.at("special:model.yml").bytes.view, "a: 1\n");
}

TEST(MarianBin, IsKnownByItsVersion) {
  EXPECT_TRUE(is_marian_bin(quantised_file()));
  EXPECT_FALSE(is_marian_bin(""));
  EXPECT_FALSE(is_marian_bin(quantised_file().substr(0, 15)));
  // Beginnings of CTranslate2's model.bin, of formats 6 and 1, and of torch.save().
  EXPECT_FALSE(is_marian_bin(std::string("\6\0\0\0\x10\0TransformerSpec\0", 22)));
  EXPECT_FALSE(is_marian_bin(std::string("\1\0\0\0\x69\0\0\0\x12\0encoder/", 18)));
  EXPECT_FALSE(is_marian_bin("PK\x03\x04 and more than that"));
  EXPECT_EQ(message_of<UserError>([] { read_marian_bin({"PK and more than that"}, "m.bin"); }),
            "m.bin: is no binary file of a model");
}

TEST(MarianBin, EachTruncationIsAnError) {
  const std::string& file = quantised_file();
  for (std::size_t length = 16; length < file.size(); ++length)
    EXPECT_THAT(message_of<UserError>([&] { read_marian_bin({file.substr(0, length)}, "m.bin"); }),
                HasSubstr("m.bin: "))
        << length;
  EXPECT_EQ(
      message_of<UserError>([&] { read_marian_bin({file.substr(0, file.size() - 1)}, "m.bin"); }),
      "m.bin: cut off in special:model.yml, item 4 of 4; copy or make it again");
  EXPECT_EQ(message_of<UserError>([&] { read_marian_bin({file.substr(0, 20)}, "m.bin"); }),
            "m.bin: cut off, or damaged; copy or make it again");
}

TEST(MarianBin, WhatCannotBeReadIsNamed) {
  const auto refusal = [](const MarianItem& item) {
    return message_of<UserError>([&] { read_marian_bin({marian_bin({item})}, "m.bin"); });
  };
  const std::string two = bytes_of<uint16_t>(0x0201);
  EXPECT_EQ(refusal({"x_W", 0x10002, {1, 1}, two}),
            "m.bin: x_W: numbers of type 0x10002: of 16 bits, or arranged for one kind of "
            "processor; heed reads float32 and intgemm8: take the .npz that it was made of, or "
            "make the file anew of it");
  for (const float multiplier : {0.0F, -1.0F, std::numeric_limits<float>::infinity(),
                                 std::numeric_limits<float>::quiet_NaN()})
    EXPECT_EQ(
        refusal({"x_Wemb", kMarianQuantised, {2, 1}, two + bytes_of(multiplier)}),
        "m.bin: x_Wemb: damaged: its multiplier is no positive number; copy or make it again");
  EXPECT_THAT(refusal({"x_W", kMarianQuantised, {16, 16}, std::string(256, 'a')}),
              HasSubstr("numbers of 8 bits without a multiplier"));
  EXPECT_EQ(refusal({"x_W", kMarianQuantised, {12, 1}, std::string(16, 'a')}),
            "m.bin: x_W: a matrix of 12 rows in 8 bits, which Marian writes wrong unless they are "
            "a multiple of 8: take the .npz that it was made of");
  EXPECT_THAT(refusal({"x_W", kMarianQuantised, {2}, two + bytes_of(1.0F)}),
              HasSubstr("that are no matrix"));
  EXPECT_THAT(refusal({"x_b", kMarianFloats, {1, 65}, std::string(256, 'a')}),
              HasSubstr("m.bin: x_b: damaged: a tensor is larger"));
  EXPECT_THAT(refusal({"x_b", kMarianFloats, {-1, -1}, std::string(256, 'a')}),
              HasSubstr("damaged: a tensor is larger"));
}

}  // namespace
}  // namespace heed::exchange
