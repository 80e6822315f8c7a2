// Which keys a query sees in attention. Masks, blocks of queries, kernels and decoders all ask a
// Pattern, so that the rule stands here alone.
#pragma once

#include <algorithm>
#include <cstdint>

namespace heed::kernels {

/// A range of neighbouring keys.
struct KeyRange {
  int64_t begin = 0, end = 0;

  int64_t count() const { return end - begin; }
};

/// Calls hide(begin, end) for each run of [from, to) without `kept`, which is not before `from`,
/// and without every `stride`-th key after it; stride 0: none is kept.
template <class Hide>
[[gnu::always_inline]] inline void each_run_without(int64_t from, int64_t to, int64_t kept,
                                                    int64_t stride, const Hide& hide) {
  while (from < to) {
    const int64_t stop = stride > 0 ? std::min(kept, to) : to;
    if (from < stop) hide(from, stop);
    from = stop + 1;
    kept += stride;
  }
}

/// Which keys query i sees of its own sentence: i-window..i+window, the first `global` ones, and
/// those whose distance is a multiple of `stride`. The first `global` queries see all. With
/// `causal` no query sees a key after itself.
struct Pattern {
  int64_t window = 0;  // 0: all, whatever `global` and `stride` say
  int64_t global = 0, stride = 0;
  bool causal = false;

  /// Whether a query sees nothing but its window.
  bool is_band() const { return window > 0 && global == 0 && stride == 0; }
  bool is_sparse() const { return window > 0 && !is_band(); }
  Pattern band() const { return {.window = window, .causal = causal}; }
  /// Returns the number of keys after a query that its window reaches.
  int64_t ahead() const { return causal ? 0 : window; }
  /// Whether the window hides something from some query of a sentence of this length.
  bool narrows(int64_t length) const { return window > 0 && window + 1 < length; }

  bool sees(int64_t query, int64_t key) const {
    if (causal && key > query) return false;
    const int64_t distance = query < key ? key - query : query - key;
    return window == 0 || distance <= window || std::min(query, key) < global ||
           (stride > 0 && distance % stride == 0);
  }

  /// The range, of `keys` keys, from the first to the last that any of the queries [first, first +
  /// count) may see. A single query sees all keys of its range, unless the pattern is sparse.
  KeyRange range(int64_t first, int64_t count, int64_t keys) const {
    const int64_t end = causal ? std::min(keys, first + count) : keys;
    if (!is_band()) return {0, end};
    const int64_t last = std::min(end, first + count + ahead());
    return {std::clamp<int64_t>(first - window, 0, last), last};
  }
  KeyRange range(int64_t query, int64_t keys) const { return range(query, 1, keys); }

  /// Calls, for a sparse pattern, hide(begin, end) for each run of keys in [0, end) that the query
  /// does not see.
  template <class Hide>
  [[gnu::always_inline]] void each_gap(int64_t query, int64_t end, const Hide& hide) const {
    if (query < global) return;
    const int64_t first_kept = stride > 0 ? global + (query - global) % stride : 0,
                  next_kept = stride > 0 ? query + (window / stride + 1) * stride : 0;
    each_run_without(global, std::min(query - window, end), first_kept, stride, hide);
    each_run_without(query + window + 1, end, next_kept, stride, hide);
  }
};

}  // namespace heed::kernels
