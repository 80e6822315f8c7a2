#include "data/realign.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <memory>

#include "base/error.h"
#include "text/lines.h"
#include "text/utf8.h"

namespace heed::data {
namespace {

constexpr int64_t kAlignedAnew = 12;              // lines of a stretch that are aligned anew
constexpr int64_t kMostCells = int64_t{1} << 22;  // of the table of align()
constexpr float kOpened = -5, kGoesOn = -0.3F;    // nats of lines without a partner
constexpr float kJoined = -6;                     // nats of two lines for one
constexpr float kOneEmpty = -20, kBothEmpty = 0.5F;

/// How a bead ends.
enum Move : unsigned char { kPair, kTwoSources, kTwoTargets, kSourceAlone, kTargetAlone, kStart };

constexpr Bead bead_of(Move move) {
  switch (move) {
    case kPair:
      return {1, 1};
    case kTwoSources:
      return {2, 1};
    case kTwoTargets:
      return {1, 2};
    case kSourceAlone:
      return {1, 0};
    case kTargetAlone:
      return {0, 1};
    default:
      return {0, 0};
  }
}

/// Three tables: the best score that ends in a pair (or two lines for one), in a source line
/// without a partner, and in a target line without one.
class AlignmentTable {
 public:
  AlignmentTable(std::span<const LineMarks> source, std::span<const LineMarks> target,
                 const PairLikeness& likeness)
      : source_(source),
        target_(target),
        likeness_(likeness),
        columns_(std::ssize(target) + 1),
        cells_(static_cast<std::size_t>((std::ssize(source) + 1) * columns_)) {
    for (int64_t i = 0; i <= std::ssize(source); ++i)
      for (int64_t j = 0; j < columns_; ++j) fill(i, j);
  }

  std::vector<Bead> beads() const {
    std::vector<Bead> out;
    int64_t i = std::ssize(source_), j = std::ssize(target_);
    std::size_t end = best_end(i, j);
    while (i > 0 || j > 0) {
      const Cell& cell = at(i, j);
      const Bead bead = bead_of(cell.move[end]);
      end = cell.before[end];
      out.push_back(bead);
      i -= bead.sources;
      j -= bead.targets;
    }
    std::ranges::reverse(out);
    return out;
  }

 private:
  enum End : std::size_t { kTogether, kSource, kTarget, kEnds };
  static constexpr float kNever = -std::numeric_limits<float>::infinity();

  struct Cell {
    std::array<float, kEnds> score{kNever, kNever, kNever};
    std::array<Move, kEnds> move{kStart, kStart, kStart};
    std::array<unsigned char, kEnds> before{};  // the end of the bead before
  };

  const Cell& at(int64_t i, int64_t j) const {
    return cells_[static_cast<std::size_t>(i * columns_ + j)];
  }

  std::size_t best_end(int64_t i, int64_t j) const {
    const auto& score = at(i, j).score;
    return static_cast<std::size_t>(std::ranges::max_element(score) - score.begin());
  }

  void fill(int64_t i, int64_t j) {
    Cell& cell = cells_[static_cast<std::size_t>(i * columns_ + j)];
    if (i == 0 && j == 0) cell.score[kTogether] = 0;
    const auto offer = [&](End end, Move move, std::size_t before, float score) {
      if (score <= cell.score[end]) return;
      cell.score[end] = score;
      cell.move[end] = move;
      cell.before[end] = static_cast<unsigned char>(before);
    };
    const auto together = [&](Move move, float likely) {
      const Bead bead = bead_of(move);
      const std::size_t before = best_end(i - bead.sources, j - bead.targets);
      offer(kTogether, move, before, at(i - bead.sources, j - bead.targets).score[before] + likely);
    };
    if (i > 0 && j > 0) {
      const LineMarks &source = source_[i - 1], &target = target_[j - 1];
      together(kPair, source.is_empty() != target.is_empty() ? kOneEmpty
                      : source.is_empty()                    ? kBothEmpty
                                                             : likeness_.of(source, target));
    }
    if (i > 1 && j > 0)
      together(kTwoSources,
               likeness_.of(joined(source_[i - 2], source_[i - 1]), target_[j - 1]) + kJoined);
    if (i > 0 && j > 1)
      together(kTwoTargets,
               likeness_.of(source_[i - 1], joined(target_[j - 2], target_[j - 1])) + kJoined);
    const auto alone = [&](End end, Move move, bool is_empty) {
      const Bead bead = bead_of(move);
      const Cell& from = at(i - bead.sources, j - bead.targets);
      for (std::size_t before = 0; before < kEnds; ++before)
        if (is_empty)  // it costs nothing, and begins no piece that is missing
          offer(static_cast<End>(before), move, before, from.score[before]);
        else
          offer(end, move, before, from.score[before] + (before == end ? kGoesOn : kOpened));
    };
    if (i > 0) alone(kSource, kSourceAlone, source_[i - 1].is_empty());
    if (j > 0) alone(kTarget, kTargetAlone, target_[j - 1].is_empty());
  }

