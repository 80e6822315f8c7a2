// Files of weights as networks read them, and files of int8.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <string>

#include "base/error.h"
#include "base/files.h"
#include "engine/network.h"
#include "engine/random_weights.h"
#include "engine/weights.h"
#include "message.h"
#include "temporary_folder.h"

namespace heed::engine {
namespace {

using model::Dtype;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <class Number>
model::SlotBytes tensor(const std::string& name, Dtype type, std::vector<int64_t> shape,
                        const std::vector<Number>& numbers) {
  return {{.name = name, .type = type, .shape = std::move(shape)},
          {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)}};
}

const std::vector<float> kFloats = {1, -2.5, 3, 0.125, -0.F, 7};

TEST(WeightsFile, AreUsedWhereTheyLieOrWidened) {
  const TemporaryFolder folder;
  const std::string path = folder / "w.safetensors";
  const std::vector<double> wide = {0.1, -1e30};
  const std::vector<uint16_t> bf16 = {0x3f80, 0xc040},  // 1, -3
      f16 = {0x3c00, 0xc100, 0x0001, 0x8400, 0x7bff};   // 1, -2.5, 2^-24, -2^-14, 65504
  model::write_safetensors(
      {tensor("a", Dtype::F32, {2, 3}, kFloats), tensor("b", Dtype::BF16, {2}, bf16),
       tensor("c", Dtype::F16, {5}, f16), tensor("d", Dtype::F64, {2}, wide)},
      {{"key", "value"}}, path);
  const WeightsFile file = read_weights(path);
  EXPECT_THAT(file.metadata,
              ElementsAre(std::pair<const std::string, std::string>{"key", "value"}));
  EXPECT_EQ(file.weights.at("a").copy(), kFloats);
  EXPECT_EQ(file.weights.at("a").rows(), 2);
  EXPECT_THAT(file.weights.at("b").copy(), ElementsAre(1, -3));
  EXPECT_THAT(file.weights.at("c").copy(),
              ElementsAre(1, -2.5, std::ldexp(1.F, -24), -std::ldexp(1.F, -14), 65504));
  EXPECT_THAT(file.weights.at("d").copy(), ElementsAre(0.1F, -1e30F));
  EXPECT_EQ(file.weights.at("a", {-1, 3}).rows(), 2);
  EXPECT_THAT(message_of<UserError>([&] {
                file.weights.at("a", {3, 2});
              }),
              HasSubstr("tensor 'a' has not the model's shape"));
  EXPECT_EQ(message_of<UserError>([&] { file.weights.at("e"); }),
            path + ": has no tensor 'e'; these weights belong to another model");
}

TEST(WeightsFile, StayWhenAnotherOneIsCopiedOverIt) {
  const TemporaryFolder folder;
  const std::string path = folder / "w.safetensors";
  model::write_safetensors({tensor("a", Dtype::F32, {2, 3}, kFloats)}, {}, path);
  WeightsFile file = read_weights(path);
  file.weights.release_file();
  std::fstream(path, std::ios::in | std::ios::out) << std::string(read_file(path).size(), 'x');
  EXPECT_EQ(file.weights.at("a").copy(), kFloats);
}

TEST(WeightsFile, WhatIsDamagedOrNoWeightIsRefused) {
  const TemporaryFolder folder;
  const std::string path = folder / "w.safetensors";
  const auto refused = [&] { return message_of<UserError>([&] { read_weights(path); }); };
  EXPECT_EQ(refused(), path + ": no such file");
  const std::vector<float> broken = {1, std::numeric_limits<float>::quiet_NaN()};
  model::write_safetensors({tensor("a", Dtype::F32, {2}, broken)}, {}, path);
  EXPECT_THAT(refused(), HasSubstr("tensor 'a' has values that are no finite numbers"));
  model::write_safetensors({tensor("a", Dtype::I64, {2}, std::vector<int64_t>{1, 2})}, {}, path);
  EXPECT_THAT(refused(), HasSubstr("tensor 'a' holds whole numbers (I64), which are no weights"));
  const std::vector<int8_t> quantised = {1, 2};
  model::write_safetensors({tensor("a", Dtype::I8, {2, 1}, quantised),
                            tensor("a.scale", Dtype::F32, {1}, std::vector<float>{1})},
                           {}, path);
  EXPECT_THAT(refused(), HasSubstr("tensor 'a' holds whole numbers (I8)"));
  model::write_safetensors({tensor("a", Dtype::F32, {2, 3}, kFloats)}, {}, path);
  std::string bytes = read_file(path);
  bytes.back() ^= 1;
  write_atomic(path, bytes);
  EXPECT_THAT(refused(), HasSubstr("its checksum is wrong"));
}

// A scale of 2 / 127 and one of 1 / 127: numbers as they are divided by it and rounded.
TEST(PackedFile, HasRowsOfInt8WithAScaleEach) {
  const TemporaryFolder folder;
  const std::string path = folder / "w.safetensors";
  const auto numbers = std::make_shared<Floats>(Floats{2, -1, 0.5, 0.25, 1, 0});
  const Array array{.data = numbers->data(), .shape = {2, 3}, .owner = numbers};
  write_atomic(path, packed({Weights({{"a", array}, {"source_positions.weight", array}}), {}}));
  const WeightsFile file = read_weights(path);
  const Array& rows = file.weights.at("a");
  ASSERT_EQ(rows.data, nullptr);
  EXPECT_EQ(std::vector<int8_t>(rows.quantised.numbers, rows.quantised.numbers + 6),
            (std::vector<int8_t>{127, -64, 32, 32, 127, 0}));
  EXPECT_FLOAT_EQ(rows.quantised.scales[1], 1.F / 127);
  Floats row(3);
  rows.copy_row(1, row.data());
  EXPECT_THAT(row, ElementsAre(::testing::FloatEq(32.F / 127), ::testing::FloatEq(1), 0));
  EXPECT_FALSE(file.weights.contains("a.scale"));
  EXPECT_EQ(file.weights.at("source_positions.weight").copy(), *numbers);
}

#ifdef __linux__
/// KiB of files that this process has in memory.
int64_t file_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("RssFile:")) return std::stoll(line.substr(8));
  return -1;
}

