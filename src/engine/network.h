// A network laid out for translating on a CPU, and the steps of decoding one batch with it. Plain
// numbers in, plain numbers out.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/matrix.h"
#include "engine/output_product.h"
#include "engine/threads.h"
#include "engine/weights.h"
#include "model/description/config.h"

namespace heed::engine {

/// The source side of a batch.
struct SourceBatch {
  const int64_t* tokens = nullptr;    // [sentences, length], each padded at its end
  const int64_t* lengths = nullptr;   // [sentences], eos included, each >= 1
  int64_t sentences = 0, length = 0;  // length: of the longest
  /// The pieces that have logits, for each sentence; empty: all pieces have logits.
  std::span<const PieceList> lists = {};
};

/// A range of neighbouring rows.
struct Span {
  int64_t begin = 0, count = 0;
};

/// The sentences of a batch one after another, without padding.
std::vector<Span> spans_of(const SourceBatch& source);

/// The numbers from which the weights and contexts of one sentence were made: they suffice to
/// compute them again. They have all keys, of those at which no row looks, too. A decoder without
/// attention has queries s(t) and one value, the vector that it gets at every step, and nothing
/// else.
struct HeadNumbers {
  float factor = 1;   // of the products of queries and keys
  int64_t width = 0;  // of a query, a key and a value
  Floats queries;     // [rows, heads, width]: q or s; W s of the additive score
  Floats keys;        // [heads, keys, width]: k, h or W h; U h of the additive score
  Floats values;      // [heads, keys, width]
  Floats vectors;     // [heads, width]: v of the additive score
  Floats scores;      // [rows, heads, keys] with those of positions, -inf where it does not look
  Floats gauss;       // [rows, heads, keys], by which normalised scores are multiplied; or empty
  Floats weights;     // [rows, heads, keys], by which the values are multiplied
  Floats context;     // [rows, heads, width]
};

/// The weights of one layer's heads, [rows, heads, keys]: each row adds up to 1, and is 0 where it
/// does not look. Rows and keys are pieces of the source, the sentences one after another
/// (encoder), or rows are hypotheses, and keys the steps so far (decoder) or pieces of the source
/// (cross).
struct LayerMap {
  model::AttentionKind kind = model::AttentionKind::cross;
  int64_t layer = 0, heads = 0, keys = 0;
  Floats weights = {};
  HeadNumbers numbers = {};  // where `with_numbers` was true

  /// The mean over the heads, [rows, keys].
  Floats mean() const;
};
using LayerMaps = std::vector<LayerMap>;

/// The decoding of one batch: encodes when made, then steps.
class BatchDecoder {
 public:
  virtual ~BatchDecoder() = default;

  /// Computes one step of tokens [sentences, beam], and returns the output layer, which has taken
  /// its rows. `attention`, if not null and the network attends, receives the mean of the last
  /// layer's heads [sentences, beam, source].
  virtual OutputProduct& step(const int64_t* tokens, int64_t beam, Floats* attention) = 0;

  /// Goes on with these sentences, numbered from 0 (empty: with all), and with these hypotheses,
  /// numbered through all sentences that there were, as many for each sentence.
  virtual void reorder(std::span<const int64_t> sentences, std::span<const int64_t> hypotheses) = 0;

  /// The logits of a row, as OutputProduct::columns().
  virtual int64_t columns() const = 0;
};

/// `all` becomes its items `chosen`, in their order; one may be chosen several times.
template <class Item>
void choose(std::vector<Item>& all, std::span<const int64_t> chosen) {
  std::vector<Item> items;
  items.reserve(chosen.size());
  for (const int64_t i : chosen) items.push_back(all[i]);
  all = std::move(items);
}

/// x [rows, width] becomes its rows `chosen`, in their order; a row may be chosen several times.
void choose_rows(Floats& x, int64_t width, std::span<const int64_t> chosen);

/// The word vectors of a side, [vocab, width], and the output layer, tied as `config` says.
const Array& embedding_of(const model::ModelConfig& config, const Weights& weights, bool target);
Linear output_of(const model::ModelConfig& config, const Weights& weights, WeightFormat numbers);

/// Returns the most sentences that a thread decodes together: with more of them the numbers that a
/// step reads no longer fit in the processor's cache, with fewer of them each weight is read too
/// often. Each sentence gets the same bits anyway.
int64_t sentences_together(WeightFormat numbers);

class Network {
 public:
  virtual ~Network() = default;

  /// Encodes, and returns the decoding of the batch, which the network and `threads` must outlive.
  /// `maps`, if not null, then holds the maps of the encoder, and after each step those of the
  /// decoder: every layer and kind of attention. `with_numbers` fills in LayerMap::numbers, for a
  /// single sentence, which is then decoded with a single hypothesis.
  virtual std::unique_ptr<BatchDecoder> start(const SourceBatch& source, const Threads& threads,
                                              LayerMaps* maps = nullptr,
                                              bool with_numbers = false) const = 0;
};

/// A network with these weights, whose batches a `Decoder` decodes.
template <class NetworkWeights, class Decoder>
class NetworkOf : public Network {
 public:
  explicit NetworkOf(NetworkWeights weights) : weights_(std::move(weights)) {}

  std::unique_ptr<BatchDecoder> start(const SourceBatch& source, const Threads& threads,
                                      LayerMaps* maps, bool with_numbers) const override {
    return std::make_unique<Decoder>(weights_, source, threads, maps, with_numbers);
  }

 private:
  NetworkWeights weights_;
};

/// Whether there is a Network for models of `config`: there is none for mechanisms, positions and
/// normalisers of a registry that only LibTorch computes.
bool has_network(const model::ModelConfig& config);

/// Makes the network of a model that has_network(). `weights` may be destroyed afterwards, but not
/// their owners.
std::unique_ptr<Network> make_network(const model::ModelConfig& config, const Weights& weights,
                                      WeightFormat numbers);

}  // namespace heed::engine