  std::span<const LineMarks> source_, target_;
  const PairLikeness& likeness_;
  int64_t columns_;
  std::vector<Cell> cells_;
};

/// Reads both files and writes the pairs.
class Realigner {
 public:
  Realigner(const std::string& source, const std::string& target, const Slips& slips,
            const RealignedText& out)
      : sources_(source), targets_(target), slips_(slips), out_(out) {}

  RealignedCounts run() {
    const PairLikeness* likeness = nullptr;
    for (const Stretch& stretch : slips_.stretches) {
      if (!stretch.lag) continue;
      if (!stretch.in_order) {
        leave_out(stretch, likeness);
        continue;
      }
      likeness = stretch.likeness.get();
      const int64_t margin = std::min(kAlignedAnew, stretch.lines() / 2);
      const int64_t lag = *stretch.lag;
      // The beginning of a file is no end of a stretch where both begin with a pair.
      const bool begins = stretch.begin == 0 && lag == 0;
      const int64_t from =
          std::max({stretch.begin + (begins ? 0 : margin), next_source_, next_target_ - lag});
      const bool ends = stretch.end == slips_.sources && stretch.end + lag == slips_.targets;
      const int64_t to = stretch.end - (ends ? 0 : margin);
      if (from >= to) continue;
      align_to(from, from + lag, likeness);
      while (next_source_ < to && next_target_ < slips_.targets) copy_pair();
    }
    align_to(slips_.sources, slips_.targets, likeness);
    return counts_;
  }

 private:
  std::string read_source() {
    std::string line;
    if (!sources_.next(line)) throw UserError("{}: has changed meanwhile", sources_.path());
    ++next_source_;
    return line;
  }
  std::string read_target() {
    std::string line;
    if (!targets_.next(line)) throw UserError("{}: has changed meanwhile", targets_.path());
    ++next_target_;
    return line;
  }

  /// Neither side of a part that fits at no lag is in pairs.
  void leave_out(const Stretch& stretch, const PairLikeness* likeness) {
    const int64_t lag = *stretch.lag;
    align_to(std::max(stretch.begin, next_source_),
             std::clamp(stretch.begin + lag, next_target_, slips_.targets), likeness);
    while (next_source_ < stretch.end) {
      const std::string line = read_source();
      alone_source(line, next_source_ - 1, true);
    }
    const int64_t end = std::min(stretch.end + lag, slips_.targets);
    while (next_target_ < end) {
      const std::string line = read_target();
      alone_target(line, next_target_ - 1, true);
    }
  }

  /// Lines without a pair, counted from 0.
  void alone_source(const std::string& line, int64_t at, bool out_of_order) {
    ++(out_of_order ? counts_.sources_out_of_order : counts_.sources);
    out_.alone({.number = at + 1, .of_source = true, .out_of_order = out_of_order, .line = line});
  }
  void alone_target(const std::string& line, int64_t at, bool out_of_order) {
    ++(out_of_order ? counts_.targets_out_of_order : counts_.targets);
    out_.alone({.number = at + 1, .of_source = false, .out_of_order = out_of_order, .line = line});
  }

