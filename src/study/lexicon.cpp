#include "study/lexicon.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"

namespace heed::study {
namespace {

/// A number for each two pieces that stand beside each other in some pair, by source and target.
class PairTable {
 public:
  PairTable(const std::vector<Ids>& sources, const std::vector<Ids>& targets, int64_t pieces)
      : begin_(pieces + 1) {
    constexpr std::size_t kRoom = 1 << 24;
    std::vector<uint64_t> both;
    const auto tidy = [&] {  // most are there again and again
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
    for (const uint64_t two : both) {
      ++begin_.at((two >> 32) + 1);
      targets_.push_back(static_cast<int32_t>(two));
    }
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  }

  int64_t begin(int64_t source) const { return begin_[source]; }
  int64_t size() const { return std::ssize(targets_); }
  int32_t target(int64_t place) const { return targets_[place]; }
  int64_t place(int32_t source, int32_t target) const {
    const auto first = targets_.begin();
    return std::lower_bound(first + begin_[source], first + begin_[source + 1], target) - first;
  }

 private:
  std::vector<int64_t> begin_;  // of each source, and the end
  Ids targets_;
};

}  // namespace

std::vector<Ids> likeliest_translations(const std::vector<Ids>& sources,
                                        const std::vector<Ids>& targets, int64_t pieces,
                                        int64_t best, int64_t rounds) {
  expect(sources.size() == targets.size(), "a target for each source");
  const PairTable table(sources, targets, pieces);
  std::vector<double> shares(table.size(), 1), counts;  // p(t | s), c(t | s)
  std::vector<int64_t> places;
  for (int64_t round = 0; round < rounds; ++round) {
    counts.assign(table.size(), 0);
    for (std::size_t i = 0; i < sources.size(); ++i)
      for (const int32_t t : targets[i]) {
        places.clear();
        double sum = 0;
        for (const int32_t s : sources[i]) sum += shares[places.emplace_back(table.place(s, t))];
        for (const int64_t place : places) counts[place] += shares[place] / sum;
      }
    for (int64_t s = 0; s < pieces; ++s) {
      const auto begin = counts.begin() + table.begin(s), end = counts.begin() + table.begin(s + 1);
      const double sum = std::accumulate(begin, end, 0.0);
      std::transform(begin, end, shares.begin() + table.begin(s),
                     [&](double count) { return count / sum; });
    }
  }
  std::vector<Ids> lists(pieces);
  for (int64_t s = 0; s < pieces; ++s) {
    places.resize(table.begin(s + 1) - table.begin(s));
    std::iota(places.begin(), places.end(), table.begin(s));
    std::ranges::stable_sort(places, std::greater<>(), [&](int64_t at) { return shares[at]; });
    for (int64_t i = 0; i < std::min<int64_t>(best, std::ssize(places)); ++i)
      lists[s].push_back(table.target(places[i]));
  }
  return lists;
}

}  // namespace heed::study
