// Pairs with flaws, left out while a corpus is read.
#pragma once

#include <optional>
#include <vector>

#include "data/flaws.h"
#include "data/pair_reader.h"

namespace heed::data {

/// What is left out.
struct Cleaning {
  Flaws flaws;
  double ratio = 0;                   // for Flaw::ratio
  std::vector<CorpusFiles> held_out;  // for Flaw::overlap
};

/// Whether data.clean names the flaw.
bool leaves_out(const DataConfig& config, Flaw flaw);

/// As data.clean and data.clean_ratio say; data.valid and data.test are held out.
Cleaning cleaning_of(const DataConfig& config);

class Cleaner {
 public:
  /// Reads the held-out files where Flaw::overlap is to be left out.
  explicit Cleaner(const Cleaning& cleaning);
  Cleaner(const Cleaner&) = delete;
  Cleaner& operator=(const Cleaner&) = delete;

  /// These files come next; read once before for Flaw::script.
  void begin(const CorpusFiles& files);

  /// The first flaw of the pair among those that are to be left out.
  std::optional<Flaw> flaw_of(const PairOfLines& lines);

 private:
  Flaws flaws_;
  HeldOut held_out_;
  FlawFinder finder_;
};

}  // namespace heed::data
