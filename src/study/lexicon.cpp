#include "study/lexicon.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>

#include "base/error.h"

namespace heed::study {
namespace {

/// Returns each combination of a source and a target piece that some pair has, once, ascending.
std::vector<uint64_t> neighbours(const std::vector<Ids>& sources, const std::vector<Ids>& targets) {
  constexpr std::size_t kRoom = 1 << 24;
  std::vector<uint64_t> both;
  const auto tidy = [&] {  // most of them are there several times
    std::ranges::sort(both);
    both.erase(std::unique(both.begin(), both.end()), both.end());
  };
  std::size_t most = kRoom;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    for (const int32_t s : sources[i])
      for (const int32_t t : targets[i])
        both.push_back(static_cast<uint64_t>(s) << 32 | static_cast<uint64_t>(t));
    if (both.size() < most) continue;
    tidy();
    most = 2 * both.size() + kRoom;
  }
  tidy();
  return both;
}

}  // namespace

Lexicon::Lexicon(const std::vector<Ids>& sources, const std::vector<Ids>& targets, int64_t pieces,
                 int64_t rounds)
    : begin_(pieces + 1) {
  expect(sources.size() == targets.size(), "a target for each source");
  for (const uint64_t two : neighbours(sources, targets)) {
    ++begin_.at((two >> 32) + 1);
    targets_.push_back(static_cast<int32_t>(two));
  }
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  shares_.assign(targets_.size(), 1);
  std::vector<double> counts;  // c(t | s)
  std::vector<int64_t> indices;
  for (int64_t round = 0; round < rounds; ++round) {
    counts.assign(shares_.size(), 0);
    for (std::size_t i = 0; i < sources.size(); ++i)
      for (const int32_t t : targets[i]) {
        indices.clear();
        double sum = 0;
        for (const int32_t s : sources[i]) sum += shares_[indices.emplace_back(index_of(s, t))];
        for (const int64_t at : indices) counts[at] += shares_[at] / sum;
      }
    for (int64_t s = 0; s < pieces; ++s) {
      const auto begin = counts.begin() + begin_[s], end = counts.begin() + begin_[s + 1];
      const double sum = std::accumulate(begin, end, 0.0);
      std::transform(begin, end, shares_.begin() + begin_[s],
                     [&](double count) { return count / sum; });
    }
  }
}

int64_t Lexicon::index_of(int32_t source, int32_t target) const {
  const auto first = targets_.begin();
  return std::lower_bound(first + begin_[source], first + begin_[source + 1], target) - first;
}

std::vector<Ids> Lexicon::likeliest(int64_t best) const {
  std::vector<Ids> lists(begin_.size() - 1);
  for (std::size_t s = 0; s < lists.size(); ++s) {
    std::vector<int64_t> indices(begin_[s + 1] - begin_[s]);
    std::iota(indices.begin(), indices.end(), begin_[s]);
    std::ranges::stable_sort(indices, std::greater<>(), [&](int64_t at) { return shares_[at]; });
    for (int64_t i = 0; i < std::min<int64_t>(best, std::ssize(indices)); ++i)
      lists[s].push_back(targets_[indices[i]]);
  }
  return lists;
}

double Lexicon::nats(const Ids& source, const Ids& target) const {
  if (source.empty() || target.empty()) return 0;
  double sum = 0;
  for (const int32_t t : target) {
    double share = 0;
    for (const int32_t s : source) {
      const int64_t at = index_of(s, t);
      if (at < begin_[s + 1] && targets_[at] == t) share += shares_[at];
    }
    sum += std::min(kMostNats, -std::log(share / static_cast<double>(source.size())));
  }
  return sum / static_cast<double>(target.size());
}

}  // namespace heed::study
