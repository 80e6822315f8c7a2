// Forward and backward of a model as graphs of a GPU (kernels/graph.h): with a recurrent decoder
// whose attention enters its next step, thousands of launches become one.
//
// A graph is of one shape: so many sentences, longest sentences, and, for models that compute
// nothing for padding, source positions. Numbers of batches are rounded up to few shapes, and what
// a batch lacks is filled with sentences of padding and with target positions whose losses have the
// weight 0. They come last, so that the others lie where they would lie without them.
#pragma once

#include <c10/core/Device.h>

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/side_work.h"
#include "model/lowered_layers.h"
#include "model/pointer.h"
#include "train/config.h"
#include "train/shard.h"

namespace heed::data {
struct Batch;  // data/batch.h
}  // namespace heed::data

namespace heed::train {

/// The shape of batches for which a graph is recorded.
struct PassShape {
  int64_t sentences = 0, source_length = 0, target_length = 0;  // padded to these lengths
  int64_t source = 0, target = 0;                               // positions that are no padding

  auto operator<=>(const PassShape&) const = default;
};

/// Returns the shape for a model that computes padding, too: `source` is 0, whatever the batch has.
PassShape padded_shape(const data::Batch& batch);
/// Returns the shape for a model that does not compute padding: the smallest one that holds the
/// batch and a sentence of padding, which has at least one position on either side and at most as
/// many as the longest sentence. Both lengths are those of the longest sentence of either side.
PassShape unpadded_shape(const data::Batch& batch);

/// Lengths of a shape's sentences: `lengths`, then those of padding, all together `positions`.
std::vector<int64_t> filled_lengths(const std::vector<int64_t>& lengths, int64_t sentences,
                                    int64_t longest, int64_t positions);

class RecordedPass {
 public:
  /// Model and config must outlive this object.
  RecordedPass(model::Model& model, const TrainConfig& config, at::Device device,
               at::ScalarType precision);
  ~RecordedPass();

  /// Why nothing is recorded, as far as one knows before the first batch; empty: it is.
  const std::string& why_not() const { return why_not_; }

  struct RecordedSums {
    Tensor losses;        // LossSum::numbers()
    Gradients gradients;  // of trainable_list()
  };
  /// Sums over the batch, the gradient times `scale`. Their content is valid until the next call.
  /// Dropout is drawn from the device's generator. Once there are many graphs, batches of other
  /// shapes are computed as they would be recorded. Nothing where this batch cannot be; why is then
  /// logged once, and nothing is recorded from there on.
  std::optional<RecordedSums> run(const data::Batch& batch, double scale);

 private:
  struct Recorded;

  void compute(const data::Batch& batch, double scale);
  RecordedSums sums() const;
  void fill(Recorded& pass, const data::Batch& batch, const PassShape& shape, double scale) const;
  void lower_weights();
  void compute(const Recorded& pass);

  model::Model& model_;
  std::vector<Tensor> parameters_;
  const TrainConfig& config_;
  at::Device device_;
  at::ScalarType precision_;
  std::string why_not_;
  bool unpadded_ = false;         // whether the model computes nothing for padding
  RecordedSums sums_;             // what all graphs write into
  std::vector<bool> is_trained_;  // of each parameter: whether it gets a gradient
  // Copies of weights in low precision, and the stream for gradients of weights; both may be none.
  std::optional<model::LoweredLayers> lowered_;
  std::optional<kernels::SideWork> side_;
  std::map<PassShape, std::unique_ptr<Recorded>> recorded_;
};

}  // namespace heed::train
