// heed init --from RUN: what a run passes on to a configuration that trains its model on other text
// (fine-tuning).
#pragma once

#include <functional>
#include <string>

#include "run/config.h"
#include "run/recipe.h"

namespace heed::run {

/// config.yaml of the run. Throws UserError where the folder has no trained model.
Config config_of_base(const std::string& run);

/// Network, decoding and optimizer of the run. The learning rate is a third of the highest one that
/// the run had, and a few epochs are enough. Batches are made smaller as in recipe_for().
Recipe tuning_recipe(const Config& base, const std::string& run, const data::CorpusShape& shape,
                     const Machine& machine);

/// Where more than one in a hundred of the first lines of `corpus` has a piece that the run's
/// vocabulary does not know, writes vocabularies with more pieces into `folder` and names them in
/// the recipe. `claim` is asked before a file is written.
void extend_vocabularies(const Config& base, const std::string& run, const data::CorpusShape& shape,
                         const data::CorpusFiles& corpus, const std::string& folder,
                         const std::function<void(const std::string& path)>& claim, Recipe& recipe);

}  // namespace heed::run
