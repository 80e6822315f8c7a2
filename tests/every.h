// All values of an enumerated option, in their order.
#pragma once

#include <cstddef>
#include <vector>

#include "config/schema.h"

namespace heed {

template <config::Enumeration T>
std::vector<T> every() {
  std::vector<T> values;
  for (std::size_t i = 0; i < heed_enum_text(T{}).names.size(); ++i)
    values.push_back(static_cast<T>(i));
  return values;
}

}  // namespace heed
