#include "data/split.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/progress_bar.h"
#include "base/random.h"
#include "base/signals.h"
#include "base/strings.h"
#include "data/hash_set.h"
#include "data/likeness.h"
#include "data/line_facts.h"
#include "data/pair_reader.h"
#include "data/traces.h"
#include "text/utf8.h"
#include "text/words.h"

namespace heed::data {
namespace {

/// Counts of one side of a corpus.
class SideCounts {
 public:
  void add(const std::string& line, const LineFacts& facts) {
    ++scripts_[static_cast<std::size_t>(facts.script)];
    const int64_t words = text::count_words(line);
    words_ += words;
    letters_ += facts.characters;
    longest_ = std::max(longest_, words);
    for (const std::string& word : split_words(line)) types_.insert(std::hash<std::string>()(word));
  }
  int64_t words() const { return words_; }
  int64_t letters() const { return letters_; }
  int64_t longest() const { return longest_; }  // longest line, in words
  int64_t types() const { return static_cast<int64_t>(types_.size()); }
  text::Script script() const {
    return static_cast<text::Script>(std::ranges::max_element(scripts_) - scripts_.begin());
  }

 private:
  int64_t words_ = 0, letters_ = 0, longest_ = 0;
  std::array<int64_t, text::kScripts> scripts_{};
  HashSet types_;
};

/// Counts the words of the first pairs.
class WordCounts {
 public:
  void add(const PairOfLines& pair) {
    if (pairs_ == kPairs) return;
    ++pairs_;
    for (const std::string& word : split_words(pair.source)) ++words_[word].all;
    for (const std::string& word : split_words(pair.target)) {
      Count& count = words_[word];
      ++count.all;
      ++count.in_target;
    }
  }

  WordLengths lengths() const {
    struct Rank {
      int64_t all;
      double target_letters;
    };
    std::vector<Rank> ranks;
    double words = 0, left = 0;
    for (const auto& [word, count] : words_) {
      const auto letters = static_cast<double>(text::count_code_points(word));
      ranks.push_back({count.all, letters * static_cast<double>(count.in_target)});
      words += static_cast<double>(count.in_target);
      left += ranks.back().target_letters;
    }
    std::ranges::sort(ranks, [](const Rank& a, const Rank& b) {
      return std::pair(-a.all, a.target_letters) < std::pair(-b.all, b.target_letters);
    });
    WordLengths lengths;
    std::size_t rank = 0;
    for (std::size_t i = 0; i < WordLengths::kRanks; ++i) {
      for (; rank < std::min(ranks.size(), std::size_t{1} << i); ++rank)
        left -= ranks[rank].target_letters;
      lengths.beyond[i] = std::max(left, 0.0) / std::max(words, 1.0);
    }
    return lengths;
  }

 private:
  static constexpr int64_t kPairs = 100'000;
  struct Count {
    int64_t all = 0, in_target = 0;
  };
  std::unordered_map<std::string, Count> words_;
  int64_t pairs_ = 0;
};

/// The characters of both sides, without blanks.
class Characters {
 public:
  void add(const std::string& line) {
    for (const char32_t c : text::decode_utf8(line))
      if (!text::is_space(c)) seen_[c] = true;
  }
  int64_t count() const { return std::ranges::count(seen_, true); }

 private:
  std::vector<bool> seen_ = std::vector<bool>(0x110000);
};

/// A pair of files, written line by line.
class PairFile {
 public:
  explicit PairFile(const CorpusFiles& files) : source_(files.source), target_(files.target) {}
  void write(const PairOfLines& pair) {
    source_.write(pair.source + "\n");
    target_.write(pair.target + "\n");
    ++count_;
  }
  std::vector<AtomicFile*> files() { return {&source_, &target_}; }
  int64_t count() const { return count_; }

 private:
  AtomicFile source_, target_;
  int64_t count_ = 0;
};

/// Calls visit(pair, facts) for each pair that has text.
template <class Visit>
void for_each_pair(const CorpusFiles& files, ProgressBar& bar, const Visit& visit) {
  PairReader reader(files);
  for (PairOfLines pair; reader.next(pair); bar.add()) {
    signals::stop_if_interrupted();
    const PairFacts facts = facts_of(pair);
    if (!facts.blank()) visit(pair, facts);
  }
}

/// The lines that are in more than one pair of a corpus.
class RepeatedLines {
 public:
  RepeatedLines(const CorpusFiles& files, ProgressBar& bar) {
    HashSet sources, targets;
    for_each_pair(files, bar, [&](const PairOfLines&, const PairFacts& facts) {
      if (!sources.insert(facts.source.hash)) sources_.insert(facts.source.hash);
      if (!targets.insert(facts.target.hash)) targets_.insert(facts.target.hash);
    });
  }
  bool has_side_of(const PairFacts& pair) const {
    return sources_.contains(pair.source.hash) || targets_.contains(pair.target.hash);
  }

