// The steps of decoding one batch with a Transformer.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/products.h"
#include "engine/transformer.h"

namespace heed::engine {

/// Keys and values of a step are written once and stay where they are; a hypothesis is the list of
/// slots of its own.
class TransformerDecoder : public BatchDecoder {
 public:
  /// As Network::start(). `weights` must outlive it.
  TransformerDecoder(const TransformerWeights& weights, const SourceBatch& source,
                     const Threads& threads, AttentionMaps* maps);

  float* step(const int64_t* tokens, int64_t beam, Floats* attention) override;
  void go_on_with(std::span<const int64_t> sentences, std::span<const int64_t> hypotheses) override;
  int64_t vocabulary() const override { return model_.output.matrix.columns(); }
  int64_t source_length() const override { return source_length_; }

 private:
  int64_t sentences() const { return std::ssize(sources_); }

  using Slots = std::vector<int32_t>;

  /// What a row looks at: the keys at these slots, the first of which is its sentence's key
  /// `first`.
  struct Look {
    std::span<const int32_t> slots;
    int64_t first = 0;
    RowDistances distances = {};
  };

  void encode(const SourceBatch& source);
  void embed(const StackWeights& side, int64_t token, int64_t position, float* to) const;
  template <class Make>
  static const float* row_at(const PositionRows& usual, int64_t position, PositionRows& room,
                             const Make& make);
  const float* before(const LayerNorm& norm);
  void after(const LayerNorm& norm);
  void feed_forward(const LayerWeights& block);
  template <class LookOf>
  void attend(const AttentionWeights& attention, const float* keys_values, const LookOf& look_of,
              AttentionMap* map);
  /// A new one of maps_, which may have none.
  AttentionMap* add_map(model::AttentionKind kind, int64_t layer, int64_t keys);
  void rotate(const StackWeights& side, Floats& x, int64_t first, int64_t rows, int64_t stride,
              int64_t heads, int64_t position);

  /// Of each layer of a side, for sentences of `length` pieces.
  static std::vector<LayerDistances> distances_of(const StackWeights& side, int64_t length);

  const TransformerWeights& model_;
  const Threads& threads_;
  AttentionMaps* const maps_;
  Products products_;
  const int64_t width_;
  const bool pre_;
  int64_t source_length_ = 0, rows_ = 0, position_ = 0;
  int64_t cached_ = 0;                   // rows in each of caches_
  std::vector<Span> sources_;            // of the sentences that are left
  Slots all_;                            // 0, 1, ...: the slots of a memory
  std::vector<Floats> memory_, caches_;  // per layer: keys and values of the source, of the steps
  std::vector<Slots> history_;           // per hypothesis: its slots in the caches
  std::vector<LayerDistances> steps_;    // of the decoder's layers, for steps before steps_end_
  int64_t steps_end_ = 0;
  Floats x_, normed_, queries_, context_, inner_, logits_;
};

}  // namespace heed::engine
