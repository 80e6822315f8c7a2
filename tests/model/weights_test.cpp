#include "model/weights.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/files.h"
#include "model/embedding.h"
#include "model/model.h"
#include "model/transformer/transformer.h"
#include "paths.h"

namespace heed::model {
namespace {

namespace fs = std::filesystem;

class Weights : public ::testing::Test {
 protected:
  void SetUp() override {
    folder = fs::temp_directory_path() / ("heed_weights_" + std::to_string(getpid()));
    fs::create_directories(folder);
    path = (folder / "model.safetensors").string();
  }
  void TearDown() override { fs::remove_all(folder); }

  void write(const std::string& bytes) const {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  }
  /// A safetensors file with this header and so many zero bytes of data.
  void write_with_header(const std::string& header, std::size_t data_bytes) const {
    uint64_t length = header.size();
    std::string bytes(sizeof length, '\0');
    std::memcpy(bytes.data(), &length, sizeof length);
    write(bytes + header + std::string(data_bytes, '\0'));
  }
  std::string error_of_load(bool foreign = false) const {
    try {
      load_tensors(path, foreign);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }
  void expect_refused(const std::string& part, bool foreign = false) const {
    const std::string error = error_of_load(foreign);
    EXPECT_EQ(error.find(path + ": "), 0U) << error;
    EXPECT_NE(error.find(part), std::string::npos) << error;
  }

  fs::path folder;
  std::string path;
};

TensorFile small_file() {
  return {.tensors = {{"a", at::tensor({1.5, -2.0, 3.25}, at::kFloat)},
                      {"b", at::tensor({7}, at::kLong)}},
          .metadata = {{"made", "by \"hand\"\n\u00e4"}}};
}

TEST_F(Weights, EveryTypeAndShapeComesBackUnchanged) {
  TensorFile file{.metadata = {{"updates", "12"}, {"checksum of", "\"checksum\":\"crc32:"}}};
  for (const auto type : {at::kFloat, at::kDouble, at::kBFloat16, at::kHalf, at::kLong, at::kInt,
                          at::kByte, at::kBool})
    file.tensors[c10::toString(type)] = at::arange(15).remainder(2).view({3, 5}).to(type);
  file.tensors["scalar"] = at::scalar_tensor(3.5);
  file.tensors["empty"] = at::empty({0, 7});
  file.tensors["not.contiguous"] = at::arange(12, at::kFloat).view({3, 4}).t();
  save_tensors(file, path);
  const TensorFile back = load_tensors(path);
  EXPECT_EQ(back.metadata, file.metadata);
  ASSERT_EQ(back.tensors.size(), file.tensors.size());
  for (const auto& [name, tensor] : file.tensors) {
    EXPECT_EQ(back.tensors.at(name).scalar_type(), tensor.scalar_type()) << name;
    EXPECT_EQ(back.tensors.at(name).sizes(), tensor.sizes()) << name;
    EXPECT_TRUE(at::equal(back.tensors.at(name), tensor)) << name;
  }
}

TEST_F(Weights, NoTensorsAtAllIsAFileToo) {
  save_tensors({}, path);
  EXPECT_TRUE(load_tensors(path).tensors.empty());
}

TEST_F(Weights, TheDataIsAlignedAndTheSameFileIsTheSameBytes) {
  save_tensors(small_file(), path);
  const std::string bytes = read_file(path);
  uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  EXPECT_EQ(length % 8, 0U);
  EXPECT_EQ(bytes[8], '{');
  save_tensors(small_file(), path);
  EXPECT_EQ(read_file(path), bytes);
}

TEST_F(Weights, EveryFlippedByteIsFound) {
  save_tensors(small_file(), path);
  const std::string good = read_file(path);
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const int flip : {0x01, 0x20, 0x80}) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ flip);
      write(bad);
      const std::string error = error_of_load();
      EXPECT_EQ(error.find(path + ": "), 0U) << "byte " << at << " flip " << flip << ": " << error;
    }
  }
}

TEST_F(Weights, EveryTruncationIsFound) {
  save_tensors(small_file(), path);
  const std::string good = read_file(path);
  for (std::size_t size = 0; size < good.size(); ++size) {
    write(good.substr(0, size));
    EXPECT_EQ(error_of_load().find(path + ": "), 0U) << size << " bytes";
  }
  write(good + "x");
  expect_refused("corrupt");
}

TEST_F(Weights, WhatIsNoModelIsNamed) {
  path = (folder / "nothing").string();
  expect_refused("no such file");
  path = folder.string();
  expect_refused("not a file");
  path = (folder / "text").string();
  write("This is a text about something else, and no weights are in it.\n");
  expect_refused("not a safetensors file");
}

TEST_F(Weights, APipeIsRefusedAndNotWaitedFor) {
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  expect_refused("not a file");
}