 private:
  HashSet sources_, targets_;
};

/// The sort key of a pair in the choice of held-out pairs: the smallest are held out.
struct PairKey {
  bool repeated = false;            // another pair has one of its sides
  uint64_t order = 0;               // a hash of the text alone
  uint64_t source = 0, target = 0;  // the hashes of its sides
  auto operator<=>(const PairKey&) const = default;
};

uint64_t order_by_text(const PairFacts& facts) {
  uint64_t state = facts.hash();
  return splitmix64(state);
}

/// The smallest keys of the corpus, at most `count`, each once, sorted by `order`, so that
/// repeated ones are spread over all.
std::vector<PairKey> first_keys(const CorpusFiles& files, std::size_t count, ProgressBar& bar) {
  const RepeatedLines repeated(files, bar);
  std::set<PairKey> keys;
  for_each_pair(files, bar, [&](const PairOfLines&, const PairFacts& facts) {
    const PairKey key{repeated.has_side_of(facts), order_by_text(facts), facts.source.hash,
                      facts.target.hash};
    if (keys.size() < count || (count > 0 && key < *keys.rbegin())) keys.insert(key);
    if (keys.size() > count) keys.erase(std::prev(keys.end()));
  });
  std::vector<PairKey> first(keys.begin(), keys.end());
  std::ranges::sort(first, {}, &PairKey::order);
  return first;
}

}  // namespace

double WordLengths::beyond_rank(double words) const {
  const double place = std::clamp(std::log2(std::max(words, 1.0)), 0.0, double{kRanks - 1});
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, kRanks - 1);
  const double share = place - static_cast<double>(below);
  return (1 - share) * beyond[below] + share * beyond[above];
}

CorpusShape shape_of(const CorpusFiles& files) {
  CorpusShape shape;
  SideCounts source, target;
  Characters characters;
  WordCounts words;
  SlipFinder slips;
  ProgressBar bar("pairs read");
  PairReader reader(files);
  for (PairOfLines pair; reader.next(pair); bar.add()) {
    signals::stop_if_interrupted();
    slips.add_source(marks_of(pair.source));
    slips.add_target(marks_of(pair.target));
    shape.has_header = shape.has_header || is_header(pair);
    const PairFacts facts = facts_of(pair);
    if (facts.blank()) {
      ++shape.blank;
      continue;
    }
    ++shape.pairs;
    shape.identical += facts.source.hash == facts.target.hash;
    source.add(pair.source, facts.source);
    target.add(pair.target, facts.target);
    characters.add(pair.source);
    characters.add(pair.target);
    words.add(pair);
  }
  reader.warn_of_damage();
  shape.slips = slips.finish();
  shape.source_words = source.words();
  shape.target_words = target.words();
  shape.target_letters = target.letters();
  shape.longest = std::max(source.longest(), target.longest());
  shape.source_types = source.types();
  shape.target_types = target.types();
  shape.characters = characters.count();
  shape.target_lengths = words.lengths();
  shape.source_script = source.script();
  shape.target_script = target.script();
  return shape;
}

SplitCounts split(const CorpusFiles& files, int64_t valid, int64_t test, const SplitFiles& to,
                  int64_t pairs) {
  constexpr int64_t kReadings = 3;
  const std::size_t held_out = static_cast<std::size_t>(valid) + static_cast<std::size_t>(test);
  ProgressBar bar("pairs read, to split them", kReadings * pairs);
  const std::vector<PairKey> keys = first_keys(files, held_out, bar);
  const auto refuse = [&] {
    throw UserError("{}: {}; {} for validation and {} for test leave none to train on",
                    files_text(files.source, files.target),
                    counted(std::ssize(keys), "different pair"), valid, test);
  };
  if (keys.size() < held_out) refuse();
  PairFile train_file(to.train);
  std::optional<PairFile> valid_file, test_file;
  if (valid > 0) valid_file.emplace(to.valid);
  if (test > 0) test_file.emplace(to.test);
  HashSet sources, targets;  // hashes of the sides that are held out
  for (const PairKey& key : keys) {
    sources.insert(key.source);
    targets.insert(key.target);
  }
  std::vector<bool> written(held_out);
  SplitCounts counts;
  for_each_pair(files, bar, [&](const PairOfLines& pair, const PairFacts& facts) {
    const uint64_t order = order_by_text(facts);
    const auto found = std::ranges::lower_bound(keys, order, {}, &PairKey::order) - keys.begin();
    if (found == std::ssize(keys) || keys[found].order != order) {
      train_file.write(pair);
      counts.overlap += sources.contains(facts.source.hash) || targets.contains(facts.target.hash);
    } else if (written[found]) {
      ++counts.left_out;
    } else {
      (found < valid ? valid_file : test_file)->write(pair);
      written[found] = true;
    }
  });
  if (train_file.count() == 0) refuse();
  std::vector<AtomicFile*> together = train_file.files();
  for (auto* part : {&valid_file, &test_file})
    if (*part) std::ranges::copy((*part)->files(), std::back_inserter(together));
  AtomicFile::commit_together(together);
  counts.train = train_file.count();
  counts.valid = valid;
  counts.test = test;
  return counts;
}

}  // namespace heed::data
