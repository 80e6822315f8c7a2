// The steps of a Transformer on a GPU as graphs (kernels/graph.h), kept from search to search.
//
// A step of few hypotheses takes the host longer to launch than the GPU to compute. A graph has one
// shape and is replayed for each step of that shape: the numbers of sentences, source pieces and
// positions are rounded up to powers of two. The number of hypotheses of a sentence is the same in
// each step.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "decode/model_steps.h"
#include "kernels/graph.h"
#include "model/lowered_layers.h"
#include "model/pointer.h"
#include "model/state.h"
#include "model/transformer/beam_caches.h"

namespace heed::decode {

class RecordedSteps {
 public:
  /// The first model must outlive this object. Logs why there are no graphs, if there are none.
  RecordedSteps(const std::vector<model::Model*>& models, at::Device device,
                at::ScalarType precision);

  /// Begins a search from this state, with `beam` hypotheses of each sentence in each step and at
  /// most `limit` steps. Returns false, and changes nothing, if the search is not recorded.
  bool start(const model::State& state, int64_t beam, int64_t limit);
  /// Logs why a search is not recorded, the first time. Returns false.
  bool refuse(const std::string& why);
  /// Stops recording for all further searches, logs why, and frees all memory; to be called between
  /// searches. Returns whether there may have been memory to free.
  bool give_up(const std::string& why);

  /// Computes a step: tokens [sentences, beam] int64 -> scores of [sentences * beam] rows, which
  /// are valid until the next step.
  CandidateScores step(const Tensor& tokens);
  /// Continues these hypotheses of these sentences, as model::reorder() does.
  void reorder(const Tensor& sentences, const Tensor& hypotheses);

  bool records() const { return records_; }
  int64_t graphs() const { return graphs_; }

 private:
  struct Pass {
    int64_t uses = 0;
    std::unique_ptr<kernels::Graph> graph;
  };

  void release();
  bool make_room(const model::State& state, int64_t beam, const model::BeamsShape& shape);
  int64_t end_of(const model::BeamsShape& shape) const;  // number of positions
  void compute(const model::BeamsShape& shape);
  void record(Pass& pass, const model::BeamsShape& shape);

  model::Model& model_;
  at::Device device_;
  at::ScalarType precision_;
  bool records_ = false, refused_ = false;
  // The tensors that the graphs read and write, of the largest shape.
  std::optional<model::FixedBeams> beams_;
  std::optional<model::LoweredLayers> lowered_;  // none in fp32
  Tensor tokens_;                                // [sentences, beam]
  // [sentences * beam] int64: the hypothesis that each continues, and the identity.
  Tensor hypotheses_, same_;
  Tensor logits_, log_probabilities_;  // [sentences * beam, vocab]
  std::map<model::BeamsShape, Pass> passes_;
  int64_t graphs_ = 0;
  // The state of the search that was begun last.
  int64_t sentences_ = 0, source_ = 0, position_ = 0;
  bool reordered_ = false;
};

}  // namespace heed::decode
