#include "study/number_reading.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

namespace heed::study {

std::string without_leading_zeros(const std::string& digits) {
  return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
}

NumberReading reading_of(const std::string& digits, std::size_t decimals, bool may_be_whole) {
  std::string most = without_leading_zeros(digits);
  const std::size_t end = most.find_last_not_of('0') + 1;
  const int zeros = static_cast<int>(most.size() - end);
  most.resize(end);
  const int with_decimals = zeros - static_cast<int>(decimals);
  return {.digits = most, .exponents = {may_be_whole ? zeros : with_decimals, with_decimals}};
}

NumberReading whole_number(int64_t value) {
  return reading_of(std::to_string(value), 0, true);
}

NumberReading fraction_of(int64_t whole, int64_t numerator, int64_t denominator) {
  const int64_t all = whole * denominator + numerator;
  const int64_t common = std::gcd(all, denominator);
  const int64_t divisor = denominator / common;
  constexpr std::size_t kMostDecimals = 4;  // of sixteenths
  NumberReading out;
  int64_t power = 1;
  std::size_t decimals = 0;
  for (; decimals < kMostDecimals && power % divisor != 0; ++decimals) power *= 10;
  if (power % divisor == 0) {
    out = reading_of(std::to_string(all / common * (power / divisor)), decimals, decimals == 0);
  } else {
    out = whole_number(all / common);
    out.divisor = static_cast<int>(divisor);
  }
  out.denominator = static_cast<int>(denominator);
  return out;
}

bool are_equal(const NumberReading& a, const NumberReading& b) {
  if (a.divisor != b.divisor) return false;
  for (const int ours : a.exponents)
    for (const int theirs : b.exponents)
      if (ours == theirs || ours + a.power_of_unit == theirs + b.power_of_unit) return true;
  return false;
}

bool may_be_equal(const NumberReading& a, const NumberReading& b) {
  if (are_equal(a, b)) return true;
  if (a.is_part || b.is_part || a.divisor != b.divisor) return false;
  if (a.any_exponent || b.any_exponent) return true;
  for (const int ours : a.exponents)
    for (const int theirs : b.exponents)
      if (std::abs(ours + a.power_of_unit - theirs - b.power_of_unit) >= kZerosOfThousand)
        return true;
  return false;
}

bool are_equal_with_words(const NumberReading& a, const NumberReading& b) {
  constexpr int kMost = 12;
  if (are_equal(a, b)) return true;
  if (a.is_part || b.is_part || a.divisor != b.divisor) return false;
  if (a.any_exponent || b.any_exponent) return true;
  for (const int ours : a.exponents)
    for (const int theirs : b.exponents) {
      const int zeros = std::abs(ours - theirs);
      if (zeros % kZerosOfThousand == 0 && zeros <= kMost) return true;
    }
  return false;
}

std::array<double, 2> values_of(const NumberReading& number) {
  const double digits =
      number.digits.empty() ? 0 : std::stod(number.digits.substr(0, 15)) / number.divisor;
  return {digits * std::pow(10, number.exponents[0]), digits * std::pow(10, number.exponents[1])};
}

bool is_about(double a, double b, double share) {
  return std::abs(a - b) <= share * std::max(std::abs(a), std::abs(b));
}

}  // namespace heed::study
