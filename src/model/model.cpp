#include "model/model.h"

#include <ATen/ATen.h>

#include <cstddef>
#include <memory>
#include <unordered_set>

#include "base/error.h"
#include "data/batch.h"
#include "model/device.h"
#include "model/recurrent/recurrent.h"
#include "model/transformer/sentences.h"
#include "model/transformer/transformer.h"

namespace heed::model {

ModelPtr make_model(const ModelConfig& config, const VocabularySizes& vocabulary) {
  expect(vocabulary.source > 0 && vocabulary.target > 0, "vocabularies have pieces");
  return config.type == ModelType::rnn ? make_recurrent(config, vocabulary)
                                       : make_transformer(config, vocabulary);
}

void reorder(State& state, const Tensor& sentences, const Tensor& hypotheses) {
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

Source make_source(const data::Batch& batch, const at::Device& device) {
  Source source;
  source.lengths = upload_numbers(batch.source_lengths, at::kCPU);
  source.tokens = upload_numbers(batch.source, device).view({batch.size, batch.source_length});
  source.valid =
      upload(at::arange(batch.source_length).unsqueeze(0) < source.lengths.unsqueeze(1), device);
  return source;
}

TargetInput make_target_input(const data::Batch& batch, const at::Device& device) {
  return {upload_numbers(batch.target_input, device).view({batch.size, batch.target_length}),
          upload_numbers(batch.target_lengths, at::kCPU)};
}

SentencesPtr unpadded_sentences(const std::vector<int64_t>& lengths, int64_t longest,
                                const at::Device& device) {
  return std::make_shared<const SentenceLayout>(sentence_layout(lengths, longest, device));
}

void overwrite(const SentenceLayout& to, const SentenceLayout& from) {
  expect(to.lengths.size() == from.lengths.size() && to.longest == from.longest,
         "as many sentences of the same length");
  const std::vector<Tensor> into{to.positions, to.padded_indices, to.starts};
  const std::vector<Tensor> numbers{from.positions, from.padded_indices, from.starts};
  for (std::size_t i = 0; i < into.size(); ++i) {
    expect(into[i].sizes() == numbers[i].sizes(), "as many positions");
    Tensor(into[i]).copy_(numbers[i]);
  }
}

int64_t count_parameters(const Model& model) {
  std::unordered_set<const void*> seen;
  int64_t count = 0;
  for (const Tensor& parameter : model.parameters())
    if (parameter.requires_grad() && seen.insert(parameter.unsafeGetTensorImpl()).second)
      count += parameter.numel();
  return count;
}

}  // namespace heed::model