TEST_F(Weights, TheHeadersLengthLiesInsideTheFile) {
  for (const std::string& length :
       {std::string("\xff\xff\xff\xff\xff\xff\xff\xff", 8),
        std::string("\xff\xff\xff\xff\xff\xff\xff\x7f", 8), std::string("\0\0\0\0\0\0\0\x80", 8),
        std::string("\x03\0\0\0\0\0\0\0", 8)}) {
    write(length + "{}");
    expect_refused("the length of its header makes no sense");
  }
  write(std::string(8, '\0'));
  expect_refused("its header is no JSON object");
}

TEST_F(Weights, HugeLengthsAreRefusedBeforeTheyAreAllocated) {
  write(std::string("\xff\xff\xff\xff\xff\xff\xff\x7f", 8) + "{}");
  expect_refused("length of its header");
  write_with_header(
      R"({"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,16]}})", 16);
  expect_refused("contradict", true);
  write_with_header(
      R"({"a":{"dtype":"F32","shape":[1000000000000],"data_offsets":[0,4000000000000]}})", 16);
  expect_refused("truncated", true);
  write_with_header(std::string(100000, '['), 0);
  expect_refused("nested", true);
}

TEST_F(Weights, HeadersThatLieAreRefused) {
  const auto entry = [](const std::string& name, const std::string& rest) {
    return "\"" + name + "\":{\"dtype\":\"F32\",\"shape\":" + rest + "}";
  };
  const std::vector<std::string> lies{
      "{" + entry("a", R"([2],"data_offsets":[0,8])") + "," +
          entry("b", R"([2],"data_offsets":[4,12])") + "}",
      "{" + entry("a", R"([2],"data_offsets":[4,12])") + "}",
      "{" + entry("a", R"([2],"data_offsets":[-8,0])") + "}",
      "{" + entry("a", R"([2],"data_offsets":[8,0])") + "}",
      "{" + entry("a", R"([-2],"data_offsets":[0,12])") + "}",
      "{" + entry("a", R"([3],"data_offsets":[0,12,1])") + "}",
      "{" + entry("a", R"([3],"data_offsets":"0")") + "}",
      "{" + entry("a", R"("3","data_offsets":[0,12])") + "}",
      R"({"a":{"dtype":"F7","shape":[3],"data_offsets":[0,12]}})",
      R"({"a":{"shape":[3],"data_offsets":[0,12]}})",
      R"({"a":7})",
      R"({"__metadata__":{"a":7}})",
      R"([1,2])",
      R"({"a":)",
  };
  for (const std::string& lie : lies) {
    write_with_header(lie, 12);
    EXPECT_EQ(error_of_load(true).find(path + ": "), 0U) << lie;
  }
}

TEST_F(Weights, FilesOfOtherProgramsAreReadWhenAskedFor) {
  write_with_header(R"({"x":{"dtype":"F32","shape":[1,3],"data_offsets":[0,12]}})", 12);
  expect_refused("no checksum");
  const TensorFile file = load_tensors(path, true);
  EXPECT_TRUE(at::equal(file.tensors.at("x"), at::zeros({1, 3})));
}

// The first number, one inside and the last, of every type that holds such values.
TEST_F(Weights, NumbersThatAreNotFiniteAreRefusedWithTheirTensor) {
  for (const auto type : {at::kFloat, at::kDouble, at::kBFloat16, at::kHalf})
    for (const double wrong : {NAN, -NAN, INFINITY, -INFINITY})
      for (const int64_t index : {0, 17, 36}) {
        TensorFile file = small_file();
        file.tensors["a\nb"] = at::ones({37}, type);
        save_tensors(file, path);
        EXPECT_EQ(error_of_load(), "");
        file.tensors["a\nb"][index] = wrong;
        save_tensors(file, path);
        expect_refused(R"(tensor 'a\nb' has values that are no finite numbers)");
      }
  save_tensors({.tensors = {{"c", at::full({3}, 1e300, at::kDouble)}}}, path);  // not in fp32
  expect_refused("tensor 'c'");
}

TEST_F(Weights, TensorsThatAnotherProgramDidNotAlignAreRead) {
  for (const std::string blanks : {"", " ", "  ", "   "}) {
    write_with_header(R"({"x":{"dtype":"F32","shape":[3],"data_offsets":[0,12]}})" + blanks, 12);
    EXPECT_TRUE(at::equal(load_tensors(path, true).tensors.at("x"), at::zeros({3})));
  }
}

TEST_F(Weights, AFailedSaveNamesTheFile) {
  const std::string nowhere = (folder / "missing" / "model.safetensors").string();
  try {
    save_tensors(small_file(), nowhere);
    FAIL() << "saved into a folder that does not exist";
  } catch (const Failure& error) {
    EXPECT_NE(std::string(error.what()).find(nowhere), std::string::npos) << error.what();
  }
}

