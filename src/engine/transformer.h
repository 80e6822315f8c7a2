// Transformers (model/transformer/) laid out for translating on a CPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/attend.h"
#include "engine/matrix.h"
#include "engine/network.h"
#include "engine/output_product.h"
#include "engine/positions.h"
#include "engine/threads.h"
#include "engine/weights.h"
#include "model/description/config.h"

namespace heed::engine {

struct LayerNorm {
  Floats gamma, beta;
};

struct AttentionWeights {
  LayerNorm norm;
  HeadShape shape;
  std::vector<int64_t> kept;  // the heads that are there
  bool sums = false;          // linear attention: keys and values are kept as sums
  Linear query, keys_values, output;
};

/// The weights of model::Recurrence: `ssru` has the first two, `average` the others.
struct RecurrenceWeights {
  Linear candidate, forget;
  Linear inner, outer, gates;
};

struct LayerWeights {
  AttentionWeights self, cross;  // cross: in the decoder alone
  RecurrenceWeights recurrence;  // in place of `self`, which has its norm alone then
  LayerNorm norm;                // of the feed-forward layers
  Linear inner, outer;
};

struct StackWeights {
  Array embedding;                 // [vocab, width]
  bool begins_with_zeros = false;  // the first word vector is 0
  StackPositions positions;
  std::vector<LayerWeights> blocks;
  LayerNorm norm;            // at the end, with pre-norm
  LayerNorm embedding_norm;  // of embeddings with their positions; empty: none
};

struct TransformerWeights {
  model::ModelConfig config;
  StackWeights encoder, decoder;
  Linear output;
};

/// Whether the engine knows the attention and the positions of `config`.
bool has_transformer(const model::ModelConfig& config);

/// Makes the network of a model that has_transformer().
std::unique_ptr<Network> make_transformer(const model::ModelConfig& config, const Weights& weights,
                                          WeightFormat numbers);

/// Decodes a batch with a Transformer. Keys and values of a step are written once and stay where
/// they are; a hypothesis is a list of slots.
class TransformerDecoder : public BatchDecoder {
 public:
  /// Encodes, as Network::start(). `weights` must outlive this object.
  TransformerDecoder(const TransformerWeights& weights, const SourceBatch& source,
                     const Threads& threads, LayerMaps* maps, bool with_numbers);

  OutputProduct& step(const int64_t* tokens, int64_t beam, Floats* attention) override;
  void reorder(std::span<const int64_t> sentences, std::span<const int64_t> hypotheses) override;
  int64_t columns() const override { return output_.columns(); }

 private:
  int64_t sentences() const { return std::ssize(sources_); }

  using Slots = std::vector<int32_t>;

  /// The keys that a row looks at: those at these slots, the first of which is key number `first`
  /// of its sentence.
  struct Look {
    std::span<const int32_t> slots;
    int64_t first = 0;
    RowDistances distances = {};
  };

  void encode(const SourceBatch& source);
  void embed(const StackWeights& side, int64_t token, int64_t position, float* to) const;
  const float* before(const LayerNorm& norm);
  void after(const LayerNorm& norm);
  /// inner_ = activation(x W^T + b)
  void inner_layer(const Linear& inner, const float* x);
  void feed_forward(const LayerWeights& block);
  void add_slots();
  void attend_to_steps(std::size_t layer);
  /// Linear self-attention of the encoder's rows, whose queries and keys are projected, and of this
  /// step.
  void attend_by_sums(const AttentionWeights& attention, LineFloats& keys_values, LayerMap* map);
  void attend_by_sums_of_steps(std::size_t layer);
  /// Writes the weight that linear attention gives each key that a row looks at: f(q) . f(k) /
  /// counts.
  void write_linear_weights(const HeadShape& shape, const float* keys_values, const Look& look,
                            const float* counts, int64_t row, LayerMap& map) const;
  /// Makes room in `map` for the weights of all rows; does nothing for null.
  void begin_map(const HeadShape& shape, LayerMap* map) const;
  /// x += output(context_)
  void add_context(const AttentionWeights& attention);
  /// The rotations of a position, or null where positions do not rotate.
  const float* rotations_of(const StackWeights& side, int64_t position, Floats& room) const;
  void recur(const LayerWeights& block, Floats& state);
  void add_ssru(const RecurrenceWeights& weights, const float* y, Floats& state);
  void add_average(const RecurrenceWeights& weights, const float* y, Floats& state);
  template <class LookOf>
  void attend(const AttentionWeights& attention, const float* keys_values, const LookOf& look_of,
              LayerMap* map);
  /// Writes the numbers from which a map was made, from queries_ and context_ of its rows.
  void tell(const HeadShape& shape, const float* keys_values,
            const std::function<Look(int64_t row)>& look_of, LayerMap& map) const;
  /// Adds a map to maps_ and returns it; null where maps_ is null.
  LayerMap* add_map(model::AttentionKind kind, int64_t layer, int64_t keys);
  void rotate(const StackWeights& side, LineFloats& x, int64_t first, int64_t rows, int64_t stride,
              int64_t heads, int64_t position);

  /// The distances of each layer of a side, for sentences of `length` pieces.
  static std::vector<LayerDistances> distances_of(const StackWeights& side, int64_t length);

  const TransformerWeights& model_;
  const Threads& threads_;
  LayerMaps* const maps_;
  const bool with_numbers_;
  Products products_;
  OutputProduct output_;
  const int64_t width_;
  const float epsilon_;  // of layer norms
  const bool pre_;
  int64_t source_length_ = 0, rows_ = 0, position_ = 0;
  int64_t cached_ = 0;         // rows in each of caches_
  std::vector<Span> sources_;  // of the sentences that are left
  Slots all_;                  // 0, 1, ...: the slots of a memory
  // Per layer: keys and values of the source, of the steps.
  std::vector<LineFloats> memory_, caches_;
  std::vector<Slots> history_;  // per hypothesis: its slots in the caches
  // Per layer with a recurrence or sums: for each hypothesis its state [width], or its sums.
  std::vector<Floats> states_;
  std::vector<LayerDistances> steps_;  // of the decoder's layers, for steps before steps_end_
  int64_t steps_end_ = 0;
  Floats x_, normed_, context_, gates_, inner_;
  LineFloats queries_, keys_values_;
};

}  // namespace heed::engine
