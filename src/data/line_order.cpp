#include "data/line_order.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/random.h"

namespace heed::data {
namespace {

constexpr std::size_t kJudged = 8192;  // pairs that are judged together
constexpr std::size_t kPending = 32;   // windows that wait for one that teaches something
constexpr std::size_t kLeastPairs = 200;
constexpr std::size_t kOfMean = 100;  // pairs of which a mean is taken
constexpr double kOrdered = 0.4;      // of the usual advantage: a block that teaches
constexpr double kSureness = 0.6;     // usual advantages in deviations: six of a block's mean
constexpr double kOutOfOrder = -0.5, kPoorest = 0.1;  // means in usual advantages (docs/results.md)
constexpr double kLeastSpread = 0.8;  // by chance a pair out of order may look very much like one
constexpr double kTurn = 10;          // nats of the beginning or end of a part

/// The pairs' own nats and what they have more than others.
struct Told {
  double nats = 0, advantage = 0;
};

Told told_of_pair(const std::vector<LineMarks>& source, const std::vector<LineMarks>& target,
                  std::size_t at, const PairLikeness& likeness) {
  constexpr int kOthers = 12;
  constexpr int64_t kClose = 15, kDistant = 60;
  Random random(at);
  double others = 0;
  int count = 0;
  for (int drawn = 0; drawn < kOthers; ++drawn) {
    const auto away = kClose + static_cast<int64_t>(random.next() % (kDistant - kClose));
    const int64_t other = static_cast<int64_t>(at) + (drawn % 2 == 0 ? away : -away);
    if (other < 0 || other >= std::ssize(target)) continue;
    others += likeness.of(source[at], target[static_cast<std::size_t>(other)]);
    ++count;
  }
  const double nats = likeness.of(source[at], target[at]);
  return {.nats = nats, .advantage = nats - others / std::max(count, 1)};
}

/// The block of a pair; the last one is longer.
std::size_t block_of(std::size_t pair, std::size_t pairs) {
  return std::min(pair / kOfMean, pairs / kOfMean - 1);
}

/// The pair near `at` from which on pairs are of the other state: poor pairs and those out of order
/// are told apart by many, but pairs usually lie halfway between.
std::size_t change_near(std::size_t at, const std::vector<double>& told, bool to_in) {
  constexpr double kHalfway = 0.5;
  const std::size_t begin = at - std::min(at, kOfMean), end = std::min(told.size(), at + kOfMean);
  double sum = 0, best = 0;
  std::size_t change = begin;
  for (std::size_t pair = begin; pair < end; ++pair) {
    sum += to_in ? kHalfway - told[pair] : told[pair] - kHalfway;
    if (sum > best) best = sum, change = pair + 1;
  }
  return change;
}

}  // namespace

bool OrderCheck::Measure::is_sure() const {
  return likeness != nullptr && usual > kSureness * deviation;
}

void OrderCheck::add(int64_t line, const LineMarks& source, const LineMarks& target) {
  window_.lines.push_back(line);
  window_.source.push_back(source);
  window_.target.push_back(target);
  // What is left at the end is judged with the last window, and teaches more there.
  if (window_.lines.size() == kJudged + kLeastPairs) work();
}

OrderCheck::Measure OrderCheck::learn(const Window& window) {
  constexpr int kRounds = 4;
  const std::size_t pairs = window.lines.size(), blocks = pairs / kOfMean;
  std::vector<int64_t> partners(pairs);
  for (std::size_t i = 0; i < pairs; ++i) partners[i] = static_cast<int64_t>(i);
  Measure measure;
  for (int round = 0; round < kRounds; ++round) {
    measure.likeness = std::make_shared<const PairLikeness>(window.source, window.target, partners);
    std::vector<double> advantage(pairs), mean(blocks), count(blocks);
    for (std::size_t i = 0; i < pairs; ++i) {
      advantage[i] = told_of_pair(window.source, window.target, i, *measure.likeness).advantage;
      mean[block_of(i, pairs)] += advantage[i];
      ++count[block_of(i, pairs)];
    }
    for (std::size_t block = 0; block < blocks; ++block) mean[block] /= count[block];
    std::vector<double> sorted = mean;
    std::ranges::sort(sorted);
    measure.usual = sorted[std::min(blocks - 1, blocks * 9 / 10)];
    double squares = 0, all = 0;
    for (std::size_t i = 0; i < pairs; ++i) {
      const double of_block = mean[block_of(i, pairs)];
      const bool teaches = of_block > kOrdered * measure.usual;
      partners[i] = teaches ? static_cast<int64_t>(i) : -1;
      if (!teaches) continue;
      squares += (advantage[i] - of_block) * (advantage[i] - of_block);
      ++all;
    }
    measure.deviation = std::sqrt(squares / std::max(all, 1.0));
  }
  return measure;
}

void OrderCheck::work() {
  Window rest;
  if (window_.lines.size() >= kJudged + kLeastPairs) {
    const auto move_rest = [](auto& from, auto& to) {
      to.assign(from.begin() + kJudged, from.end());
      from.resize(kJudged);
    };
    move_rest(window_.lines, rest.lines);
    move_rest(window_.source, rest.source);
    move_rest(window_.target, rest.target);
  }
  Window window = std::exchange(window_, std::move(rest));
  if (window.lines.size() < kLeastPairs) return;
  if (const Measure measure = learn(window); measure.is_sure()) measure_ = measure;
  if (!measure_.is_sure()) {
    if (pending_.size() < kPending) pending_.push_back(std::move(window));
    return;
  }
  for (const Window& before : std::exchange(pending_, {})) judge(before);
  judge(window);
}

void OrderCheck::judge(const Window& window) {
  const std::size_t pairs = window.lines.size();
  // What a pair tells: both numbers together, in usual advantages; the sum deviates twice as much.
  std::vector<double> told(pairs);
  for (std::size_t i = 0; i < pairs; ++i) {
    const Told of_pair = told_of_pair(window.source, window.target, i, *measure_.likeness);
    told[i] = (of_pair.nats + of_pair.advantage) / measure_.usual;
  }
  const double deviation = std::max(kLeastSpread, 2 * measure_.deviation / measure_.usual);
  const auto nats_out = [&](std::size_t pair) {  // of two normal distributions
    return ((kOutOfOrder + kPoorest) / 2 - told[pair]) * (kPoorest - kOutOfOrder) /
           (deviation * deviation);
  };
  double in = goes_on_ ? -kTurn : 0, out = goes_on_ ? 0 : -kTurn;
  std::vector<std::pair<bool, bool>> changed(pairs);  // on the best way to each state
  for (std::size_t i = 0; i < pairs; ++i) {
    const double nats = nats_out(i);
    changed[i] = {out - kTurn > in, in - kTurn > out};
    const double best_in = std::max(in, out - kTurn), best_out = std::max(out, in - kTurn) + nats;
    in = best_in, out = best_out;
  }
  std::vector<bool> is_out(pairs);
  bool now_out = out > in;
  for (std::size_t i = pairs; i-- > 0;) {
    is_out[i] = now_out;
    if (now_out ? changed[i].second : changed[i].first) now_out = !now_out;
  }
  for (std::size_t begin = 0, end = 0; begin < pairs; begin = end) {
    for (end = begin; end < pairs && is_out[end] == is_out[begin];) ++end;
    if (!is_out[begin]) {
      goes_on_ = false;
      continue;
    }
    const std::size_t first = begin == 0 ? 0 : change_near(begin, told, /*to_in=*/false);
    const std::size_t last = (end == pairs ? pairs : change_near(end, told, /*to_in=*/true)) - 1;
    if (goes_on_ || (!found_.empty() && window.lines[first] <= found_.back().end))
      found_.back().end = std::max(found_.back().end, window.lines[last] + 1);
    else
      found_.push_back({.begin = window.lines[first], .end = window.lines[last] + 1});
    goes_on_ = end == pairs;
  }
}

std::vector<LineRange> OrderCheck::finish() {
  while (!window_.lines.empty()) work();
  return std::move(found_);
}

}  // namespace heed::data
