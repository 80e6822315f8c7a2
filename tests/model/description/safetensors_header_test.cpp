// Headers that lie, by hand: each is refused in one line that says what is wrong.
#include "model/description/safetensors_header.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "message.h"

namespace heed::model {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string error_of(const std::string& header, int64_t data_bytes = 12) {
  return message_of<UserError>([&] { parse_header(header, data_bytes, "f"); });
}

void expect_refused(const std::string& header, const std::string& part, int64_t data_bytes = 12) {
  const std::string error = error_of(header, data_bytes);
  EXPECT_THAT(error, StartsWith("f: ")) << header.substr(0, 200);
  EXPECT_THAT(error, HasSubstr(part)) << header.substr(0, 200);
  EXPECT_THAT(error, Not(HasSubstr("\n")));
  EXPECT_LT(error.size(), 250U);
}

/// An entry of fp32 numbers.
std::string entry(const std::string& name, const std::string& shape, const std::string& offsets) {
  return "\"" + name + R"(":{"dtype":"F32","shape":)" + shape + R"(,"data_offsets":)" + offsets +
         "}";
}
std::string one(const std::string& shape, const std::string& offsets) {
  return "{" + entry("a", shape, offsets) + "}";
}
std::string repeated(const std::string& part, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += part;
  return out;
}

TEST(SafetensorsHeader, GivesTensorsInTheOrderOfTheFile) {
  const Header header = parse_header(
      R"( {"b":{"shape":[2,1],"data_offsets":[4,12],"dtype":"F32"},"__metadata__":{"k":"v"},)"
      R"("a":{"dtype":"BF16","shape":[],"data_offsets":[2,4]},)"
      R"("c":{"dtype":"BOOL","shape":[2],"data_offsets":[0,2]}}  )",
      12, "f");
  ASSERT_EQ(header.slots.size(), 3U);
  EXPECT_EQ(header.slots[0].name, "c");
  EXPECT_EQ(header.slots[1].name, "a");
  EXPECT_EQ(header.slots[1].type, Dtype::BF16);
  EXPECT_EQ(header.slots[2].shape, (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(header.slots[2].begin, 4);
  EXPECT_EQ(header.metadata, (std::map<std::string, std::string>{{"k", "v"}}));
  EXPECT_TRUE(parse_header("{}", 0, "f").slots.empty());
}

// There are more tensors than any model has: each is read once, whatever their number.
TEST(SafetensorsHeader, HoldsManyTensors) {
  std::string text = "{";
  for (int i = 0; i < 100000; ++i)
    text += (i > 0 ? "," : "") + entry("layer." + std::to_string(i), "[0]", "[0,0]");
  const Header header = parse_header(text + "}", 0, "f");
  ASSERT_EQ(header.slots.size(), 100000U);
  EXPECT_EQ(header.slots.back().shape, std::vector<int64_t>{0});
}

TEST(SafetensorsHeader, WhatIsNoObjectIsRefused) {
  for (const char* text : {"", " ", "[1,2]", "7", "null", "\"a\"", "{\"a\":", "{\"a\"", "{}x",
                           "not JSON", "{\"\xff\":1}"})
    expect_refused(text, "not a safetensors file");
}

TEST(SafetensorsHeader, DeepNestingIsRefusedWhereItBegins) {
  expect_refused(repeated("[", 100000), "nested");
  expect_refused(repeated("{\"a\":", 100000), "its entry for 'a' makes no sense");
  expect_refused(R"({"a":{"shape":)" + repeated("[", 100000), "makes no sense");
  expect_refused(R"({"__metadata__":)" + repeated("{\"a\":", 100000), "metadata are not texts");
}

TEST(SafetensorsHeader, MetadataAreTexts) {
  for (const char* value : {"7", "null", "true", "-1", "0.5", "[\"a\"]", "{\"a\":\"b\"}"})
    expect_refused(std::string(R"({"__metadata__":{"a":)") + value + "}}",
                   "its metadata are not texts", 0);
  for (const char* value : {"7", "null", "\"a\"", "[]"})
    expect_refused(std::string(R"({"__metadata__":)") + value + "}", "its metadata are not texts",
                   0);
  expect_refused(R"({"__metadata__":{"a":"1","a":"2"}})", "its metadata are not texts", 0);
}

TEST(SafetensorsHeader, ANameMeansOneTensor) {
  expect_refused("{" + entry("a", "[3]", "[0,12]") + "," + entry("a", "[0]", "[12,12]") + "}",
                 "it names 'a' twice");
  expect_refused(R"({"__metadata__":{},"__metadata__":{}})", "it names '__metadata__' twice", 0);
}

TEST(SafetensorsHeader, AnEntryIsTypeShapeAndOffsetsAndNothingElse) {
  const std::string type = R"("dtype":"F32")", shape = R"("shape":[3])",
                    offsets = R"("data_offsets":[0,12])";
  const auto of = [](const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : ",") + part;
    return "{\"a\":{" + text + "}}";
  };
  EXPECT_EQ(error_of(of({offsets, type, shape})), "(nothing thrown)");
  for (const auto& parts :
       std::vector<std::vector<std::string>>{{type, shape},
                                             {type, offsets},
                                             {shape, offsets},
                                             {},
                                             {type, shape, offsets, type},
                                             {type, shape, offsets, shape},
                                             {type, shape, offsets, offsets},
                                             {type, shape, offsets, R"("more":"x")"},
                                             {type, shape, offsets, R"("more":[])"},
                                             {R"("dtype":7)", shape, offsets},
                                             {type, R"("shape":"3")", offsets},
                                             {type, R"("shape":{})", offsets},
                                             {type, shape, R"("data_offsets":[0])"},
                                             {type, shape, R"("data_offsets":[0,12,12])"}})
    expect_refused(of(parts), "its entry for 'a' makes no sense");
  for (const char* value : {"7", "null", "[]", "\"a\""})
    expect_refused(std::string("{\"a\":") + value + "}", "its entry for 'a' makes no sense");
  expect_refused(of({R"("dtype":"F7")", shape, offsets}), "tensor 'a' has the unknown type 'F7'");
}

TEST(SafetensorsHeader, ExtentsAndOffsetsAreWholeNumbersThatFit) {
  for (const char* number : {"-3", "3.0", "3e0", "true", "null", "\"3\"", "[3]",
                             "9223372036854775808", "18446744073709551616", "1e400"}) {
    expect_refused(one("[" + std::string(number) + "]", "[0,12]"), "not a safetensors file");
    expect_refused(one("[3]", "[0," + std::string(number) + "]"), "not a safetensors file");
  }
  // One number too many is one too many, before the others are kept.
  expect_refused(one("[" + repeated("1,", 1000000) + "3]", "[0,12]"), "makes no sense");
}

TEST(SafetensorsHeader, ShapesWhoseProductOverflowsAreRefused) {
  for (const char* shape : {"[4611686018427387904,4]", "[3037000500,3037000500]",
                            "[0,4611686018427387904,4611686018427387904]",
                            "[4294967296,4294967296,0]", "[9223372036854775807]"}) {
    expect_refused(one(shape, "[0,0]"), "contradict each other", 0);
    expect_refused(one(shape, "[0,12]"), "contradict each other");
  }
}

TEST(SafetensorsHeader, TensorsCoverTheDataWithoutOverlapsAndGaps) {
  const auto two = [](const std::string& first, const std::string& second) {
    return "{" + entry("a", "[2]", first) + "," + entry("b", "[1]", second) + "}";
  };
  EXPECT_EQ(error_of(two("[4,12]", "[0,4]")), "(nothing thrown)");
  expect_refused(two("[0,8]", "[4,8]"), "tensor 'b' overlaps another or leaves a gap");
  expect_refused(two("[0,8]", "[0,4]"), "overlaps another or leaves a gap");
  expect_refused(two("[0,8]", "[9,13]"), "tensor 'b' overlaps another or leaves a gap", 13);
  expect_refused(one("[2]", "[4,12]"), "tensor 'a' overlaps another or leaves a gap");
  expect_refused(one("[2]", "[0,8]"), "corrupt: 12 bytes of tensors where its header describes 8");
  expect_refused(one("[3]", "[8,0]"), "contradict each other");
  expect_refused(one("[1000000000000]", "[0,4000000000000]"), "truncated: 12 bytes of tensors");
  expect_refused(one("[1]", "[9223372036854775803,9223372036854775807]"), "leaves a gap");
}

TEST(SafetensorsHeader, ErrorsAreOneShortLineWhateverTheNames) {
  expect_refused("{" + entry(R"(a\nb\u001b[2J)", "[1]", "[0,12]") + "}", R"('a\nb\x1B[2J')");
  expect_refused("{" + entry(repeated("long.", 100000), "[1]", "[0,12]") + "}", "long.long.");
  expect_refused(R"({"a":{"dtype":")" + repeated("F", 100000) + "\"}}", "unknown type 'FFF");
}

}  // namespace
}  // namespace heed::model
