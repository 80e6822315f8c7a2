// Covering arrays: few rows that hold every pair of values of two options (Cohen et al. 1997).
#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <set>
#include <vector>

namespace heed::combinations {

using Row = std::vector<std::size_t>;  // the value of each option, counted from 0

struct Pair {
  std::size_t option, value, other, other_value;  // option < other
  auto operator<=>(const Pair&) const = default;
};

struct Covering {
  std::vector<Row> rows;      // all acceptable
  std::vector<Pair> refused;  // no acceptable row was found that holds them
};

/// Greedy and the same every time. `sizes`: how many values each option has; the row of first
/// values must be acceptable. A pair is given up as refused when that row with the pair in it stays
/// unacceptable whichever two other options are changed: enough for rules between four options.
class PairwiseCover {
 public:
  PairwiseCover(std::vector<std::size_t> sizes, std::function<bool(const Row&)> acceptable)
      : sizes_(std::move(sizes)), acceptable_(std::move(acceptable)) {}

  Covering cover() {
    Covering covering;
    open_ = all_pairs();
    while (!open_.empty()) {
      const Pair pair = *open_.begin();
      Row row(sizes_.size(), 0);
      row[pair.option] = pair.value;
      row[pair.other] = pair.other_value;
      if (!repair(row, pair, 0, 2)) {
        covering.refused.push_back(pair);
        open_.erase(pair);
        continue;
      }
      improve(row, pair);
      for (const Pair& held : pairs_of(row)) open_.erase(held);
      covering.rows.push_back(row);
    }
    return covering;
  }

  std::set<Pair> all_pairs() const {
    std::set<Pair> pairs;
    for (std::size_t a = 0; a < sizes_.size(); ++a)
      for (std::size_t b = a + 1; b < sizes_.size(); ++b)
        for (std::size_t i = 0; i < sizes_[a]; ++i)
          for (std::size_t j = 0; j < sizes_[b]; ++j) pairs.insert({a, i, b, j});
    return pairs;
  }

  static std::vector<Pair> pairs_of(const Row& row) {
    std::vector<Pair> pairs;
    for (std::size_t a = 0; a < row.size(); ++a)
      for (std::size_t b = a + 1; b < row.size(); ++b) pairs.push_back({a, row[a], b, row[b]});
    return pairs;
  }

 private:
  /// Changes at most so many options from `first` on until the row is acceptable.
  bool repair(Row& row, const Pair& pair, std::size_t first, int changes) const {
    if (acceptable_(row)) return true;
    if (changes == 0) return false;
    for (std::size_t option = first; option < sizes_.size(); ++option) {
      if (option == pair.option || option == pair.other) continue;
      for (row[option] = 1; row[option] < sizes_[option]; ++row[option])
        if (repair(row, pair, option + 1, changes - 1)) return true;
      row[option] = 0;
    }
    return false;
  }

  std::size_t gain(const Row& row, std::size_t option) const {
    std::size_t pairs = 0;
    for (std::size_t other = 0; other < row.size(); ++other) {
      if (other == option) continue;
      const std::size_t a = std::min(option, other), b = std::max(option, other);
      pairs += open_.contains({a, row[a], b, row[b]});
    }
    return pairs;
  }

  /// Gives each option in turn the value that adds most pairs, as long as the row stays acceptable.
  void improve(Row& row, const Pair& pair) const {
    for (int sweep = 0; sweep < 3; ++sweep)
      for (std::size_t option = 0; option < row.size(); ++option) {
        if (option == pair.option || option == pair.other) continue;
        Row best = row;
        for (std::size_t value = 0; value < sizes_[option]; ++value) {
          Row changed = row;
          changed[option] = value;
          if (gain(changed, option) > gain(best, option) && acceptable_(changed)) best = changed;
        }
        row = best;
      }
  }

  std::vector<std::size_t> sizes_;
  std::function<bool(const Row&)> acceptable_;
  std::set<Pair> open_;
};

}  // namespace heed::combinations
