#include "exchange/marian_bin.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "exchange/cursor.h"
#include "exchange/marian_bin_types.h"
#include "model/description/safetensors_header.h"

namespace heed::exchange {
namespace {

using model::Dtype;

// pymarian 1.12.42 writes rows of a transposed matrix as if there were a multiple of so many, into
// the place of fewer, and does not open such a file itself.
constexpr int64_t kRowsAtOnce = 8;

struct Item {
  uint64_t name_length, type, dimensions, bytes;
};

[[noreturn]] void refuse_bin(const std::string& name, const char* what) {
  throw UserError("{}: {}; copy or make it again", name, what);
}

/// The numbers of 8 bits of an item, with the multiplier after them, as fp32.
Tensor dequantised(const std::string& item, const std::vector<int64_t>& shape, const Bytes& data,
                   const std::string& place) {
  if (shape.size() != 2) refuse_bin(place, "damaged: numbers of 8 bits that are no matrix");
  const int64_t rows = shape[0], columns = shape[1];
  // Word vectors are looked up by rows.
  const bool is_transposed = item.find("Wemb") == std::string::npos;
  if (is_transposed && rows % kRowsAtOnce != 0)
    throw UserError(
        "{}: a matrix of {} rows in 8 bits, which Marian writes wrong unless they are a multiple "
        "of {}: take the .npz that it was made of",
        place, rows, kRowsAtOnce);
  const Tensor numbers =
      tensor_of(Dtype::I8, shape, is_transposed ? std::vector<int64_t>{1, rows} : strides_of(shape),
                0, data, place);
  const std::size_t count = numbers.bytes.view.size();
  float multiplier = 0;
  if (data.view.size() < count + sizeof multiplier)
    refuse_bin(place, "damaged: numbers of 8 bits without a multiplier");
  std::memcpy(&multiplier, data.view.data() + count, sizeof multiplier);
  if (!std::isfinite(multiplier) || multiplier <= 0)
    refuse_bin(place, "damaged: its multiplier is no positive number");
  const auto weights = std::make_shared_for_overwrite<float[]>(count);
  std::ranges::transform(numbers.bytes.view, weights.get(), [&](char number) {
    return static_cast<float>(static_cast<int8_t>(number)) / multiplier;
  });
  return {Dtype::F32,
          {rows, columns},
          {{reinterpret_cast<const char*>(weights.get()), count * sizeof(float)}, weights}};
}

Tensor tensor_of_item(const std::string& item, const Item& head, const std::vector<int64_t>& shape,
                      const Bytes& data, const std::string& place) {
  switch (head.type) {
    case kTypeOfBytes:
      return tensor_of(Dtype::I8, shape, strides_of(shape), 0, data, place);
    case kTypeOfFloats:
      return tensor_of(Dtype::F32, shape, strides_of(shape), 0, data, place);
    case kTypeOfIntgemm8:
    case kTypeOfBergamotsIntgemm8:
      return dequantised(item, shape, data, place);
    default:
      throw UserError(
          "{}: numbers of type {:#x}: of 16 bits, or arranged for one kind of processor; heed "
          "reads "
          "float32 and intgemm8: take the .npz that it was made of, or make the file anew of it",
          place, head.type);
  }
}

}  // namespace

bool is_marian_bin(std::string_view bytes) {
  // Other programs begin with a number of 32 bits, after which something comes.
  uint64_t version = 0;
  if (bytes.size() < 2 * sizeof version) return false;
  std::memcpy(&version, bytes.data(), sizeof version);
  return version == kBinVersion;
}

Tensors read_marian_bin(const Bytes& file, const std::string& name) {
  if (!is_marian_bin(file.view)) throw UserError("{}: is no binary file of a model", name);
  const std::string cut = name + ": its beginning";
  Cursor at(file.view, cut);
  at.number<uint64_t>();  // the version
  const auto count = at.number<uint64_t>();
  if (count > file.view.size() / sizeof(Item)) refuse_bin(name, "cut off, or damaged");
  std::vector<Item> heads(count);
  for (Item& head : heads) head = at.number<Item>();
  std::vector<std::string> names;
  for (const Item& head : heads) {
    const std::string_view text = at.bytes(head.name_length);
    names.emplace_back(text.substr(0, text.find('\0')));
  }
  std::vector<std::vector<int64_t>> shapes;
  for (const Item& head : heads) {
    if (head.dimensions > kMostDimensions) refuse_bin(name, "damaged: an item of many dimensions");
    std::vector<int64_t>& shape = shapes.emplace_back();
    for (uint64_t d = 0; d < head.dimensions; ++d) shape.push_back(at.number<int32_t>());
  }
  at.bytes(at.number<uint64_t>());
  Tensors tensors;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const std::string place = name + ": " + one_line(names[i]);
    if (heads[i].bytes > at.rest().size())
      throw UserError("{}: cut off in {}, item {} of {}; copy or make it again", name,
                      one_line(names[i]), i + 1, count);
    const Bytes data{at.bytes(heads[i].bytes), file.owner};
    tensors[names[i]] = tensor_of_item(names[i], heads[i], shapes[i], data, place);
  }
  return tensors;
}

}  // namespace heed::exchange
