#include "data/split.h"

#include <algorithm>
#include <array>

#include "base/files.h"
#include "base/random.h"
#include "base/strings.h"
#include "data/hash_set.h"
#include "data/pair_reader.h"
#include "text/utf8.h"

namespace heed::data {
namespace {

/// Of one side.
class Side {
 public:
  void add(const std::string& line, const LineFacts& facts) {
    ++scripts_[static_cast<std::size_t>(facts.script)];
    const auto words = split_words(line);
    count += std::ssize(words);
    longest = std::max<int64_t>(longest, std::ssize(words));
    for (const std::string& word : words) types_.insert(std::hash<std::string>()(word));
  }
  int64_t types() const { return static_cast<int64_t>(types_.size()); }
  text::Script script() const {
    return static_cast<text::Script>(std::ranges::max_element(scripts_) - scripts_.begin());
  }

  int64_t count = 0, longest = 0;

 private:
  std::array<int64_t, text::kScripts> scripts_{};
  HashSet types_;
};

/// A pair of files, written line by line.
class PairFile {
 public:
  explicit PairFile(const CorpusFiles& files) : source_(files.source), target_(files.target) {}
  void write(const PairOfLines& pair) {
    source_.write(pair.source + "\n");
    target_.write(pair.target + "\n");
    ++count;
  }
  void commit() {
    source_.commit();
    target_.commit();
  }
  int64_t count = 0;

 private:
  AtomicFile source_, target_;
};

/// In [0, 1), by the text alone.
double place_of(uint64_t hash) {
  uint64_t state = hash;
  return static_cast<double>(splitmix64(state) >> 11) * 0x1.0p-53;
}

}  // namespace

CorpusShape shape_of(const CorpusFiles& files) {
  CorpusShape shape;
  Side source, target;
  PairReader reader(files);
  for (PairOfLines pair; reader.next(pair);) {
    const PairFacts facts = facts_of(pair);
    if (facts.blank()) {
      ++shape.blank;
      continue;
    }
    ++shape.pairs;
    source.add(pair.source, facts.source);
    target.add(pair.target, facts.target);
  }
  reader.warn_of_repairs();
  shape.source_words = source.count;
  shape.target_words = target.count;
  shape.longest = std::max(source.longest, target.longest);
  shape.source_types = source.types();
  shape.target_types = target.types();
  shape.source_script = source.script();
  shape.target_script = target.script();
  return shape;
}

SplitCounts split(const CorpusFiles& files, int64_t pairs, int64_t valid, int64_t test,
                  const SplitFiles& to) {
  const double of_valid =
      static_cast<double>(valid) / static_cast<double>(std::max<int64_t>(1, pairs));
  const double of_test =
      static_cast<double>(test) / static_cast<double>(std::max<int64_t>(1, pairs));
  PairFile train_file(to.train), valid_file(to.valid), test_file(to.test);
  HashSet held_out;
  SplitCounts counts;
  PairReader reader(files);
  for (PairOfLines pair; reader.next(pair);) {
    const PairFacts facts = facts_of(pair);
    if (facts.blank()) continue;
    const double place = place_of(facts.hash());
    if (place >= of_valid + of_test) {
      train_file.write(pair);
    } else if (!held_out.insert(facts.hash())) {
      ++counts.left_out;
    } else {
      (place < of_valid ? valid_file : test_file).write(pair);
    }
  }
  for (PairFile* file : {&train_file, &valid_file, &test_file}) file->commit();
  counts.train = train_file.count;
  counts.valid = valid_file.count;
  counts.test = test_file.count;
  return counts;
}

}  // namespace heed::data
