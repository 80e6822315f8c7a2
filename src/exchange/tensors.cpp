#include "exchange/tensors.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "exchange/cursor.h"
#include "exchange/zip_archive.h"
#include "model/description/safetensors_file.h"

namespace heed::exchange {
namespace {

using model::Dtype;

constexpr std::size_t kLongestName = 500;  // in messages, with the file's path

/// Copies `count` numbers of `size` bytes each so that they lie row by row. The caller has checked
/// that all of them are there.
Bytes gathered(const char* from, int64_t count, int64_t size, const std::vector<int64_t>& shape,
               const std::vector<int64_t>& strides) {
  auto bytes = std::make_shared_for_overwrite<char[]>(count * size);
  std::vector<int64_t> index(shape.size());
  uint64_t at = 0;  // may wrap where a dimension of one number has a stride of any size
  for (int64_t i = 0; i < count; ++i) {
    std::copy_n(from + at * size, size, bytes.get() + i * size);
    for (std::size_t d = shape.size(); d-- > 0;) {
      at += strides[d];
      if (++index[d] < shape[d]) break;
      at -= strides[d] * std::exchange(index[d], 0);
    }
  }
  return {{bytes.get(), static_cast<std::size_t>(count * size)}, bytes};
}

// NumPy's arrays: a magic number, the format's version, the length of a header, the header, which
// is a dictionary as Python writes it, and the numbers (numpy.lib.format). An .npz is a zip archive
// of such files.

/// The types by their names, which follow the byte order.
constexpr std::array kTypes{
    std::pair{"f8", Dtype::F64}, std::pair{"f4", Dtype::F32}, std::pair{"f2", Dtype::F16},
    std::pair{"i8", Dtype::I64}, std::pair{"i4", Dtype::I32}, std::pair{"i2", Dtype::I16},
    std::pair{"i1", Dtype::I8},  std::pair{"u1", Dtype::U8},  std::pair{"b1", Dtype::BOOL}};

constexpr std::size_t kLongestHeader = 1 << 16;

struct NumpyHeader {
  std::string type;
  bool in_columns = false;  // Fortran's order
  std::vector<int64_t> shape;
};

/// Parses a header such as {'descr': '<f4', 'fortran_order': False, 'shape': (3, 5), }, which is
/// YAML but for ( and ).
NumpyHeader parse_numpy(std::string text, const std::string& name) {
  std::ranges::replace(text, '(', '[');
  std::ranges::replace(text, ')', ']');
  try {
    const YAML::Node node = YAML::Load(text);
    NumpyHeader header{.shape = node["shape"].as<std::vector<int64_t>>()};
    if (const YAML::Node type = node["descr"]) header.type = type.as<std::string>();
    if (const YAML::Node order = node["fortran_order"]) header.in_columns = order.as<bool>();
    if (std::ranges::all_of(header.shape, [](int64_t extent) { return extent >= 0; }))
      return header;
  } catch (const YAML::Exception&) {  // as if it had no shape
  }
  throw UserError("{}: damaged: its header is none of NumPy's", name);
}

Tensor read_array(const Bytes& file, const std::string& name) {
  Cursor at(file.view, name);
  if (!at.take("\x93NUMPY")) throw UserError("{}: no array of NumPy's", name);
  const bool first_version = at.number<uint16_t>() == 1;
  const uint64_t length = first_version ? at.number<uint16_t>() : at.number<uint32_t>();
  NumpyHeader header = parse_numpy(std::string(at.bytes(length).substr(0, kLongestHeader)), name);
  // "|" says that numbers of one byte have no byte order.
  const bool known_order = header.type.starts_with('<') || header.type.starts_with('|');
  const auto* type = std::ranges::find(kTypes, header.type.substr(known_order ? 1 : 0),
                                       &std::pair<const char*, Dtype>::first);
  if (type == kTypes.end())
    throw UserError("{}: an array of type '{}', which heed does not read", name,
                    one_line(header.type));
  std::vector<int64_t> strides = strides_of(header.shape);
  if (header.in_columns) {
    std::vector<int64_t> reversed(header.shape.rbegin(), header.shape.rend());
    strides = strides_of(reversed);
    std::ranges::reverse(strides);
  }
  return tensor_of(type->second, std::move(header.shape), strides, 0, {at.rest(), file.owner},
                   name);
}

}  // namespace

engine::Array array_of(const Tensor& tensor, const std::string& name) {
  if (!model::is_float(tensor.type))
    throw UserError("{}: a tensor of whole numbers ({}), which are no weights",
                    one_line(name, kLongestName), model::name_of(tensor.type));
  if (!model::are_finite(tensor.bytes.view, tensor.type))
    throw UserError("{}: a tensor with values that are no finite numbers (NaN or infinity)",
                    one_line(name, kLongestName));
  return engine::array_at(tensor.bytes.view.data(), tensor.type, tensor.shape, tensor.bytes.owner);
}

std::vector<int64_t> strides_of(const std::vector<int64_t>& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;)
    // If this overflows, the file does not have that many numbers, and the result does not matter.
    __builtin_mul_overflow(strides[d], shape[d], &strides[d - 1]);
  return strides;
}

Tensor tensor_of(model::Dtype type, std::vector<int64_t> shape, const std::vector<int64_t>& strides,
                 int64_t offset, const Bytes& numbers, const std::string& name) {
  const int64_t size = model::bytes_of(type), there = std::ssize(numbers.view) / size;
  int64_t count = 1, last = offset, reach = 0;
  bool sound = shape.size() <= kMostDimensions && shape.size() == strides.size() && offset >= 0;
  for (std::size_t d = 0; sound && d < shape.size(); ++d)
    sound = shape[d] >= 0 && strides[d] >= 0 && !__builtin_mul_overflow(count, shape[d], &count) &&
            !__builtin_mul_overflow(std::max<int64_t>(shape[d] - 1, 0), strides[d], &reach) &&
            !__builtin_add_overflow(last, reach, &last);
  // A model has no views that repeat numbers.
  if (!sound || count > there || (count > 0 && last >= there))
    throw UserError("{}: damaged: a tensor is larger than what holds its numbers", name);
  if (count == 0) return {type, std::move(shape), {numbers.view.substr(0, 0), numbers.owner}};
  const std::string_view bytes = numbers.view.substr(offset * size);
  const Bytes by_rows = strides == strides_of(shape)
                            ? Bytes{bytes.substr(0, count * size), numbers.owner}
                            : gathered(bytes.data(), count, size, shape, strides);
  return {type, std::move(shape), by_rows};
}

Tensors read_safetensors(const Bytes& file, const std::string& name) {
  const std::string_view header = model::header_of(file.view, name);
  const std::string_view data = file.view.substr(model::kLengthBytes + header.size());
  Tensors tensors;
  for (model::Slot& slot : model::parse_header(header, std::ssize(data), name).slots)
    tensors[slot.name] = {
        slot.type, slot.shape, {data.substr(slot.begin, slot.end - slot.begin), file.owner}};
  return tensors;
}

Tensors read_npz(const Bytes& file, const std::string& name) {
  constexpr std::string_view kSuffix = ".npy";
  const ZipArchive archive(file, name);
  Tensors tensors;
  for (const auto& [array, entry] : archive.files()) {
    const std::size_t suffix = array.ends_with(kSuffix) ? kSuffix.size() : 0;
    tensors[array.substr(0, array.size() - suffix)] =
        read_array(archive.read(array), name + ": " + one_line(array));
  }
  return tensors;
}

}  // namespace heed::exchange
