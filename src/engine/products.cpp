#include "engine/products.h"

namespace heed::engine {
namespace {

constexpr int64_t kWorthAThread = 1 << 19;  // multiplications that pay for waking one

}  // namespace

void Products::take(const Linear& linear, const float* x, int64_t rows) {
  taken_.take(x, rows, linear.matrix.inner(), linear.matrix.numbers());
}

void Products::product(const Linear& linear, float* to, Finish finish) {
  finish.bias = linear.bias.empty() ? nullptr : linear.bias.data();
  const int64_t each = taken_.count() * linear.matrix.inner() * Matrix::kPanel;
  threads_(linear.matrix.panels(), 1 + kWorthAThread / each, [&](int64_t first, int64_t last) {
    multiply(taken_, linear.matrix, finish, to, first, last);
  });
}

}  // namespace heed::engine
