// Moving the rows of a decoder's state while sentences finish and beams are reordered.
#include <ATen/ATen.h>

#include "model/model.h"

namespace heed::model {

void go_on_with(State& state, const Tensor& sentences, const Tensor& hypotheses) {
  if (sentences.defined())
    for (Tensor& tensor : state.memory)
      if (tensor.defined()) tensor = tensor.index_select(0, sentences);
  const Tensor rows = hypotheses.defined() ? hypotheses.flatten() : Tensor();
  for (Tensor& tensor : state.carried) {
    if (!tensor.defined()) continue;
    if (rows.defined())
      tensor = tensor.flatten(0, 1).index_select(0, rows).unflatten(0, hypotheses.sizes());
    else if (sentences.defined())
      tensor = tensor.index_select(0, sentences);
  }
}

void reorder_beams(State& state, const Tensor& parents) {
  int64_t beam = 1;
  for (const Tensor& tensor : state.carried)
    if (tensor.defined()) beam = tensor.size(1);
  const Tensor first = at::arange(parents.size(0), parents.options()).mul_(beam).unsqueeze(1);
  go_on_with(state, {}, parents + first);
}

}  // namespace heed::model
