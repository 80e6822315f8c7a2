#include "study/exponent.h"

#include <cmath>

#include "base/error.h"

namespace heed::study {

double fitted_exponent(const std::vector<double>& x, const std::vector<double>& y) {
  expect(x.size() == y.size() && x.size() >= 2, "an exponent needs two points");
  const auto count = static_cast<double>(x.size());
  double mean_x = 0, mean_y = 0, product = 0, square = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean_x += std::log(x[i]) / count;
    mean_y += std::log(y[i]) / count;
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    product += (std::log(x[i]) - mean_x) * (std::log(y[i]) - mean_y);
    square += (std::log(x[i]) - mean_x) * (std::log(x[i]) - mean_x);
  }
  expect(square > 0, "an exponent needs two different x");
  return product / square;
}

}  // namespace heed::study
