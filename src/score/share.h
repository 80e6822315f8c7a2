// How many of how many, and how sure one can be of it.
#pragma once

#include <cstddef>

#include "score/bootstrap.h"

namespace heed::score {

struct Share {
  std::size_t hits = 0, of = 0;

  void add(bool hit) {
    hits += hit ? 1 : 0;
    ++of;
  }
  /// 0..1; 0 where there was nothing to hit.
  double value() const;
  /// Wilson's 95 % interval (1927) of the share, 0..1: sound for few trials and near 0 and 1, too.
  Interval interval() const;
};

}  // namespace heed::score
