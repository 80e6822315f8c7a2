// A Transformer laid out for translating on a CPU: weights packed for its vector units in fp32,
// bf16 or int8, steps without one call of LibTorch, caches that are never copied.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "model/kernels/attend_rows.h"
#include "model/kernels/packed_matrix.h"
#include "model/model.h"

namespace heed::model {

struct PackedLinear {
  kernels::PackedMatrix matrix;
  std::vector<float> bias;
};

struct PackedNorm {
  std::vector<float> gamma, beta;
};

struct PackedAttention {
  PackedNorm norm;
  PackedLinear query, keys_values, output;
};

struct PackedBlock {
  PackedAttention self, cross;  // cross: in the decoder alone
  PackedNorm norm;              // of the feed-forward layers
  PackedLinear inner, outer;
};

struct PackedSide {
  Tensor embedding;  // [vocab, width] fp32
  Tensor positions;  // learned ones [longest, width], or undefined
  std::vector<PackedBlock> blocks;
  PackedNorm norm;  // at the end, with pre-norm
};

/// As a Model it is the one that it was made of; PackedSearch runs the packed weights.
class PackedTransformer : public Model {
 public:
  /// `inner`: a Transformer on the CPU in fp32, whose weights must not change from now on.
  PackedTransformer(ModelPtr inner, const ModelConfig& config, kernels::Numbers numbers);

  Tensor features(const Source& source, const Tensor& input, Trace* trace) override {
    return inner_->features(source, input, trace);
  }
  Tensor logits(const Tensor& features) override { return inner_->logits(features); }
  OutputWeights output() override { return inner_->output(); }
  State start(const Source& source, Trace* trace) override { return inner_->start(source, trace); }
  Tensor step(const Tensor& tokens, State& state, Trace* trace) override {
    return inner_->step(tokens, state, trace);
  }
  int64_t longest() const override { return inner_->longest(); }
  bool attends() const override { return true; }

 private:
  friend class PackedSearch;
  ModelConfig config_;
  ModelPtr inner_;
  kernels::Numbers numbers_;
  kernels::HeadShape shape_;
  PackedSide encoder_, decoder_;
  PackedLinear output_;
  std::vector<float> position_rows_;  // sinusoids [positions, width], or turns [positions, head]
};

/// `model` packed, or null where it is no Transformer on a CPU in fp32.
std::shared_ptr<PackedTransformer> pack(const ModelPtr& model, kernels::Numbers numbers);

/// The decoding of one batch: encodes when made, then steps. Keys and values of a step are written
/// once and stay where they are; a hypothesis is the list of places of its own.
class PackedSearch {
 public:
  PackedSearch(const PackedTransformer& model, const Source& source);

  /// One step: tokens [sentences, beam] -> logits [sentences, beam, vocab], valid until the next.
  /// `attention`, if not null, receives the mean of the last layer's heads [sentences, beam,
  /// source].
  float* step(const int64_t* tokens, int64_t beam, std::vector<float>* attention = nullptr);

  int64_t sentences() const { return static_cast<int64_t>(sources_.size()); }
  int64_t vocabulary() const { return model_.output_.matrix.columns(); }
  int64_t source_length() const { return source_length_; }

  /// As keep_sentences and reorder_beams: [kept], and [sentences, beam] indices into the old beam.
  void keep(const int64_t* kept, int64_t count);
  void reorder(const int64_t* parents, int64_t beam);

 private:
  struct Span {
    int64_t begin, count;  // rows of memory_
  };
  using Rows = std::vector<float>;
  using Places = std::vector<int32_t>;

  void encode(const Source& source);
  void embed(const PackedSide& side, int64_t token, int64_t position, float* to) const;
  const float* position_row(int64_t position, Rows& room) const;
  /// to (+)= x W + b, or max(0, .) of it, the columns shared by this thread's helpers.
  void product(const PackedLinear& linear, float* to, kernels::Finish finish = {});
  void take(const PackedLinear& linear, const float* x, int64_t rows);
  const float* before(const PackedNorm& norm);
  void after(const PackedNorm& norm);
  void feed_forward(const PackedBlock& block);
  template <class PlacesOf>
  void attend(const PackedAttention& attention, const float* keys_values, const PlacesOf& places,
              std::vector<float>* weights = nullptr);
  void turn(Rows& x, int64_t first, int64_t rows, int64_t stride, int64_t heads, int64_t position);

  const PackedTransformer& model_;
  const int64_t width_, shared_;  // shared: width of the keys
  const bool pre_;
  int64_t source_length_ = 0, rows_ = 0, position_ = 0;
  std::vector<Span> sources_;          // of the sentences that are left
  Places all_;                         // 0, 1, ...: the places of a memory
  std::vector<Rows> memory_, caches_;  // per layer: keys and values of the source, of the steps
  std::vector<Places> history_;        // per hypothesis: its places in the caches
  Rows x_, normed_, queries_, context_, inner_, logits_;
  kernels::Rows taken_;
};

}  // namespace heed::model
