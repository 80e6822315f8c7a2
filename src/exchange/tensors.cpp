#include "exchange/tensors.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "model/description/safetensors_file.h"

namespace heed::exchange {
namespace {

constexpr std::size_t kLongestName = 500;  // in messages, with the file's path

/// Row by row, `count` of them of `size` bytes each; all of them are there.
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
    // Where this overflows there are not so many numbers, whatever it becomes.
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
  // A view that repeats numbers is none of a model.
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

}  // namespace heed::exchange
