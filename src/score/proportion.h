// How many of how many, and how sure one can be of it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "score/bootstrap.h"

namespace heed::score {

struct Proportion {
  std::size_t hits = 0, of = 0;

  void add(bool hit) {
    hits += hit ? 1 : 0;
    ++of;
  }
  /// 0..1; 0 where there was nothing to hit.
  double value() const;
  /// Whether at least `percent` % are hits; of nothing, only 0 % are.
  bool reaches(double percent) const;
  /// Wilson's 95 % interval (1927) of the share, 0..1: sound for few trials and near 0 and 1, too.
  Interval interval() const;
};

/// The name, `of`, `hits`, the share in per cent and its interval.
std::vector<std::string> row_of(const std::string& name, const Proportion& share);

/// Whether `part` is at least `percent` % of `whole`. Nothing is divided, which rounds: 57 of 100
/// are 57 %, and every number is 100 % of itself.
bool at_least_percent(double part, double percent, double whole);

}  // namespace heed::score
