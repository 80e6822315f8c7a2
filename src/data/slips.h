// Finds where the lines of two files have slipped against each other: a blank line too many in one
// of them, and each source line after it stands beside the translation of its neighbour.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/likeness.h"
#include "data/line_order.h"

namespace heed::data {

/// Lines of the source that follow each other and whose translations do, too.
struct Stretch {
  int64_t begin = 0, end = 0;  // from 0; `end` is the line after the last one
  /// The translation of line i is line i + lag of the target. Nothing where no line of the target
  /// that is near looks like a translation.
  std::optional<int64_t> lag;
  std::shared_ptr<const PairLikeness> likeness;  // of pairs in this region
  bool in_order = true;  // false: they fit at no lag, not at that of the lines around them either

  /// Whether its lines stand beside their translations, as far as is known.
  bool is_right() const { return in_order && lag.value_or(0) == 0; }
  int64_t lines() const { return end - begin; }
};

/// A stretch that is not right, in words with lines counted from 1: "from line 1001 on the target
/// is 1 line late", "lines 1001 to 1200: the target is 3 lines early", "lines 1001 to 2000 fit at
/// no lag: out of order, or of another text". `lines`: of the source.
std::string describe(const Stretch& stretch, int64_t lines);

/// What is wrong with the lines of two files.
struct LineFault {
  std::string message;         // with the cure, where there is one
  bool can_be_mended = false;  // by `heed clean --realign`: right pairs are left
};

/// What is known of two files.
struct Slips {
  std::vector<Stretch> stretches;    // they cover the source in order; lags of neighbours differ
  int64_t sources = 0, targets = 0;  // lines of the files
  /// The nats per line by which partners are more likely than the lines beside them.
  double evidence = 0;
  /// The correlation of the lengths of the lines with the same number; 0 where there are few.
  double correlation = 0;

  /// Whether there is a stretch that is not right.
  bool any() const;
  /// Whether a slip would have been seen: in a text whose lines all look alike it is not, and by
  /// chance a path of very many slips is a little more likely than the lines beside it.
  bool could_be_seen() const;
  static constexpr double kLeastEvidence = 0.25;
  /// Where no slip could be seen, why; empty where one could.
  std::string blindness() const;
  /// What is to be said of files with these names: where their lines have slipped or are out of
  /// order, with the command that mends them (without one where a file looks like CSV, of which
  /// something else is wrong); or that nothing tells that lines with the same number belong
  /// together, as where one of the files is sorted and the other one is not. An empty `target`: the
  /// source is a file of both sides.
  std::optional<LineFault> fault(const std::string& source, const std::string& target) const;
  /// A line for each stretch that is not right, at most five and then their number.
  std::vector<std::string> text() const;
};

/// Pearson's correlation of pairs of numbers.
class Correlation {
 public:
  void add(double x, double y) { ++n_, x_ += x, y_ += y, xx_ += x * x, yy_ += y * y, xy_ += x * y; }
  /// 0 where there are fewer than `fewest`, or one of the numbers is always the same.
  double value(int64_t fewest) const;

 private:
  double n_ = 0, x_ = 0, y_ = 0, xx_ = 0, yy_ = 0, xy_ = 0;
};

/// Takes the lines of both files and finds the most likely lags by Viterbi's algorithm: the lag is
/// the hidden state, the likeness of the pairs is what is seen, and a change costs as much as its
/// rarity. Lags within 10 lines of the present one are always tried; where none of these fits,
/// those within some 4,000 lines. Memory is constant while both files are read in step, time
/// linear.
class SlipFinder {
 public:
  void add_source(const LineMarks& line);
  void add_target(const LineMarks& line);

  /// To be called once, after the last line. There is one stretch, without a slip, where there are
  /// fewer than 50 lines.
  Slips finish();

 private:
  struct Window;
  void work(bool at_end);
  /// Decides the lags of the first `lines` of `size` source lines.
  void take(std::size_t size, std::size_t lines);

  std::vector<LineMarks> source_, target_;  // from these lines on:
  int64_t first_source_ = 0, first_target_ = 0;
  int64_t lag_ = 0;  // of the lines before
  std::vector<Stretch> stretches_;
  double evidence_ = 0;  // of all lines together
  Correlation lengths_;  // of lines with the same number
  OrderCheck order_;
};

/// Reads two files, which need not have the same number of lines. Throws what text::LineReader
/// throws.
Slips find_slips(const std::string& source, const std::string& target);

/// The beginning of the names of files with their lines put beside their translations, which is not
/// that of these files.
std::string realigned_name(const std::string& source, const std::string& target);

/// The command that puts the lines of such files beside their translations. An empty `target`: the
/// source is a file of both sides, of which each gets a file first.
std::string realign_command(const std::string& source, const std::string& target);

}  // namespace heed::data
