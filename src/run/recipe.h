// The proposals of `heed init` for a corpus and a machine: vocabulary, network, batches, updates;
// with --from, for the model of a run that goes on with other text (fine-tuning).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "config/yaml.h"
#include "data/config.h"
#include "data/split.h"
#include "run/config.h"

namespace heed::run {

/// The resources that a training may use.
struct Machine {
  bool gpu = false;               // it trains on one
  int64_t cores = 1;              // of the CPU: each that is at work needs memory of its own
  std::optional<int64_t> memory;  // bytes that are free, of the GPU where there is one; or unknown
};

/// This one.
Machine this_machine(bool gpu);

struct Recipe {
  config::Yaml network;     // the section `model`, but for its dropout
  bool is_smaller = false;  // a larger one would suit the corpus, but not the memory
  int64_t vocabulary = 8000;
  double dropout = 0.1, learning_rate = 0.0015;
  int64_t update = 1024;   // target pieces
  int64_t accumulate = 1;  // batches that an update is computed in
  int64_t warmup = 400, updates = 1000, epochs = 1;
  std::string tokenizer = "13a";  // for BLEU
  double label_smoothing = 0.1, clip_norm = 1, ema = 0.999;
  config::Yaml own_vocabulary;  // keys of the section `data` in place of a fresh vocabulary
  config::Yaml training;        // keys before those of batches and updates
  config::Yaml decoding = config::Yaml().add("beam_size", 5);  // the whole section
};

/// Sizes that did well in configs/ and in the literature for corpora like this. What would take
/// more than three quarters of the memory (memory_of()) is made smaller: the batches first, with as
/// many pieces in an update as before, then the network. The smallest network is proposed even
/// where it takes more. Where all fits, the number of cores changes nothing but the time.
Recipe recipe_for(const data::CorpusShape& shape, const Machine& machine);

/// The sections `model`, `training`, `decoding` and `evaluation` of a configuration, with comments.
config::Yaml sections_of(const Recipe& recipe);

/// config.yaml of the run. Throws UserError where the folder has no trained model.
Config config_of_base(const std::string& run);

/// Network, decoding (but for its shortlist and inline glossary) and optimizer of the run. The
/// learning rate is a third of the highest one that the run had, and a few epochs are enough.
/// Batches are made smaller as in recipe_for(). With `adapters` these alone are trained, with ten
/// times that rate: Hu et al. 2021 tune RoBERTa with 4e-4 and 5e-4 (table 9), Liu et al. 2019 with
/// 1e-5 to 3e-5.
Recipe tuning_recipe(const Config& base, const std::string& run, const data::CorpusShape& shape,
                     const Machine& machine, bool adapters = false);

/// If more than one in a hundred of the first lines of `corpus` has a piece that the run's
/// vocabulary does not know, writes vocabularies with more pieces into `folder` and names them in
/// the recipe. `claim` is asked before a file is written.
void extend_vocabularies(const Config& base, const std::string& run, const data::CorpusShape& shape,
                         const data::CorpusFiles& corpus, const std::string& folder,
                         const std::function<void(const std::string& path)>& claim, Recipe& recipe);

}  // namespace heed::run
