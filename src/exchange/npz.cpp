// NumPy's arrays: a magic number, the format's version, the length of a header, the header, which
// is a dictionary as Python writes it, and the numbers (numpy.lib.format). An .npz is a zip archive
// of such files.
#include <algorithm>
#include <array>
#include <utility>

#include "base/strings.h"
#include "exchange/cursor.h"
#include "exchange/tensors.h"
#include "exchange/zip_archive.h"

namespace heed::exchange {
namespace {

using model::Dtype;

/// By the type's name behind its byte order.
constexpr std::array kTypes{
    std::pair{"f8", Dtype::F64}, std::pair{"f4", Dtype::F32}, std::pair{"f2", Dtype::F16},
    std::pair{"i8", Dtype::I64}, std::pair{"i4", Dtype::I32}, std::pair{"i2", Dtype::I16},
    std::pair{"i1", Dtype::I8},  std::pair{"u1", Dtype::U8},  std::pair{"b1", Dtype::BOOL}};

struct NumpyHeader {
  std::string_view type;
  bool in_columns = false;  // Fortran's order
  std::vector<int64_t> shape;
};

/// {'descr': '<f4', 'fortran_order': False, 'shape': (3, 5), }
NumpyHeader parse_numpy(Cursor text, const std::string& name) {
  const auto take = [&](std::string_view word) {
    while (text.take(" ")) continue;
    return text.take(word);
  };
  const auto require = [&](bool holds) {
    if (!holds) throw UserError("{}: damaged: its header is none of NumPy's", name);
  };
  NumpyHeader header;
  require(take("{"));
  while (!take("}")) {
    if (take("'descr':")) {
      require(take("'"));
      header.type = text.until('\'');
    } else if (take("'fortran_order':")) {
      header.in_columns = take("True");
      require(header.in_columns || take("False"));
    } else {
      require(take("'shape':") && take("("));
      while (!take(")")) {
        const std::size_t digits = text.rest().find_first_not_of("0123456789");
        const auto extent = exact_number<int64_t>(text.bytes(std::min(digits, text.rest().size())));
        require(extent.has_value());
        header.shape.push_back(*extent);
        take(",");
      }
    }
    take(",");
  }
  return header;
}

Tensor read_array(const Bytes& file, const std::string& name) {
  Cursor at(file.view, name);
  if (!at.take("\x93NUMPY")) throw UserError("{}: no array of NumPy's", name);
  const bool first_version = at.number<uint16_t>() == 1;
  const uint64_t length = first_version ? at.number<uint16_t>() : at.number<uint32_t>();
  NumpyHeader header = parse_numpy({at.bytes(length), name}, name);
  // Bytes have no order, which "|" says.
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
