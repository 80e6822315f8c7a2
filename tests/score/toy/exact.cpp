// The percentage of translations that equal their references.
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "score/metrics.h"

namespace heed::score {

double exact_metric(const std::vector<std::string>& translations,
                    const std::vector<std::string>& references) {
  std::size_t equal = 0;
  for (std::size_t i = 0; i < references.size(); ++i)
    if (translations[i] == references[i]) ++equal;
  return 100.0 * static_cast<double>(equal) /
         static_cast<double>(std::max<std::size_t>(references.size(), 1));
}

}  // namespace heed::score
