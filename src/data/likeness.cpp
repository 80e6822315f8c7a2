#include "data/likeness.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include "base/random.h"
#include "text/characters.h"
#include "text/digits.h"
#include "text/utf8.h"

namespace heed::data {
namespace {

enum Count : std::size_t { kEnd, kCommas, kQuestions, kQuotes, kBrackets };

constexpr int kPrefix = 4;           // letters of a word that are compared
constexpr float kMarkWeight = 0.7F;  // marks are not independent of each other, nor of the length
constexpr double kLeastDeviation = 0.05, kOutliers = 0.05, kLeastDensity = 1e-9;
constexpr float kSurest = 4;  // nats that one mark may add

/// What the marks of all scripts are in the table of last marks.
int class_of(char32_t c) {
  switch (c) {
    case U'.':
    case U'。':
    case U'．':
    case U'।':
    case U'۔':
    case U'።':
    case U'։':
      return 1;
    case U'?':
    case U'？':
    case U'؟':
    case U'፧':
      return 2;
    case U'!':
    case U'！':
      return 3;
    case U':':
    case U'：':
      return 4;
    case U';':
    case U'；':
    case U'؛':
      return 5;
    case U',':
    case U'，':
    case U'、':
    case U'،':
      return 6;
    case U'…':
      return 7;
    case U'-':
    case U'–':
    case U'—':
      return 8;
    default:
      return 0;
  }
}

bool is_quotation_mark(char32_t c) {
  return c == U'"' || c == U'«' || c == U'»' || (c >= U'\u201C' && c <= U'\u201F') ||
         (c >= U'「' && c <= U'』');
}

bool is_opening_bracket(char32_t c) {
  return c == U'(' || c == U'[' || c == U'（' || c == U'【';
}

bool is_closing_bracket(char32_t c) {
  return c == U')' || c == U']' || c == U'）' || c == U'】';
}

uint64_t bit_of(uint64_t hash, int bits) {
  return uint64_t{1} << (mix({hash}) % static_cast<uint64_t>(bits));
}

/// Takes the code points of a line in order.
class MarkReader {
 public:
  void add(char32_t c) {
    ++characters_;
    if (const auto digit = text::digit_value(c)) {
      end_word();
      number_ = number_ * 10 + static_cast<uint64_t>(*digit);
      in_number_ = true;
      last_ = 0;
      return;
    }
    end_number();
    if (text::is_letter(c)) {
      if (letters_++ < kPrefix) mix_in(prefix_, text::to_lower(c));
      last_ = 0;
      return;
    }
    end_word();
    if (text::is_space(c)) return;
    if (is_quotation_mark(c) || is_closing_bracket(c)) {  // a mark may stand before these
      quotes_ += is_quotation_mark(c);
      return;
    }
    last_ = class_of(c);
    commas_ += last_ == 6;
    questions_ += last_ == 2 || last_ == 3;
    brackets_ += is_opening_bracket(c) || last_ == 4;
  }

  LineMarks finish() {
    end_word();
    end_number();
    marks_.length = std::log1p(static_cast<float>(characters_));
    const auto few = [](int count, int most) {
      return static_cast<uint8_t>(std::min(count, most));
    };
    marks_.counts[kEnd] = characters_ == 0 ? 9 : static_cast<uint8_t>(last_);
    marks_.counts[kCommas] = few(commas_, 3);
    marks_.counts[kQuestions] = few(questions_, 2);
    marks_.counts[kQuotes] = few(quotes_, 2);
    marks_.counts[kBrackets] = few(brackets_, 2);
    return marks_;
  }

 private:
  void end_word() {
    if (letters_ >= kPrefix) marks_.words |= bit_of(prefix_, 64);
    letters_ = 0;
    prefix_ = 0;
  }
  void end_number() {
    if (in_number_) marks_.numbers |= static_cast<uint32_t>(bit_of(number_, 32));
    in_number_ = false;
    number_ = 0;
  }

