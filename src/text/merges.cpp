#include "text/merges.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <queue>
#include <utility>

namespace heed::text {
namespace {

constexpr uint64_t key_of(int32_t left, int32_t right) {
  return static_cast<uint64_t>(left) << 32 | static_cast<uint32_t>(right);
}

}  // namespace

int32_t MergeLearner::number_of(const std::string& piece) {
  const auto [at, is_new] = numbers_.try_emplace(piece, static_cast<int32_t>(pieces_.size()));
  if (is_new) pieces_.push_back(piece);
  return at->second;
}

void MergeLearner::add(const std::vector<std::string>& pieces, int64_t count) {
  Word word{.count = count};
  for (const std::string& piece : pieces) word.pieces.push_back(number_of(piece));
  words_.push_back(std::move(word));
  count_pairs(words_.size() - 1, 1);
}

void MergeLearner::count_pairs(std::size_t word, int64_t sign) {
  const Word& in = words_[word];
  for (std::size_t i = 1; i < in.pieces.size(); ++i) {
    const Key key = key_of(in.pieces[i - 1], in.pieces[i]);
    Pair& pair = pairs_[key];
    pair.count += sign * in.count;
    if (sign < 0) continue;
    if (pair.words.empty() || pair.words.back() != word) pair.words.push_back(word);
    changed_.push_back(key);
  }
}

/// Merges the pair in a word, unless the word no longer has it.
void MergeLearner::merge_in(std::size_t word, Key key, int32_t merged) {
  std::vector<int32_t> pieces;
  const std::vector<int32_t>& old = words_[word].pieces;
  for (std::size_t i = 0; i < old.size(); ++i) {
    const bool here = i + 1 < old.size() && key_of(old[i], old[i + 1]) == key;
    pieces.push_back(here ? merged : old[i]);
    if (here) ++i;
  }
  if (pieces.size() == old.size()) return;
  count_pairs(word, -1);
  words_[word].pieces = std::move(pieces);
  count_pairs(word, 1);
}

/// The count that decides which pair is merged next. Known pieces come first, because the
/// vocabulary would merge them first when it segments.
int64_t MergeLearner::worth(Key key) const {
  const Pair& pair = pairs_.at(key);
  if (pair.is_refused || pair.count == 0) return 0;
  return known_.contains(text_of(key)) ? std::numeric_limits<int64_t>::max() : pair.count;
}

std::vector<std::string> MergeLearner::learn(std::size_t most) {
  struct Offer {
    int64_t worth;
    Key key;
    bool operator<(const Offer& other) const {
      return std::pair(worth, other.key) < std::pair(other.worth, key);
    }
  };
  std::priority_queue<Offer> offers;
  const auto offer_changed = [&] {
    std::ranges::sort(changed_);
    const auto rest = std::ranges::unique(changed_);
    changed_.erase(rest.begin(), rest.end());
    for (const Key key : changed_) offers.push({worth(key), key});
    changed_.clear();
  };
  offer_changed();
  std::vector<std::string> learnt;
  while (!offers.empty() && offers.top().worth > 1) {
    const Offer best = offers.top();
    offers.pop();
    if (const int64_t now = worth(best.key); now != best.worth) {
      if (now > 0) offers.push({now, best.key});
      continue;
    }
    const std::string text = text_of(best.key);
    if (!known_.contains(text)) {
      if (learnt.size() == most) break;
      if (!is_allowed_(text)) {
        pairs_[best.key].is_refused = true;
        continue;
      }
      learnt.push_back(text);
      known_.insert(text);
    }
    const int32_t merged = number_of(text);
    const std::vector<std::size_t> words = std::exchange(pairs_[best.key].words, {});
    for (const std::size_t word : words) merge_in(word, best.key, merged);
    offer_changed();
  }
  return learnt;
}

}  // namespace heed::text
