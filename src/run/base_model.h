// training.from: the trained model that a run begins with.
#pragma once

#include <string>

#include "run/config.h"
#include "run/model_folder.h"

namespace heed::run {

/// Before minutes of work: whether there is such a model, with as many vocabularies. Throws
/// UserError.
void require_base(const Config& config);

/// What the section data.vocabulary asks for in vain, because the run has the base's vocabulary;
/// empty where there is nothing. Keys that have their default are not told from those that are not
/// set. After require_base().
std::string vocabulary_wishes_in_vain(const Config& config);

/// Whether that model has the network of the section `model`. Throws UserError that names the keys
/// with both values, behind `name`.
void require_base_network(const Config& config, const std::string& name = "");

/// The base's own vocabularies, or those that data.vocabulary names, where they extend the base's:
/// the same pieces under the same ids, and more behind them. Throws UserError.
Vocabularies vocabularies_from_base(const Config& config);

/// The base's weights become the run's. The rows of pieces that the base does not know, of
/// embeddings and output layer, are the mean of the base's pieces that spell the new one. Throws
/// UserError that names the first tensor of another size.
void take_base_weights(const ModelFolder& run);

/// The base itself, ready to translate on the run's device and threads.
ModelFolder open_base(const ModelFolder& run);

}  // namespace heed::run