  LineMarks marks_;
  int64_t characters_ = 0;
  int letters_ = 0, last_ = 0, commas_ = 0, questions_ = 0, quotes_ = 0, brackets_ = 0;
  uint64_t prefix_ = 0, number_ = 0;
  bool in_number_ = false;
};

/// How much two sets of bits have in common: 0 for two empty ones, 1 where one is empty, then
/// from nothing (2) to all of the smaller one (5).
std::size_t in_common(uint64_t a, uint64_t b) {
  if (a == 0 || b == 0) return a == b ? 0 : 1;
  const int both = std::popcount(a & b), fewer = std::min(std::popcount(a), std::popcount(b));
  if (both == 0) return 2;
  return both == fewer ? 5 : 2 * both < fewer ? 3 : 4;
}

/// Density of the normal distribution, without its constant factor.
double density(double difference, double deviation) {
  const double ratio = difference / deviation;
  return std::exp(-ratio * ratio / 2) / deviation;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// log of observed to other shares; `prior` observations are spread as the others are.
float log_ratio(double observed, double all, double other, double all_other, double prior) {
  const double share = (other + 0.5) / (all_other + 5);
  const double ratio = std::log((observed + prior * share) / (all + prior)) - std::log(share);
  return std::clamp(static_cast<float>(ratio), -kSurest, kSurest);
}

}  // namespace

LineMarks marks_of(std::string_view line) {
  MarkReader reader;
  text::each_code_point(line, [&](const text::CodePoint& point, auto) { reader.add(point.value); });
  return reader.finish();
}

LineMarks joined(const LineMarks& first, const LineMarks& second) {
  LineMarks both = second;
  both.length = std::log1p(std::expm1(first.length) + std::expm1(second.length) + 1);
  for (std::size_t i = kCommas; i < LineMarks::kCounts; ++i)
    both.counts[i] =
        static_cast<uint8_t>(std::min(first.counts[i] + second.counts[i], i == kCommas ? 3 : 2));
  both.numbers |= first.numbers;
  both.words |= first.words;
  return both;
}

PairLikeness::PairLikeness(std::span<const LineMarks> source, std::span<const LineMarks> target,
                           std::span<const int64_t> partners) {
  constexpr int64_t kNear = 15, kFar = 60;  // lines between a target and another of its region
  Random random(1);
  std::vector<Observed> pairs, others;
  for (std::size_t i = 0; i < source.size(); ++i) {
    const int64_t partner = partners[i];
    if (partner < 0 || partner >= std::ssize(target)) continue;
    if (source[i].is_empty() || target[partner].is_empty()) continue;
    if (i > 0 && source[i] == source[i - 1] && partner > 0 &&
        target[partner] == target[partner - 1])
      continue;
    pairs.push_back({source[i], target[partner]});
    const uint64_t drawn = random.next();
    const auto away = kNear + static_cast<int64_t>(drawn >> 1) % (kFar - kNear);
    const int64_t other = (drawn & 1) != 0 ? partner + away : partner - away;
    if (other >= 0 && other < std::ssize(target) && !target[other].is_empty())
      others.push_back({source[i], target[other]});
  }
  if (!pairs.empty() && !others.empty()) learn(pairs, others);
}

void PairLikeness::learn(const std::vector<Observed>& pairs, const std::vector<Observed>& others) {
  constexpr double kToDeviation = 1.4826;  // a normal distribution's median of |x| is 1 / this
  const auto differences = [](const std::vector<Observed>& of) {
    std::vector<double> out;
    for (const Observed& pair : of)
      out.push_back(static_cast<double>(pair.target.length) - pair.source.length);
    return out;
  };
  const double ratio = median(differences(pairs));
  const auto deviation_of = [&](std::vector<double> values) {
    for (double& value : values) value = std::abs(value - ratio);
    return kToDeviation * median(std::move(values));
  };
  const double deviation = std::max(kLeastDeviation, deviation_of(differences(pairs)));
  const double other_deviation = std::max(deviation, deviation_of(differences(others)));
  for (int step = -kFarthest; step <= kFarthest; ++step) {
    const double difference = static_cast<double>(step) / kSteps - ratio;
    const double outlier = kOutliers * density(difference, 2 * other_deviation) + kLeastDensity;
    const double pair = (1 - kOutliers) * density(difference, deviation) + outlier;
    const double other = (1 - kOutliers) * density(difference, other_deviation) + outlier;
    lengths_[step + kFarthest] = static_cast<float>(std::log(pair / other));
  }

  const auto all = static_cast<double>(pairs.size()),
             all_other = static_cast<double>(others.size());
  for (std::size_t mark = 0; mark < LineMarks::kCounts; ++mark) {
    std::array<std::array<double, kMost>, kMost> seen{}, other{};
    for (const Observed& pair : pairs) ++seen[pair.source.counts[mark]][pair.target.counts[mark]];
    for (const Observed& pair : others) ++other[pair.source.counts[mark]][pair.target.counts[mark]];
    for (std::size_t i = 0; i < kMost; ++i)
      for (std::size_t j = 0; j < kMost; ++j)
        counts_[mark][i][j] = log_ratio(seen[i][j], all, other[i][j], all_other, 20);
  }
  const auto learn_common = [&](auto member, std::array<float, kMost>& table) {
    std::array<double, kMost> seen{}, other{};
    for (const Observed& pair : pairs) ++seen[in_common(pair.source.*member, pair.target.*member)];
    for (const Observed& pair : others)
      ++other[in_common(pair.source.*member, pair.target.*member)];
    for (std::size_t i = 0; i < kMost; ++i)
      table[i] = log_ratio(seen[i], all, other[i], all_other, 5);
  };
  learn_common(&LineMarks::numbers, numbers_);
  learn_common(&LineMarks::words, words_);
}

float PairLikeness::of(const LineMarks& source, const LineMarks& target) const {
  const auto steps = static_cast<int>(static_cast<float>(kSteps) * (target.length - source.length));
  float marks = numbers_[in_common(source.numbers, target.numbers)] +
                words_[in_common(source.words, target.words)];
  for (std::size_t mark = 0; mark < LineMarks::kCounts; ++mark)
    marks += counts_[mark][source.counts[mark]][target.counts[mark]];
  return lengths_[std::clamp(steps, -kFarthest, kFarthest) + kFarthest] + kMarkWeight * marks;
}

}  // namespace heed::data
