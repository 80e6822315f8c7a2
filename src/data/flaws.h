// Finds flaws of the pairs of a corpus (HEED_ENUM Flaw in data/config.h), and leaves out pairs with
// flaws while a corpus is read.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "data/config.h"
#include "data/hash_set.h"
#include "data/line_facts.h"
#include "text/copies.h"
#include "text/script.h"

namespace heed::data {

struct PairOfLines;  // data/pair_reader.h

inline constexpr auto kFlaws = static_cast<std::size_t>(Flaw::encoding) + 1;
using Flaws = std::bitset<kFlaws>;  // by Flaw

constexpr std::size_t index_of(Flaw flaw) {
  return static_cast<std::size_t>(flaw);
}

/// The flaw in words, for messages: "a side is blank".
std::string describe(Flaw flaw, double ratio);

/// The sentences of validation and test sets, with a note which of them the training corpus has,
/// too.
class HeldOut {
 public:
  /// Adds the sentences of a pair; blank sides do not count.
  void add(const PairFacts& pair);
  /// Notes which sentences of a training pair are held out; returns true where one of its sides is.
  bool note(const PairFacts& pair);

  bool has_source(const PairFacts& pair) const { return sources_.at(pair.source.hash); }
  bool has_target(const PairFacts& pair) const { return targets_.at(pair.target.hash); }
  bool has_pair(const PairFacts& pair) const { return pairs_.at(pair.hash()); }

 private:
  std::unordered_map<uint64_t, bool> sources_, targets_, pairs_;  // hash: training has it
};

/// Goes through the pairs of one or several files in order.
class FlawFinder {
 public:
  /// Looks for the flaws that are `wanted`. `held_out` may be null: then nothing overlaps.
  FlawFinder(Flaws flaws, double ratio, HeldOut* held_out)
      : flaws_to_find_(flaws), ratio_(ratio), held_out_(held_out) {}

  /// Sets the scripts of the two files that come next; Script::none where scripts are not to be
  /// judged.
  void expect_scripts(text::Script source, text::Script target) {
    source_ = source;
    target_ = target;
  }

  Flaws find(const PairFacts& pair);

 private:
  Flaws flaws_to_find_;
  double ratio_;
  HeldOut* held_out_;
  text::Script source_ = text::Script::none, target_ = text::Script::none;
  HashSet seen_;
};

/// Counts lines by their script.
class ScriptCount {
 public:
  void add(text::Script script) { ++lines_[static_cast<std::size_t>(script)]; }
  /// The script of most lines; Script::none where no line has one.
  text::Script most() const;

 private:
  std::array<int64_t, text::kScripts> lines_{};
};

/// Whether the line's letters are mostly of a script, and not of `expected`.
bool is_of_another_script(const LineFacts& line, text::Script expected);

/// The choice of pairs that are left out.
struct Cleaning {
  Flaws flaws;
  double ratio = 0;                   // limit of Flaw::ratio
  std::vector<CorpusFiles> held_out;  // sets for Flaw::overlap
};

/// Whether data.clean names the flaw.
bool leaves_out(const DataConfig& config, Flaw flaw);

/// The Cleaning for data.clean and data.clean_ratio; data.valid and data.test are held out.
Cleaning cleaning_of(const DataConfig& config);

class Cleaner {
 public:
  /// Reads the held-out files where Flaw::overlap is to be left out.
  explicit Cleaner(const Cleaning& cleaning);
  Cleaner& operator=(Cleaner&&) = delete;

  /// To be called before the pairs of these files. Reads the files once for Flaw::script and
  /// Flaw::identical.
  void begin(const CorpusFiles& files);

  /// The first flaw of the pair among those that are to be left out.
  std::optional<Flaw> flaw_of(const PairOfLines& lines);

 private:
  Flaws flaws_;
  HeldOut held_out_;
  FlawFinder finder_;
  text::CopyLimit copies_;  // of the files of begin()
};

}  // namespace heed::data
