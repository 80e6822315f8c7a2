#include "data/batch_cut.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

namespace heed::data {
namespace {

class Cutter {
 public:
  Cutter(const std::vector<PairLength>& lengths, int64_t size, bool tokens)
      : lengths_(lengths), size_(size), tokens_(tokens), by_target_(lengths.size()) {
    std::iota(by_target_.begin(), by_target_.end(), int64_t{0});
    sort(by_target_.begin(), by_target_.end(), [&](int64_t i) {
      return std::tuple(lengths_[i].target, lengths_[i].source, lengths_[i].tie, i);
    });
  }

  /// Cuts the pairs sorted by target into bands that hold at least `span` target lengths and are
  /// at least `least` batches large, and each band, sorted by source, into batches. Large bands pad
  /// the target more and the source less.
  Cut with_bands(int64_t span, double least) const {
    Cut out{by_target_, {}};
    bool rising = true;
    for (std::size_t begin = 0; begin < out.order.size();) {
      const std::size_t end = band_end(begin, span, least);
      // Rising and falling in turns: a batch across two bands has either long or short sources.
      const int64_t sign = rising ? 1 : -1;
      sort(out.order.begin() + begin, out.order.begin() + end, [&](int64_t i) {
        return std::tuple(sign * lengths_[i].source, lengths_[i].target, lengths_[i].tie, i);
      });
      rising = !rising;
      begin = end;
    }
    fill(out);
    return out;
  }

  /// Places of both sides, padding included.
  int64_t places(const Cut& cut) const {
    int64_t sum = 0;
    for (const auto& [begin, end] : cut.batches) {
      int64_t source = 0, target = 0;
      for (int64_t i = begin; i < end; ++i) {
        source = std::max(source, lengths_[cut.order[i]].source);
        target = std::max(target, lengths_[cut.order[i]].target);
      }
      sum += (end - begin) * (source + target);
    }
    return sum;
  }

 private:
  template <class Iterator, class Key>
  static void sort(Iterator begin, Iterator end, const Key& key) {
    std::sort(begin, end, [&](int64_t a, int64_t b) { return key(a) < key(b); });
  }

  std::size_t band_end(std::size_t begin, int64_t span, double least) const {
    const int64_t beyond = lengths_[by_target_[begin]].target + span;
    double batches = 0;
    std::size_t end = begin;
    for (; end < by_target_.size(); ++end) {
      const PairLength& length = lengths_[by_target_[end]];
      if (length.target >= beyond && batches >= least) break;
      batches += static_cast<double>(tokens_ ? length.target : 1) / static_cast<double>(size_);
    }
    return end;
  }

  void fill(Cut& cut) const {
    const auto count = static_cast<int64_t>(cut.order.size());
    int64_t begin = 0, source = 0, target = 0;
    for (int64_t i = 0; i < count; ++i) {
      const PairLength& length = lengths_[cut.order[i]];
      const int64_t rows = i + 1 - begin;
      source = std::max(source, length.source);
      target = std::max(target, length.target);
      const bool fits =
          tokens_ ? rows * target <= size_ && rows * source <= 2 * size_ : rows <= size_;
      if (fits || rows == 1) continue;
      cut.batches.emplace_back(begin, i);
      begin = i;
      source = length.source;
      target = length.target;
    }
    if (begin < count) cut.batches.emplace_back(begin, count);
  }

  const std::vector<PairLength>& lengths_;
  int64_t size_;
  bool tokens_;
  std::vector<int64_t> by_target_;
};

}  // namespace

Cut cut(const std::vector<PairLength>& lengths, int64_t size, bool tokens) {
  const Cutter cutter(lengths, size, tokens);
  // How large bands should be depends on the corpus and on how many batches there are: try.
  Cut best;
  int64_t fewest = std::numeric_limits<int64_t>::max();
  for (int64_t span = 1; span <= 3; ++span) {
    for (double least = 1; least <= 8; least *= 1.5) {
      Cut tried = cutter.with_bands(span, least);
      const int64_t places = cutter.places(tried);
      if (places >= fewest) continue;
      best = std::move(tried);
      fewest = places;
    }
  }
  return best;
}

}  // namespace heed::data
