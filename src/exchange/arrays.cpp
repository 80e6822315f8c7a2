#include "exchange/arrays.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "base/error.h"

namespace heed::exchange {

using engine::Array, engine::Floats;

Array array_from(Floats numbers, std::vector<int64_t> shape) {
  const auto owner = std::make_shared<const Floats>(std::move(numbers));
  return {.data = owner->data(), .shape = std::move(shape), .owner = owner};
}

Array with_rows(const Array& from, std::span<const int64_t> order) {
  const int64_t columns = from.shape.size() == 1 ? 1 : from.columns();
  Floats numbers(order.size() * columns);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] < 0) continue;
    expect(order[i] < from.rows(), "a row of the array");
    std::copy_n(from.data + order[i] * columns, columns, numbers.data() + i * columns);
  }
  std::vector<int64_t> shape = from.shape;
  shape[0] = std::ssize(order);
  return array_from(std::move(numbers), std::move(shape));
}

Array with_columns(const Array& from, std::span<const int64_t> order) {
  expect(from.shape.size() == 2, "a matrix");
  Floats numbers(from.rows() * order.size());
  auto to = numbers.begin();
  for (int64_t row = 0; row < from.rows(); ++row)
    for (const int64_t column : order) *to++ = from.data[row * from.columns() + column];
  return array_from(std::move(numbers), {from.rows(), std::ssize(order)});
}

Array transposed(const Array& from) {
  expect(from.shape.size() == 2, "a matrix");
  Floats numbers(from.count());
  for (int64_t row = 0; row < from.rows(); ++row)
    for (int64_t column = 0; column < from.columns(); ++column)
      numbers[column * from.rows() + row] = from.data[row * from.columns() + column];
  return array_from(std::move(numbers), {from.columns(), from.rows()});
}

Array joined(const std::vector<Array>& parts) {
  Floats numbers;
  std::vector<int64_t> shape = parts.at(0).shape;
  shape[0] = 0;
  for (const Array& part : parts) {
    numbers.insert(numbers.end(), part.data, part.data + part.count());
    shape[0] += part.rows();
  }
  return array_from(std::move(numbers), std::move(shape));
}

Array rows_of(const Array& from, int64_t first, int64_t count) {
  expect(first >= 0 && first + count <= from.rows(), "rows of the array");
  Array rows = from;
  rows.shape[0] = count;
  rows.data += from.shape.size() == 1 ? first : first * from.columns();
  return rows;
}

std::vector<int64_t> pairs_from_halves(int64_t width) {
  std::vector<int64_t> order(width);
  for (int64_t i = 0; i < width; ++i) order[i] = i / 2 + i % 2 * ((width + 1) / 2);
  return order;
}

std::vector<int64_t> halves_from_pairs(int64_t width) {
  const int64_t sines = (width + 1) / 2;
  std::vector<int64_t> order(width);
  for (int64_t i = 0; i < width; ++i) order[i] = 2 * (i % sines) + i / sines;
  return order;
}

}  // namespace heed::exchange
