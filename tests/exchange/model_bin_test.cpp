// CTranslate2's model.bin, written byte by byte.
#include "exchange/model_bin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "exchange/archives.h"
#include "message.h"
#include "temporary_folder.h"

namespace heed::exchange {
namespace {

using testing::bytes_of;
using ::testing::ElementsAre, ::testing::HasSubstr;

std::string named(const std::string& value) {
  return bytes_of(static_cast<uint16_t>(value.size() + 1)) + value + std::string(1, '\0');
}

template <class Number>
std::string variable(const std::string& name, const std::vector<uint32_t>& shape, char code,
                     const std::vector<Number>& numbers) {
  const std::string bytes = bytes_of(numbers);
  return named(name) + static_cast<char>(shape.size()) + bytes_of(shape) + code +
         bytes_of(static_cast<uint32_t>(bytes.size())) + bytes;
}

std::string header(uint32_t variables, uint32_t version = 6,
                   const std::string& spec = "TransformerSpec") {
  return bytes_of(version) + named(spec) + bytes_of(uint32_t{7}) + bytes_of(variables);
}

const std::string kNoAliases = bytes_of(uint32_t{0});

struct ModelBinFile : ::testing::Test {
  const TemporaryFolder folder;

  ModelBin open(const std::string& bytes) const {
    folder.write("model.bin", bytes);
    return {Package(folder.path()), "model.bin"};
  }
  std::string refusal(const std::string& bytes) const {
    return message_of<UserError>([&] { open(bytes); });
  }
};

TEST_F(ModelBinFile, NumbersOfEveryTypeAreWidened) {
  const ModelBin file = open(header(7) + variable<float>("f", {3}, 0, {1.5F, -2, 0.25F}) +
                             variable<int8_t>("q/weight", {2, 2}, 1, {127, -64, 10, 5}) +
                             variable<float>("q/weight_scale", {2}, 0, {254, 10}) +
                             variable<int16_t>("s", {2}, 2, {512, -1024}) +
                             variable<float>("s_scale", {}, 0, {1024}) +
                             variable<uint16_t>("h", {2}, 4, {0x3C00, 0xC100}) +  // 1, -2.5
                             variable<uint16_t>("b", {2}, 5, {0x3F80, 0xC020}) +  // the same
                             bytes_of(uint32_t{1}) + named("other") + named("f"));
  EXPECT_THAT(file.array("f", {3}).copy(), ElementsAre(1.5F, -2, 0.25F));
  EXPECT_THAT(file.array("other", {-1}).copy(), ElementsAre(1.5F, -2, 0.25F));
  EXPECT_EQ(file.kept("other"), "f");
  EXPECT_THAT(file.array("q/weight", {2, 2}).copy(), ElementsAre(0.5F, -64.F / 254, 1, 0.5F));
  EXPECT_EQ(file.quantised(), "int8");
  EXPECT_THAT(file.array("s", {2}).copy(), ElementsAre(0.5F, -1));
  EXPECT_THAT(file.array("h", {2}).copy(), ElementsAre(1, -2.5F));
  EXPECT_THAT(file.array("b", {2}).copy(), ElementsAre(1, -2.5F));
  EXPECT_THAT(message_of<UserError>([&] { file.array("f", {4}); }), HasSubstr("another shape"));
  EXPECT_THAT(message_of<UserError>([&] { file.array("none", {4}); }), HasSubstr("no 'none'"));
  file.require_all_read();
}

TEST_F(ModelBinFile, WhatNobodyAsksForIsRefusedUnlessItIsOff) {
  const ModelBin file = open(header(2) + variable<int8_t>("decoder/alibi", {}, 1, {0}) +
                             variable<int8_t>("decoder/new", {}, 1, {1}) + kNoAliases);
  EXPECT_EQ(file.number("decoder/none", 3), 3);
  EXPECT_THAT(message_of<UserError>([&] { file.require_all_read(); }),
              HasSubstr("has 'decoder/new'"));
  EXPECT_EQ(file.number("decoder/new", 0), 1);
  file.require_all_read();
}

TEST_F(ModelBinFile, DamagedOnesAreRefused) {
  const std::string whole = header(1) + variable<float>("f", {3}, 0, {1, 2, 3}) + kNoAliases;
  open(whole);
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_THAT(refusal(whole.substr(0, size)), HasSubstr("model.bin")) << size;
  EXPECT_THAT(refusal(header(0, 7)), HasSubstr("version 7"));
  EXPECT_THAT(refusal(header(0, 6, "WhisperSpec")), HasSubstr("WhisperSpec"));
  EXPECT_THAT(refusal(header(1) + variable<float>("f", {4}, 0, {1, 2, 3}) + kNoAliases),
              HasSubstr("'f' has not the bytes of its shape"));
  EXPECT_THAT(refusal(header(1) + variable<float>("f", {3}, 9, {1, 2, 3}) + kNoAliases),
              HasSubstr("'f'"));
  const uint32_t most = 0xffffffff;
  EXPECT_THAT(refusal(header(1) + variable<float>("f", {most, most, most}, 0, {1}) + kNoAliases),
              HasSubstr("'f'"));
  EXPECT_THAT(refusal(header(0) + bytes_of(uint32_t{1}) + named("a") + named("b")),
              HasSubstr("'a' stands for 'b'"));
}

}  // namespace
}  // namespace heed::exchange
