// Two line-aligned files, read together, or one with both sides.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "data/alignment.h"
#include "data/config.h"
#include "data/line_facts.h"
#include "data/links.h"
#include "text/lines.h"

namespace heed::data {

// Work on a range of items, split over threads.

/// Calls `work(begin, end)` for consecutive slices of [0, count), one for each thread, and waits.
/// Throws the error of the first slice that failed.
inline void for_slices(int64_t count, int64_t threads,
                       const std::function<void(int64_t, int64_t)>& work) {
  const int64_t slices = std::clamp<int64_t>(threads, 1, std::max<int64_t>(1, count));
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(slices));
  const auto run = [&](int64_t slice) {
    try {
      work(count * slice / slices, count * (slice + 1) / slices);
    } catch (...) {
      errors[slice] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    for (int64_t slice = 1; slice < slices; ++slice) others.emplace_back(run, slice);
    run(0);
  }
  for (const auto& error : errors)
    if (error) std::rethrow_exception(error);
}

struct PairOfLines {
  int64_t number = 0;  // from 1
  std::string source, target;
  std::vector<PieceLink> links;  // of words
};

PairFacts facts_of(const PairOfLines& lines);
/// The target sides of the first pairs, at most 1,000, from which the language is recognised.
/// Throws what PairReader throws.
std::vector<std::string> first_targets(const CorpusFiles& files);

class PairReader {
 public:
  /// `aligned`: with the links of the corpus, where it has any. Throws UserError where a file is
  /// missing.
  explicit PairReader(const CorpusFiles& files, bool aligned = false);

  /// Reads the next pair; false at the end of both files. Throws UserError where one file ends
  /// before the other, where both are empty, where one is mostly not UTF-8 (text::require_utf8),
  /// where a line of a file with both sides has not exactly these (text::columns_of), and where a
  /// file is not text (text/no_text.h); and for its alignment what AlignmentReader throws.
  bool next(PairOfLines& pair);

  /// The next 32768 pairs, or fewer where they are long; none at the end. Throws what next()
  /// throws.
  std::vector<PairOfLines> block();

  /// Sentences on what is wrong with the files so far: lines that are not UTF-8 or have NUL, a last
  /// line without a line feed, and the name of a table whose lines are no texts.
  std::vector<std::string> damage() const;
  /// Says these in the log.
  void warn_of_damage() const;

 private:
  [[noreturn]] void mismatch();
  std::vector<const text::LineReader*> readers() const;
  text::LineReader source_;  // has both sides where there is no target_
  std::optional<text::LineReader> target_;
  std::optional<AlignmentReader> alignment_;
  std::string line_;
};

}  // namespace heed::data