TEST_F(Weights, PythonReadsTheFile) {
  save_tensors(small_file(), path);
  const std::string script =
      "import json,struct,sys\n"
      "b=open(sys.argv[1],'rb').read()\n"
      "n,=struct.unpack('<Q',b[:8])\n"
      "h=json.loads(b[8:8+n])\n"
      "s,e=h['a']['data_offsets']\n"
      "assert h['a']['dtype']=='F32' and h['a']['shape']==[3]\n"
      "assert struct.unpack('<3f',b[8+n+s:8+n+e])==(1.5,-2.0,3.25)\n"
      "assert h['__metadata__']['format_version']=='1'\n";
  const pid_t child = fork();
  if (child == 0) {
    execl(paths::kPython, paths::kPython, "-c", script.c_str(), path.c_str(),
          static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

ModelConfig tiny(Tie tie) {
  ModelConfig config;
  config.width = 6;
  config.feed_forward = 5;
  config.heads = 2;
  config.encoder_layers = config.decoder_layers = 1;
  config.tie = tie;
  return config;
}

TEST_F(Weights, ALoadedModelHasTheSameWeights) {
  const auto one = make_transformer(tiny(Tie::none), {7, 7});
  const auto other = make_transformer(tiny(Tie::none), {7, 7});
  save_tensors({.tensors = named_weights(*one)}, path);
  load_weights(*other, load_tensors(path).tensors, path);
  for (const auto& [name, tensor] : named_weights(*one))
    EXPECT_TRUE(at::equal(tensor, named_weights(*other).at(name))) << name;
  EXPECT_TRUE(other->parameters()[0].requires_grad());
}

TEST_F(Weights, TakenWeightsAreTheFilesOwnAndLeaveItAsItIs) {
  ModelConfig config = tiny(Tie::all);
  config.width = config.feed_forward = 16;
  for (const int64_t vocabulary : {16, 7}) {  // 7: what follows the biases lies at an odd address
    const auto one = make_transformer(config, {vocabulary, vocabulary});
    save_tensors({.tensors = named_weights(*one)}, path);
    const auto weights = load_tensors(path).tensors;
    const auto other = [&] {
      const WeightsBegin taken_next(InitialWeights::uninitialised);
      return make_transformer(config, {vocabulary, vocabulary});
    }();
    take_weights(*other, weights, path);
    const at::NoGradGuard no_grad;
    for (const auto& [name, tensor] : named_weights(*other)) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.const_data_ptr()) % 64, 0U) << name;
      if (vocabulary == 7) continue;
      EXPECT_EQ(tensor.const_data_ptr(), weights.at(name).const_data_ptr()) << name;
    }
    const Tensor features = at::ones({1, 16});
    EXPECT_TRUE(at::equal(other->logits(features), one->logits(features)));
    EXPECT_TRUE(other->parameters()[0].requires_grad());
    for (const Tensor& parameter : other->parameters()) parameter.zero_();
    for (const auto& [name, tensor] : load_tensors(path).tensors)
      EXPECT_TRUE(at::equal(tensor, named_weights(*one).at(name))) << name;
  }
}

TEST_F(Weights, TiedWeightsAreStoredOnceAndStayTied) {
  const auto model = make_transformer(tiny(Tie::all), {7, 7});
  const auto weights = named_weights(*model);
  int64_t stored = 0;
  for (const auto& [name, tensor] : weights) stored += tensor.numel();
  int64_t counted = 0;
  for (const auto& tensor : model->parameters()) counted += tensor.numel();
  EXPECT_EQ(stored, counted);
  EXPECT_EQ(stored, [] {
    int64_t separate = 0;
    for (const auto& item : named_weights(*make_transformer(tiny(Tie::none), {7, 7})))
      separate += item.second.numel();
    return separate;
  }() - 2 * 7 * 6);

  auto doubled = weights;
  for (auto& [name, tensor] : doubled) tensor = tensor * 2;
  const Tensor features = at::ones({1, 6});
  const Tensor before = model->logits(features);
  load_weights(*model, doubled, "doubled");
  EXPECT_TRUE(at::allclose(model->logits(features), before * 2));
}

TEST_F(Weights, WeightsOfAnotherModelAreNamed) {
  const auto model = make_transformer(tiny(Tie::none), {7, 7});
  const auto error_of = [&](const std::map<std::string, Tensor>& weights) -> std::string {
    try {
      load_weights(*model, weights, "some/file");
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  };
  const auto good = named_weights(*model);
  EXPECT_EQ(error_of(good), "");
  auto missing = good;
  missing.erase("output.bias");
  EXPECT_NE(error_of(missing).find("some/file: has no tensor 'output.bias'"), std::string::npos);
  auto surplus = good;
  surplus["more"] = at::ones({1});
  EXPECT_NE(error_of(surplus).find("surplus tensor 'more'"), std::string::npos);
  auto whole = good;
  whole["output.bias"] = at::ones({7}, at::kInt);
  EXPECT_NE(error_of(whole).find("'output.bias' holds whole numbers (I32)"), std::string::npos)
      << error_of(whole);
  auto reshaped = good;
  reshaped["output.bias"] = at::ones({3, 2});
  EXPECT_NE(error_of(reshaped).find("'output.bias' is 3 x 2, the model needs 7"), std::string::npos)
      << error_of(reshaped);
}

}  // namespace
}  // namespace heed::model
