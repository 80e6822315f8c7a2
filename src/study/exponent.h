// How fast a cost grows with length.
#pragma once

#include <vector>

namespace heed::study {

/// The slope of log y over log x by least squares: 2 where y grows with the square of x. Needs two
/// different x, all above 0.
double fitted_exponent(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace heed::study
