// Puts the lines of two files that have slipped beside their translations again.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "data/likeness.h"
#include "data/slips.h"

namespace heed::data {

/// Lines of both sides that belong together: one of each, two of one side, or lines without a
/// partner, of which the other side has none.
struct Bead {
  int64_t sources = 0, targets = 0;  // numbers of lines

  bool operator==(const Bead&) const = default;
};

/// The most likely beads of two pieces of text, by dynamic programming (Gale and Church 1993) with
/// PairLikeness in place of lengths alone. Lines without a partner are cheap where they follow each
/// other: what is missing is usually missing in one piece.
std::vector<Bead> align(std::span<const LineMarks> source, std::span<const LineMarks> target,
                        const PairLikeness& likeness);

/// A line that is in no pair.
struct LineAlone {
  int64_t number = 0;  // counted from 1
  bool of_source = false;
  /// It is in a part that fits at no lag, or its partner is where another part of the text belongs,
  /// as where two blocks changed places. Otherwise the other side has no partner for it.
  bool out_of_order = false;
  std::string line;
};

/// What realign() writes to.
struct RealignedText {
  std::function<void(const std::string& source, const std::string& target)> pair;
  std::function<void(const LineAlone& line)> alone;
};

struct RealignedCounts {
  int64_t pairs = 0, joined = 0;     // pairs, and those among them with two lines of a side
  int64_t sources = 0, targets = 0;  // lines without a partner
  int64_t sources_out_of_order = 0, targets_out_of_order = 0;
};

/// Reads both files again and writes their pairs. Where a stretch goes on, line i of the source has
/// line i + lag of the target; around the ends of stretches align() decides. Pairs keep the order
/// of both files, and lines that are out of order are in none. Two lines of one side are joined by
/// a blank. Throws what text::LineReader throws.
RealignedCounts realign(const std::string& source, const std::string& target, const Slips& slips,
                        const RealignedText& out);

}  // namespace heed::data