// 8 MiB, of which the layers of the first and of the second half give all but some pages back.
TEST(WeightsFile, HasItsPagesGivenBackByTheLayersThatWereMadeOfThem) {
  const TemporaryFolder folder;
  const std::string path = folder / "w.safetensors";
  const auto numbers = std::make_shared<Floats>(1 << 21, 0.5F);
  (*numbers)[77] = 2;
  const Array array{.data = numbers->data(), .shape = {2048, 1024}, .owner = numbers};
  write_atomic(path, model::safetensors_bytes(
                         {{{.name = "a", .type = model::Dtype::F32, .shape = array.shape},
                           {reinterpret_cast<const char*>(array.data), 4 << 21}}},
                         {}));
  const WeightsFile file = read_weights(path);
  const Array& mapped = file.weights.at("a");
  const int64_t before = file_kib();
  for (const int64_t first : {0, 1024})
    EXPECT_EQ(make_linear(mapped, nullptr, WeightFormat::int8, first, 1024).matrix.columns(), 1024);
  EXPECT_GT(before - file_kib(), 7 * 1024);
  EXPECT_EQ(mapped.data[77], 2);
  EXPECT_EQ(mapped.copy(), *numbers);
}
#endif

/// Logits of some steps.
Floats translate(const Network& network) {
  static const Threads threads = [](int64_t count, int64_t, const auto& work) { work(0, count); };
  const std::vector<int64_t> tokens = {4, 7, 9, 3, 5, 3, 0, 0}, lengths = {4, 2};
  const auto decoder = network.start({tokens.data(), lengths.data(), 2, 4}, threads);
  Floats all;
  for (const int64_t token : {2, 8, 5}) {
    const std::vector<int64_t> last = {token, token + 1};
    const float* logits = decoder->step(last.data(), 1, nullptr).logits();
    all.insert(all.end(), logits, logits + 2 * decoder->columns());
  }
  return all;
}

/// The weights with the word vectors of `packed`, which are rounded.
Weights with_words_of(const Weights& packed, const Weights& weights) {
  std::map<std::string, Array> arrays = weights.all();
  for (auto& [name, array] : arrays) {
    if (name.find("embedding") == std::string::npos) continue;
    const auto numbers = std::make_shared<Floats>(packed.at(name).copy());
    array.data = numbers->data();
    array.owner = numbers;
  }
  return Weights(std::move(arrays));
}

TEST(PackedFile, GivesTheBitsOfTheInt8Network) {
  const TemporaryFolder folder;
  const std::string path = folder / "w.safetensors";
  model::ModelConfig learned = testing::small_transformer();
  learned.positions = "learned";
  const std::pair<model::ModelConfig, Weights> networks[] = {
      {learned, testing::random_transformer(learned, 41)},
      {testing::small_recurrent(), testing::random_recurrent(testing::small_recurrent(), 41)}};
  for (const auto& [config, weights] : networks) {
    write_atomic(path, packed({weights, {}}));
    const WeightsFile file = read_weights(path);
    const Weights rounded = with_words_of(file.weights, weights);
    const auto got = make_network(config, file.weights, WeightFormat::int8);
    const auto wanted = make_network(config, rounded, WeightFormat::int8);
    EXPECT_EQ(translate(*got), translate(*wanted));
    // Other numbers are made of the rounded ones: near, and not the same.
    const auto fp32 = make_network(config, file.weights, WeightFormat::fp32);
    EXPECT_NE(translate(*fp32), translate(*got));
  }
}

TEST(PackedFile, IsAQuarterAsLargeWhereMatricesAre) {
  const Array matrix = testing::random_array({300, 256}, 5);
  EXPECT_LT(packed({Weights({{"a", matrix}}), {}}).size(), 300 * 256 + 300 * 4 + 512);
}

}  // namespace
}  // namespace heed::engine
