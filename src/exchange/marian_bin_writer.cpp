#include "exchange/marian_bin_writer.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/atomic_file.h"
#include "exchange/arrays.h"
#include "exchange/marian_bin_types.h"

namespace heed::exchange {
namespace {

using engine::Array;

constexpr float kMostInt8 = 127;
constexpr std::size_t kFilled = 256;

struct BinItem {
  std::string name;
  uint64_t type;
  std::vector<int64_t> shape;
  std::string data;  // filled up
};

template <class Number>
void put(std::string& to, Number number) {
  to.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void fill(std::string& bytes) {
  bytes.resize((bytes.size() + kFilled - 1) / kFilled * kFilled, '\0');
}

std::string bytes_of_array(const Array& array) {
  return {reinterpret_cast<const char*>(array.data), array.count() * sizeof(float)};
}

/// Whether each number of the matrix is a whole number / multiplier, rounded once.
bool are_quotients(const Array& matrix, float multiplier) {
  const float* const end = matrix.data + matrix.count();
  return std::all_of(matrix.data, end, [&](float number) {
    const float whole = std::rint(number * multiplier);
    return std::abs(whole) <= kMostInt8 && whole / multiplier == number;
  });
}

float multiplier_of(const Array& matrix) {
  float largest = 0;
  for (int64_t i = 0; i < matrix.count(); ++i)
    largest = std::max(largest, std::abs(matrix.data[i]));
  if (largest == 0) return 1;
  // The largest number need not be 127, and the division was rounded.
  constexpr int kLeastLargest = 32;
  for (int whole = static_cast<int>(kMostInt8); whole >= kLeastLargest; --whole) {
    float multiplier = static_cast<float>(whole) / largest;
    for (int step = 0; step < 2; ++step) multiplier = std::nextafter(multiplier, 0.0F);
    for (int step = 0; step < 5; ++step, multiplier = std::nextafter(multiplier, INFINITY))
      if (are_quotients(matrix, multiplier)) return multiplier;
  }
  return kMostInt8 / largest;
}

}  // namespace

WholeNumbers whole_numbers(const Array& matrix) {
  WholeNumbers out{.bytes = {}, .multiplier = multiplier_of(matrix)};
  out.bytes.reserve(matrix.count());
  for (int64_t i = 0; i < matrix.count(); ++i)
    out.bytes += static_cast<char>(static_cast<int8_t>(
        std::clamp(std::rint(matrix.data[i] * out.multiplier), -kMostInt8, kMostInt8)));
  return out;
}

void write_marian_bin(const std::map<std::string, Array>& tensors,
                      const std::map<std::string, float>& largest, const std::string& options,
                      const std::string& path) {
  std::vector<BinItem> items;
  const auto add = [&](const std::string& name, uint64_t type, std::vector<int64_t> shape,
                       std::string data) {
    fill(data);
    items.push_back({name, type, std::move(shape), std::move(data)});
  };
  for (const auto& [name, array] : tensors) {
    if (array.rows() == 1) {
      add(name, kTypeOfFloats, array.shape, bytes_of_array(array));
      continue;
    }
    // Word vectors are looked up by rows; the others are stored transposed.
    const bool is_looked_up = name.find("Wemb") != std::string::npos;
    WholeNumbers numbers = whole_numbers(is_looked_up ? array : transposed(array));
    put(numbers.bytes, numbers.multiplier);
    add(name, kTypeOfBergamotsIntgemm8, array.shape, std::move(numbers.bytes));
  }
  for (const auto& [name, number] : largest) {
    std::string data;
    put(data, kMostInt8 / number);
    add(name + "_QuantMultA", kTypeOfFloats, {1, 1}, std::move(data));
  }
  add("special:model.yml", kTypeOfBytes, {std::ssize(options)}, options);
  std::string head;
  put(head, kBinVersion);
  put(head, static_cast<uint64_t>(items.size()));
  for (const BinItem& item : items) {
    put(head, static_cast<uint64_t>(item.name.size() + 1));
    put(head, item.type);
    put(head, static_cast<uint64_t>(item.shape.size()));
    put(head, static_cast<uint64_t>(item.data.size()));
  }
  for (const BinItem& item : items) head.append(item.name.c_str(), item.name.size() + 1);
  for (const BinItem& item : items)
    for (const int64_t extent : item.shape) put(head, static_cast<int32_t>(extent));
  const std::size_t whole = (head.size() + sizeof(uint64_t) + kFilled - 1) / kFilled * kFilled;
  put(head, static_cast<uint64_t>(whole - head.size() - sizeof(uint64_t)));
  fill(head);
  AtomicFile file(path);
  file.write(head);
  for (const BinItem& item : items) file.write(item.data);
  file.commit();
}

}  // namespace heed::exchange
