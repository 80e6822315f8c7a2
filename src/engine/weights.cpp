#include "engine/weights.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <string_view>

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

#include "base/error.h"
#include "base/strings.h"
#include "kernels/rows/numbers.h"
#include "model/description/safetensors_header.h"

namespace heed::engine {
namespace {

constexpr int64_t kWorthAThread = 1 << 19;  // multiplications that pay for waking one

using model::Dtype;
using model::Slot;

constexpr const char* kScale = ".scale";

/// A finite number of F16, whose exponent is 15 for 2^0, where that of fp32 is 127.
float widened_half(uint16_t bits) {
  const float size = std::bit_cast<float>((bits & 0x7fffu) << 13) * 0x1p112f;
  return bits >> 15 != 0 ? -size : size;
}

template <class Number, class Widen>
Floats widened(const char* bytes, int64_t count, const Widen& widen) {
  Floats numbers(count);
  numbers.reserve(1);  // not null even if there are none: null stands for int8
  for (float& number : numbers) {
    Number narrow;
    std::memcpy(&narrow, bytes, sizeof narrow);
    bytes += sizeof narrow;
    number = widen(narrow);
  }
  return numbers;
}

/// Whether a network multiplies with the array or looks words up in it. It does not with positions,
/// nor with the weights that coverage reads number by number.
bool is_packed(const std::string& name, const Array& array) {
  return array.shape.size() == 2 && name.find("_positions.") == std::string::npos &&
         !name.ends_with(".added") && !name.ends_with(".recurrent") &&
         !name.ends_with(".from_weight");
}

template <class Number>
std::string_view bytes_of(const Number* numbers, int64_t count) {
  return {reinterpret_cast<const char*>(numbers), static_cast<std::size_t>(count) * sizeof(Number)};
}

/// Gives back the memory of the whole pages of a mapped file that lie in `numbers`.
template <class Number>
void give_back_pages(const Number* numbers, int64_t count) {
#ifdef __linux__
  static const auto kPage = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(numbers),
             end = reinterpret_cast<std::uintptr_t>(numbers + count) / kPage * kPage,
             first = (begin + kPage - 1) / kPage * kPage;
  if (first < end) ::madvise(reinterpret_cast<void*>(first), end - first, MADV_DONTNEED);
#else
  static_cast<void>(numbers);
  static_cast<void>(count);
#endif
}

/// weights_in(). With `mapped` the bytes are pages of a file.
std::map<std::string, Array> arrays_in(const model::SafetensorsFile& file, const std::string& path,
                                       bool mapped) {
  std::map<std::string, Array> arrays;
  for (const Slot& slot : file.slots)
    if (is_float(slot.type)) {
      const char* const numbers = file.data + slot.begin;
      Array& array = arrays[slot.name];
      array = array_at(numbers, slot.type, slot.shape, file.owner);
      array.mapped = mapped && reinterpret_cast<const char*>(array.data) == numbers;
    }
  for (const Slot& slot : file.slots) {
    if (is_float(slot.type)) continue;
    const auto scales = arrays.find(slot.name + kScale);
    const bool fits = slot.type == Dtype::I8 && slot.shape.size() == 2 && scales != arrays.end() &&
                      scales->second.count() == slot.shape[0];
    if (!fits)
      throw UserError(path + ": tensor '" + one_line(slot.name) + "' holds whole numbers (" +
                      name_of(slot.type) + "), which are no weights");
    const Array own = scales->second;
    arrays.erase(scales);
    const auto owner =
        std::make_shared<const std::pair<Array, std::shared_ptr<const void>>>(own, file.owner);
    arrays[slot.name] = {
        .shape = slot.shape,
        .owner = owner,
        .quantised = {reinterpret_cast<const int8_t*>(file.data + slot.begin), own.data},
        .mapped = mapped};
  }
  return arrays;
}

}  // namespace

Array array_at(const char* numbers, Dtype type, std::vector<int64_t> shape,
               std::shared_ptr<const void> owner) {
  Array array{.shape = std::move(shape), .owner = std::move(owner)};
  if (type == Dtype::F32 && reinterpret_cast<std::uintptr_t>(numbers) % sizeof(float) == 0) {
    array.data = reinterpret_cast<const float*>(numbers);
    return array;
  }
  const auto as_they_are = [](auto number) { return static_cast<float>(number); };
  const auto own = std::make_shared<const Floats>(
      type == Dtype::F32   ? widened<float>(numbers, array.count(), as_they_are)
      : type == Dtype::F64 ? widened<double>(numbers, array.count(), as_they_are)
      : type == Dtype::F16 ? widened<uint16_t>(numbers, array.count(), widened_half)
                           : widened<uint16_t>(numbers, array.count(), kernels::widened));
  array.data = own->data();
  array.owner = own;
  return array;
}

int64_t Array::count() const {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

Floats Array::copy() const {
  if (data != nullptr) return {data, data + count()};
  Floats all(count());
  for (int64_t row = 0; row < rows(); ++row) copy_row(row, all.data() + row * columns());
  return all;
}

void Array::copy_row(int64_t row, float* to) const {
  const int64_t width = columns();
  if (data != nullptr) {
    std::copy_n(data + row * width, width, to);
    return;
  }
  const float scale = quantised.scales[row];
  const int8_t* numbers = quantised.numbers + row * width;
  for (int64_t i = 0; i < width; ++i) to[i] = scale * static_cast<float>(numbers[i]);
}

void Weights::release_file() {
  for (auto& [name, array] : arrays_) {
    if (array.data == nullptr) continue;
    const auto own = std::make_shared<const Floats>(array.copy());
    array.data = own->data();
    array.owner = own;
    array.mapped = false;
  }
}

const Array& Weights::at(const std::string& name) const {
  const auto found = arrays_.find(name);
  if (found == arrays_.end())
    throw UserError(origin_ + ": has no tensor '" + name +
                    "'; these weights belong to another model");
  return found->second;
}

const Array& Weights::at(const std::string& name, const std::vector<int64_t>& shape) const {
  const Array& array = at(name);
  const auto fits = [](int64_t own, int64_t size) { return size < 0 || own == size; };
  if (!std::ranges::equal(array.shape, shape, fits))
    throw UserError(origin_ + ": tensor '" + name +
                    "' has not the model's shape; these weights belong to another model");
  return array;
}

Linear make_linear(const Array& weight, const Array* bias, WeightFormat numbers, int64_t first,
                   int64_t count) {
  if (count < 0) count = weight.rows() - first;
  const int64_t inner = weight.columns();
  Linear linear;
  if (weight.data != nullptr) {
    linear.matrix = {weight.data + first * inner, count, inner, numbers};
  } else if (numbers == WeightFormat::int8) {
    linear.matrix = {weight.quantised.from(first, inner), count, inner};
  } else {
    linear.matrix = {weight.copy().data() + first * inner, count, inner, numbers};
  }
  if (weight.mapped && weight.data != nullptr)
    give_back_pages(weight.data + first * inner, count * inner);
  else if (weight.mapped)
    give_back_pages(weight.quantised.from(first, inner).numbers, count * inner);
  if (bias) linear.bias.assign(bias->data + first, bias->data + first + count);
  return linear;
}

void Products::take(const Linear& linear, const float* x, int64_t rows) {
  taken_.take(x, rows, linear.matrix.inner(), linear.matrix.numbers());
}

int64_t Products::grain(const Linear& linear) const {
  return 1 + kWorthAThread / (taken_.count() * linear.matrix.inner() * Matrix::kPanel);
}

void Products::product(const Linear& linear, float* to, Finish finish) {
  threads_(linear.matrix.panels(), grain(linear), [&](int64_t first, int64_t last) {
    panels(linear, first, last, to + first * Matrix::kPanel, linear.matrix.columns(), finish);
  });
}

void Products::panels(const Linear& linear, int64_t first, int64_t last, float* to, int64_t stride,
                      Finish finish) const {
  finish.bias = linear.bias.empty() ? nullptr : linear.bias.data();
  multiply(taken_, linear.matrix, finish, to, stride, first, last);
}

Weights weights_in(const model::SafetensorsFile& file, const std::string& path) {
  return Weights(arrays_in(file, path, /*mapped=*/false), path);
}

WeightsFile read_weights(const std::string& path) {
  model::SafetensorsFile file = model::open_safetensors(path);
  return {Weights(arrays_in(file, path, /*mapped=*/true), path), std::move(file.metadata)};
}

std::string packed(const WeightsFile& file) {
  std::vector<std::vector<int8_t>> numbers;
  std::vector<Floats> floats;
  std::vector<model::SlotBytes> tensors;
  const auto add = [&](const std::string& name, Floats values, std::vector<int64_t> shape) {
    const Floats& kept = floats.emplace_back(std::move(values));
    tensors.push_back({{.name = name, .type = Dtype::F32, .shape = std::move(shape)},
                       bytes_of(kept.data(), std::ssize(kept))});
  };
  for (const auto& [name, array] : file.weights.all()) {
    if (!is_packed(name, array)) {
      add(name, array.copy(), array.shape);
      continue;
    }
    const int64_t rows = array.rows(), columns = array.columns();
    std::vector<int8_t>& rounded = numbers.emplace_back(array.count());
    Floats row(columns), scales(rows);
    for (int64_t r = 0; r < rows; ++r) {
      array.copy_row(r, row.data());
      scales[r] = quantise_row(row.data(), columns, rounded.data() + r * columns);
    }
    tensors.push_back({{.name = name, .type = Dtype::I8, .shape = array.shape},
                       bytes_of(rounded.data(), std::ssize(rounded))});
    add(name + kScale, std::move(scales), {rows});
  }
  return model::safetensors_bytes(std::move(tensors), file.metadata);
}

}  // namespace heed::engine