  /// Whether the source line has a partner, but none among these lines of the target.
  bool is_source_elsewhere(int64_t source, int64_t target_begin, int64_t target_end) const {
    return std::ranges::any_of(slips_.stretches, [&](const Stretch& one) {
      if (!one.lag || source < one.begin || source >= one.end) return false;
      const int64_t target = source + *one.lag;
      return target >= 0 && target < slips_.targets &&
             (target < target_begin || target >= target_end);
    });
  }
  /// The same of a line of the target.
  bool is_target_elsewhere(int64_t target, int64_t source_begin, int64_t source_end) const {
    const auto source_in = [&](const Stretch& one) { return target - *one.lag; };
    bool is_elsewhere = false;
    for (const Stretch& one : slips_.stretches) {
      if (!one.lag || source_in(one) < one.begin || source_in(one) >= one.end) continue;
      if (source_in(one) >= source_begin && source_in(one) < source_end) return false;
      is_elsewhere = true;
    }
    return is_elsewhere;
  }

  /// Where one of the lines is blank, neither has a partner.
  void copy_pair() {
    const std::string source = read_source(), target = read_target();
    if (text::is_blank(source) == text::is_blank(target)) {
      out_.pair(source, target);
      ++counts_.pairs;
      return;
    }
    alone_source(source, next_source_ - 1, false);
    alone_target(target, next_target_ - 1, false);
  }

  /// Aligns the lines before these of both files.
  void align_to(int64_t source_end, int64_t target_end, const PairLikeness* likeness) {
    const int64_t sources = source_end - next_source_, targets = target_end - next_target_;
    if (likeness == nullptr || sources == 0 || targets == 0 ||
        sources > kMostCells / std::max<int64_t>(targets, 1)) {
      while (likeness == nullptr && next_source_ < source_end && next_target_ < target_end)
        copy_pair();  // too few lines to learn anything from
      const int64_t source_begin = next_source_, target_begin = next_target_;
      while (next_source_ < source_end) {
        const std::string line = read_source();
        alone_source(line, next_source_ - 1,
                     is_source_elsewhere(next_source_ - 1, target_begin, target_end));
      }
      while (next_target_ < target_end) {
        const std::string line = read_target();
        alone_target(line, next_target_ - 1,
                     is_target_elsewhere(next_target_ - 1, source_begin, source_end));
      }
      return;
    }
    std::vector<std::string> source, target;
    std::vector<LineMarks> source_marks, target_marks;
    while (next_source_ < source_end)
      source_marks.push_back(marks_of(source.emplace_back(read_source())));
    while (next_target_ < target_end)
      target_marks.push_back(marks_of(target.emplace_back(read_target())));
    const int64_t first_source = next_source_ - sources, first_target = next_target_ - targets;
    std::size_t i = 0, j = 0;
    for (const Bead& bead : align(source_marks, target_marks, *likeness)) {
      if (bead.targets == 0) {
        const int64_t at = first_source + static_cast<int64_t>(i);
        alone_source(source[i], at, is_source_elsewhere(at, first_target, target_end));
      } else if (bead.sources == 0) {
        const int64_t at = first_target + static_cast<int64_t>(j);
        alone_target(target[j], at, is_target_elsewhere(at, first_source, source_end));
      } else {
        const auto join = [](const std::vector<std::string>& lines, std::size_t at, int64_t count) {
          return count == 2 ? lines[at] + ' ' + lines[at + 1] : lines[at];
        };
        out_.pair(join(source, i, bead.sources), join(target, j, bead.targets));
        ++counts_.pairs;
        counts_.joined += bead.sources + bead.targets > 2;
      }
      i += static_cast<std::size_t>(bead.sources);
      j += static_cast<std::size_t>(bead.targets);
    }
  }

  text::LineReader sources_, targets_;
  const Slips& slips_;
  const RealignedText& out_;
  int64_t next_source_ = 0, next_target_ = 0;
  RealignedCounts counts_;
};

}  // namespace

std::vector<Bead> align(std::span<const LineMarks> source, std::span<const LineMarks> target,
                        const PairLikeness& likeness) {
  return AlignmentTable(source, target, likeness).beads();
}

RealignedCounts realign(const std::string& source, const std::string& target, const Slips& slips,
                        const RealignedText& out) {
  return Realigner(source, target, slips, out).run();
}

}  // namespace heed::data
