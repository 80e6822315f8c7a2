// Byte-pair encoding (Sennrich et al. 2016) that goes on from pieces which exist already. Inside
// text/ only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace heed::text {

class MergeLearner {
 public:
  /// `known` pieces are merged where they appear and count for nothing; `is_allowed` says which
  /// others may become pieces.
  MergeLearner(std::unordered_set<std::string> known,
               std::function<bool(const std::string&)> is_allowed)
      : known_(std::move(known)), is_allowed_(std::move(is_allowed)) {}

  /// Adds a word, spelled with known pieces, and how often the text has it.
  void add(const std::vector<std::string>& pieces, int64_t count);

  /// Merges the most frequent pair of neighbours into a piece, until there are `most` new ones or
  /// no pair is there twice. Returns the new pieces in the order of their merges; among equally
  /// frequent pairs the one that was seen first goes first. May be called once.
  std::vector<std::string> learn(std::size_t most);

 private:
  struct Word {
    std::vector<int32_t> pieces;
    int64_t count = 0;
  };
  struct Pair {
    int64_t count = 0;
    std::vector<std::size_t> words;  // contains all words that have the pair
    bool is_refused = false;
  };
  using Key = uint64_t;  // left piece, right piece

  int32_t number_of(const std::string& piece);
  std::string text_of(Key key) const { return pieces_[key >> 32] + pieces_[key & 0xFFFFFFFF]; }
  void count_pairs(std::size_t word, int64_t sign);
  void merge_in(std::size_t word, Key key, int32_t merged);
  int64_t worth(Key key) const;

  std::unordered_set<std::string> known_;
  std::function<bool(const std::string&)> is_allowed_;
  std::vector<std::string> pieces_;  // by number
  std::unordered_map<std::string, int32_t> numbers_;
  std::vector<Word> words_;
  std::unordered_map<Key, Pair> pairs_;
  std::vector<Key> changed_;  // pairs that have become more frequent
};

}  // namespace heed::text
