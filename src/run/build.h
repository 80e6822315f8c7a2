// The parts that a training run begins with: vocabularies, a fresh model, the training pairs, and
// the trained model of training.from.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/config.h"
#include "ranks/group.h"
#include "run/config.h"
#include "run/folder.h"
#include "run/model_folder.h"
#include "text/piece_rule.h"
#include "text/vocabulary.h"
#include "text/vocabulary_training.h"
#include "train/update.h"

namespace heed::data {
struct Batch;          // data/batch.h
struct BatchOptions;   // data/batches.h
class Corpus;          // data/corpus.h
struct CorpusReading;  // data/corpus_reader.h
}  // namespace heed::data

namespace heed::run {

/// Returns how the text of a side is cut where data.vocabulary.algorithm is pieces. Throws
/// UserError naming data.vocabulary.codes where the file cannot be read.
text::PieceRule piece_rule(const Config& config, bool sources);

/// Opens a vocabulary that data.vocabulary names: SentencePiece's, or as text::load_pieces().
text::Vocabulary ready_vocabulary(const std::string& file,
                                  const text::VocabularyTraining& training);

/// Returns how the vocabulary of both sides or of one is trained.
text::VocabularyTraining vocabulary_training(const Config& config, bool sources, bool targets);

/// Throws UserError that begins with `key` where a vocabulary that is there already lacks one of
/// the symbols, or what the config's byte_fallback or subword_sampling needs.
void require_serves(const text::Vocabulary& vocabulary, const Config& config,
                    const std::vector<std::string>& symbols, const std::string& key);

/// Loads the models named in the config, or trains those that `trained` lacks on the training
/// corpus. With training.from they are the base's, or extend them: the same pieces under the same
/// ids, and more after them. Throws UserError.
Vocabularies make_vocabularies(const Config& config, const TrainedVocabularies& trained = {});

/// Decides training.micro_batches: 0 for a run on this device, in so many ranks.
void decide_parts(Config& config, const at::Device& device, int64_t ranks);

/// A fresh model of the config's seed, with what belongs to a run's folder: on a device, or on the
/// config's. With training.adapters it has the base's weights already, and adapters.
ModelFolder fresh_model(Config config, const std::string& folder, const Vocabularies& vocabularies,
                        const at::Device& device);
ModelFolder fresh_model(Config config, const std::string& folder, const Vocabularies& vocabularies);

/// Makes models of the run's kind, for the workers of its training.
train::MakeModel another_model(const ModelFolder& run);

/// Returns the options of batches in the configuration; all of this process's threads do subword
/// sampling.
data::BatchOptions batch_options(const Config& config);

/// Returns how the training pairs are read, as the `data` section says and as the model can take
/// them.
data::CorpusReading training_reading(const Config& config);

/// Returns how the pairs are read whose loss is measured: the memory that they take grows with the
/// square of their length, so that long ones are left out.
data::CorpusReading validation_reading(const Config& config);

/// The pairs of a validation set whose loss is measured, and a warning that counts the others. None
/// without a set.
std::vector<data::Batch> validation_batches(const ModelFolder& folder,
                                            const data::CorpusFiles& files);

/// The training pairs of all ranks: one of each machine encodes them, the others map what it has.
/// Collective.
std::shared_ptr<const data::Corpus> training_corpus(const ModelFolder& run, ranks::Group& group);

/// The run's training pairs, encoded; a large corpus keeps its ids in a nameless file in the run's
/// folder, or in memory where it has none. `shared`: other processes can map them.
std::shared_ptr<const data::Corpus> training_corpus(const ModelFolder& run, bool shared = false);

/// Checks, before minutes of work, that there is such a model, with as many vocabularies. Throws
/// UserError.
void require_base(const Config& config);

/// Returns what the section data.vocabulary asks for in vain, because the run has the base's
/// vocabulary; empty where there is nothing. Keys with their default count as not set. It is called
/// after require_base().
std::string unused_vocabulary_keys(const Config& config);

/// What a warning says of keys of the model that are set and belong to the other kind of network,
/// or "". Saved configurations have all keys, most with their defaults.
std::string unused_model_keys(const Config& config);

/// Whether that model has the network of the section `model`. Throws UserError that names the keys
/// with both values, after `name`.
void require_base_network(const Config& config, const std::string& name = "");

/// The base's weights become the run's. The rows of pieces that the base does not know, of
/// embeddings and output layer, are the mean of the base's pieces that spell the new one. Throws
/// UserError that names the first tensor of another size.
void take_base_weights(const ModelFolder& run);

/// The base itself, ready to translate on the run's device and threads. On a CPU it translates in
/// the run's precision where its own leaves that open.
ModelFolder open_base(const ModelFolder& run);

}  // namespace heed::run
