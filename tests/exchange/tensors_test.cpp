// Tensors of safetensors files and of NumPy's archives.
#include "exchange/tensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "base/error.h"
#include "exchange/archives.h"
#include "message.h"

namespace heed::exchange {
namespace {

using model::Dtype;
using testing::bytes_of, testing::zip;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<float> floats(const Tensor& tensor) {
  return array_of(tensor, "x").copy();
}

/// Versions 2 and 3 have a longer length.
std::string npy(const std::string& header, const std::string& numbers, char version = 1) {
  const std::string length = version == 1 ? bytes_of(static_cast<uint16_t>(header.size()))
                                          : bytes_of(static_cast<uint32_t>(header.size()));
  return std::string("\x93NUMPY") + version + '\0' + length + header + numbers;
}

std::string npy_header(const std::string& type, const std::string& shape, bool in_columns = false) {
  return "{'descr': '" + type + "', 'fortran_order': " + (in_columns ? "True" : "False") +
         ", 'shape': " + shape + ", }     \n";
}

Tensor read_one(const std::string& array) {
  return read_npz({zip({{"a.npy", array, true}})}, "m.npz").at("a");
}

std::string npz_refusal(const std::string& array) {
  return message_of<UserError>([&] { read_one(array); });
}

const std::string kSix = bytes_of(std::vector<float>{1, 2, 3, 4, 5, 6});

TEST(Npz, HasArraysByTheirNames) {
  const std::string yaml = std::string("type: transformer\n") + '\0';
  const std::string file =
      zip({{"Wemb.npy", npy(npy_header("<f4", "(2, 3)"), kSix)},
           {"special:model.yml.npy", npy(npy_header("|i1", "(19,)"), yaml)},
           {"layer/one.npy", npy(npy_header("<f2", "()"), bytes_of<uint16_t>(0xc100), 2), true},
           {"none.npy", npy(npy_header("<f4", "(0, 5)"), "", 3)}});
  const Tensors tensors = read_npz({file}, "m.npz");
  EXPECT_EQ(tensors.size(), 4);
  EXPECT_THAT(tensors.at("Wemb").shape, ElementsAre(2, 3));
  EXPECT_THAT(floats(tensors.at("Wemb")), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(tensors.at("Wemb").bytes.view.data(), file.data() + file.find(kSix));
  EXPECT_EQ(tensors.at("special:model.yml").type, Dtype::I8);
  EXPECT_EQ(tensors.at("special:model.yml").bytes.view, yaml);
  EXPECT_THAT(tensors.at("layer/one").shape, IsEmpty());
  EXPECT_THAT(floats(tensors.at("layer/one")), ElementsAre(-2.5));
  EXPECT_THAT(tensors.at("none").shape, ElementsAre(0, 5));
  EXPECT_EQ(tensors.at("none").bytes.view, "");
}

TEST(Npz, PutsColumnsOneBehindTheOtherIntoRows) {
  EXPECT_THAT(floats(read_one(npy(npy_header("<f4", "(2, 3)", true), kSix))),
              ElementsAre(1, 3, 5, 2, 4, 6));
  EXPECT_THAT(floats(read_one(npy(npy_header("<f4", "(3, 1, 2)", true), kSix))),
              ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(floats(read_one(npy(npy_header("<f4", "(6,)", true), kSix))),
              ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(Npz, TakesHeadersAsPythonWritesThem) {
  for (const char* text :
       {"{'descr':'<i2','fortran_order':False,'shape':(3,)}",
        "{'shape': (3, ), 'descr': '<i2', 'fortran_order': False}", "{ 'descr' :'<i2'}"}) {
    const bool sound = std::string(text).find("shape") != std::string::npos;
    const std::string array = npy(text, bytes_of(std::vector<int16_t>{7, -300, 5}));
    if (!sound) {
      EXPECT_EQ(npz_refusal(array), "m.npz: a.npy: damaged: its header is none of NumPy's");
      continue;
    }
    const Tensor tensor = read_one(array);
    EXPECT_EQ(tensor.type, Dtype::I16);
    EXPECT_THAT(tensor.shape, ElementsAre(3));
    EXPECT_EQ(tensor.bytes.view, bytes_of(std::vector<int16_t>{7, -300, 5}));
  }
}

TEST(Npz, RefusesWhatIsNoArrayOfNumbers) {
  EXPECT_EQ(npz_refusal("numbers"), "m.npz: a.npy: no array of NumPy's");
  EXPECT_EQ(npz_refusal("\x93NUMPY"), "m.npz: a.npy: truncated, or damaged");
  const std::string no_header = "m.npz: a.npy: damaged: its header is none of NumPy's";
  for (const char* text :
       {"", "{", "{'descr': __import__('os'), }", "{'shape': (-1,), }", "{'shape': (1+1,), }",
        "{'shape': (99999999999999999999,), }", "{'descr': [('a', '<f4')], }",
        "{'fortran_order': 0, }", "{'descr': '<f4", "{'shape': (1,), 'descr': [('a', '<f4')], }",
        "{'shape': (1,), 'fortran_order': 0, }", "'shape'", "[1]", "(((((((("})
    EXPECT_EQ(npz_refusal(npy(text, "")), no_header) << text;
  const std::string deep(70000, '(');
  EXPECT_EQ(npz_refusal(npy("{'shape': " + deep + "}", "", 2)), no_header);
  for (const std::string type : {">f4", "<U5", "|O", "<c8", "<f16", ""})
    EXPECT_EQ(
        npz_refusal(npy(npy_header(type, "(1,)"), kSix)).substr(0, 48),
        ("m.npz: a.npy: an array of type '" + type + "', which heed does not read").substr(0, 48));
  EXPECT_EQ(npz_refusal(npy("{'shape': (1,), }", kSix)),
            "m.npz: a.npy: an array of type '', which heed does not read");
  const std::string larger =
      "m.npz: a.npy: damaged: a tensor is larger than what holds its numbers";
  for (const char* shape : {"(7,)", "(2, 4)", "(4294967296, 4294967296)", "(9223372036854775807,)",
                            "(3037000500, 3037000500)"})
    for (const bool in_columns : {false, true})
      EXPECT_EQ(npz_refusal(npy(npy_header("<f4", shape, in_columns), kSix)), larger) << shape;
  std::string many = "(";
  for (int i = 0; i < 65; ++i) many += "1,";
  EXPECT_EQ(npz_refusal(npy(npy_header("<f4", many + ")"), kSix)), larger);
}

TEST(Tensors, AreWholeViews) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const std::string numbers = bytes_of(std::vector<int32_t>{0, 1, 2, 3, 4, 5, 6});
  const auto view = [&](std::vector<int64_t> shape, const std::vector<int64_t>& strides,
                        int64_t offset) {
    const Tensor tensor = tensor_of(Dtype::I32, std::move(shape), strides, offset, {numbers}, "f");
    std::vector<int32_t> values(tensor.bytes.view.size() / 4);
    tensor.bytes.view.copy(reinterpret_cast<char*>(values.data()), tensor.bytes.view.size());
    return values;
  };
  EXPECT_THAT(view({2, 3}, {3, 1}, 1), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(view({3, 2}, {1, 3}, 1), ElementsAre(1, 4, 2, 5, 3, 6));  // transposed
  EXPECT_THAT(view({3}, {3}, 0), ElementsAre(0, 3, 6));
  EXPECT_THAT(view({3, 1}, {2, kMost}, 2), ElementsAre(2, 4, 6));
  EXPECT_THAT(view({2, 2}, {0, 1}, 5), ElementsAre(5, 6, 5, 6));
  EXPECT_THAT(view({}, {}, 6), ElementsAre(6));
  EXPECT_THAT(view({0, 4}, {4, 1}, 99), IsEmpty());
  const auto refuse = [&](const std::vector<int64_t>& shape, const std::vector<int64_t>& strides,
                          int64_t offset) {
    EXPECT_EQ(message_of<UserError>([&] { view(shape, strides, offset); }),
              "f: damaged: a tensor is larger than what holds its numbers");
  };
  refuse({3}, {3}, 1);
  refuse({8}, {0}, 0);
  refuse({-1}, {1}, 0);
  refuse({3}, {-1}, 3);
  refuse({3}, {1}, -1);
  refuse({3}, {1}, kMost);
  refuse({3}, {kMost}, 0);
  refuse({2, 2}, {kMost / 2 + 1, kMost / 2 + 1}, 0);
  refuse({kMost, 3}, {0, 0}, 0);
  refuse({3}, {}, 0);
  refuse({}, {1}, 0);
}

TEST(Tensors, BecomeFiniteFloats) {
  const float inf = std::numeric_limits<float>::infinity();
  const std::string infinite = bytes_of(std::vector<float>{1, inf, 3});
  EXPECT_EQ(message_of<UserError>([&] {
              array_of({Dtype::F32, {3}, {infinite}}, "a\nb");
            }),
            "a\\nb: a tensor with values that are no finite numbers (NaN or infinity)");
  EXPECT_EQ(message_of<UserError>([&] {
              array_of({Dtype::I8, {12}, {infinite}}, "ids");
            }),
            "ids: a tensor of whole numbers (I8), which are no weights");
  // The numbers are read where they lie, unless that is no address of a float.
  const std::vector<float> room = {0, 1, 2};
  const std::string_view bytes(reinterpret_cast<const char*>(room.data()), 12);
  EXPECT_EQ(array_of({Dtype::F32, {2}, {bytes.substr(4)}}, "x").data, room.data() + 1);
  std::string moved = "x" + std::string(bytes);
  EXPECT_THAT(floats({Dtype::F32, {3}, {std::string_view(moved).substr(1)}}), ElementsAre(0, 1, 2));
}

TEST(Tensors, MayHaveNoNumbers) {
  const std::string nothing;
  for (const Dtype type : {Dtype::F64, Dtype::F32, Dtype::F16})
    EXPECT_NE(array_of({type, {3, 0}, {nothing}}, "x").data, nullptr);
}

TEST(Safetensors, OfOtherProgramsHaveNoChecksum) {
  const std::string header =
      R"({"b":{"dtype":"I16","shape":[1],"data_offsets":[24,26]},)"
      R"("a":{"dtype":"F32","shape":[3,2],"data_offsets":[0,24]},"__metadata__":{"format":"pt"}})";
  const std::string file =
      bytes_of<uint64_t>(header.size()) + header + kSix + bytes_of<int16_t>(-7);
  const Tensors tensors = read_safetensors({file}, "m.safetensors");
  EXPECT_EQ(tensors.size(), 2);
  EXPECT_THAT(tensors.at("a").shape, ElementsAre(3, 2));
  EXPECT_THAT(floats(tensors.at("a")), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(tensors.at("b").type, Dtype::I16);
  EXPECT_EQ(tensors.at("b").bytes.view, bytes_of<int16_t>(-7));
  for (std::size_t i = 0; i < file.size(); ++i)
    EXPECT_EQ(message_of<UserError>([&] {
                read_safetensors({std::string_view(file).substr(0, i)}, "m.safetensors");
              }).substr(0, 15),
              "m.safetensors: ");
}

}  // namespace
}  // namespace heed::exchange
