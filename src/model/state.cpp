// Moving the rows of a decoder's state while sentences finish and beams are reordered.
#include <ATen/ATen.h>

#include "model/model.h"

namespace heed::model {

void keep_sentences(State& state, const Tensor& sentences) {
  for (std::vector<Tensor>* tensors : {&state.memory, &state.carried})
    for (Tensor& tensor : *tensors)
      if (tensor.defined()) tensor = tensor.index_select(0, sentences.to(tensor.device()));
}

void reorder_beams(State& state, const Tensor& parents) {
  for (Tensor& tensor : state.carried) {
    if (!tensor.defined()) continue;
    const int64_t sentences = tensor.size(0), beam = tensor.size(1);
    const Tensor first = at::arange(sentences, parents.options()).mul_(beam).unsqueeze(1);
    const Tensor rows = (parents + first).flatten().to(tensor.device());
    auto shape = tensor.sizes().vec();
    shape[1] = parents.size(1);
    tensor = tensor.flatten(0, 1).index_select(0, rows).view(shape);
  }
}

}  // namespace heed::model
