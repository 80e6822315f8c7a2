// Finds lines of two files that fit at no lag: a part that was shuffled or sorted on one side, or
// is of another text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "data/likeness.h"

namespace heed::data {

/// Lines that follow each other, from 0; `end` is the line after the last one.
struct LineRange {
  int64_t begin = 0, end = 0;

  bool operator==(const LineRange&) const = default;
};

/// Takes the pairs of a corpus in order. What a pair tells is how much more its sides look like
/// translations of each other than its source looks like the targets of pairs that are 15 to 60
/// lines away. Among lines out of order that is 0 on average, and they look less like translations
/// than lines of a region do. How much it is among pairs in order is learned from the best tenth of
/// the blocks, and where that is hardly more than chance, as in a text whose lines all look alike,
/// nothing is found. A Viterbi search with two states then finds where a part begins and ends. To
/// be called with at least 200 pairs; parts of 100 lines and more are found.
class OrderCheck {
 public:
  /// `line`: the number of the source line, from 0; those of the calls ascend.
  void add(int64_t line, const LineMarks& source, const LineMarks& target);

  /// To be called once, after the last pair: the parts that fit at no lag, in order.
  std::vector<LineRange> finish();

 private:
  /// Some thousand pairs that are judged together.
  struct Window {
    std::vector<int64_t> lines;
    std::vector<LineMarks> source, target;
  };
  /// What is known of pairs in order.
  struct Measure {
    std::shared_ptr<const PairLikeness> likeness;
    double usual = 0;      // nats that a pair in order is more likely than others, on average
    double deviation = 0;  // of what pairs tell

    bool is_sure() const;
  };
  static Measure learn(const Window& window);
  void work();
  void judge(const Window& window);

  Window window_;
  std::vector<Window> pending_;  // windows before the first one that teaches something
  Measure measure_;
  std::vector<LineRange> found_;
  bool goes_on_ = false;  // whether the last pair that was judged is in the last part
};

}  // namespace heed::data
