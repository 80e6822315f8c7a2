#include "model/transformer/heads.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/format.h"
#include "config/schema.h"
#include "model/model.h"

namespace heed::model {
namespace {

/// The name of the output projection's weight: "encoder.0.attention.output.weight".
std::string output_of(AttentionKind kind, int64_t layer) {
  return names::within(names::within(names::attention(kind, layer), names::kOutput), "weight");
}

std::map<std::string, Tensor> parameters_of(const Model& model) {
  std::map<std::string, Tensor> out;
  for (const auto& item : model.named_parameters()) out.emplace(item.key(), item.value());
  return out;
}

/// The index in `all` of each of `heads`.
std::vector<int64_t> indices_in(const std::vector<int64_t>& all,
                                const std::vector<int64_t>& heads) {
  std::vector<int64_t> indices;
  for (const int64_t one : heads) {
    const auto index = index_among(all, one);
    expect(index.has_value(), "a head that the model has");
    indices.push_back(*index);
  }
  return indices;
}

/// The rows of these heads in a matrix of `parts` blocks, each with the rows of all heads.
Tensor rows_of(const std::vector<int64_t>& indices, int64_t all, int64_t head, int64_t parts) {
  std::vector<int64_t> rows;
  for (int64_t part = 0; part < parts; ++part)
    for (const int64_t index : indices)
      for (int64_t i = 0; i < head; ++i) rows.push_back((part * all + index) * head + i);
  return at::tensor(rows, at::kLong);
}

struct AttentionModule {
  AttentionKind kind;
  int64_t layer;
};

std::vector<AttentionModule> attentions_of(const ModelConfig& config) {
  std::vector<AttentionModule> all;
  for (int64_t layer = 0; layer < config.encoder_layers; ++layer)
    all.push_back({AttentionKind::encoder, layer});
  for (const AttentionKind kind : {AttentionKind::decoder, AttentionKind::cross}) {
    if (kind == AttentionKind::decoder && config.decoder != DecoderKind::attention) continue;
    for (int64_t layer = 0; layer < config.decoder_layers; ++layer) all.push_back({kind, layer});
  }
  return all;
}

}  // namespace

std::string name_of(const HeadIndex& head) {
  return fmt::format("{}.{}.{}", config::name_of(head.kind), head.layer, head.head);
}

std::vector<HeadIndex> heads_of(const ModelConfig& config) {
  std::vector<HeadIndex> out;
  for (const auto& [kind, layer] : attentions_of(config))
    for (const int64_t head : kept_heads(config, kind, layer)) out.push_back({kind, layer, head});
  return out;
}

Replaced silenced(const Model& model, const ModelConfig& config,
                  const std::vector<HeadIndex>& heads) {
  const at::NoGradGuard no_gradients;
  Replaced weights;
  const auto parameters = parameters_of(model);
  const int64_t width = config.width / config.heads;
  for (const HeadIndex& head : heads) {
    const Tensor& weight = parameters.at(output_of(head.kind, head.layer));
    const auto kept = kept_heads(config, head.kind, head.layer);
    const Tensor columns =
        weight.narrow(1, indices_in(kept, {head.head})[0] * width, width);  // [width, head]
    weights.replace(columns, at::zeros_like(columns));
  }
  return weights;
}

void copy_without_heads(const Model& model, const ModelConfig& config, Model& smaller,
                        const ModelConfig& smaller_config) {
  const at::NoGradGuard no_gradients;
  const auto from = parameters_of(model);
  auto to = parameters_of(smaller);
  const int64_t head = config.width / config.heads;
  for (const auto& [kind, layer] : attentions_of(config)) {
    const auto before = kept_heads(config, kind, layer);
    const auto after = kept_heads(smaller_config, kind, layer);
    if (before == after) continue;  // heads that share keys are never pruned
    const auto indices = indices_in(before, after);
    const auto all = static_cast<int64_t>(before.size());
    const auto take_rows = [&](const char* part, int64_t parts) {
      for (const char* which : {"weight", "bias"}) {
        const auto found =
            to.find(names::within(names::within(names::attention(kind, layer), part), which));
        if (found == to.end()) continue;
        const Tensor& all_rows = from.at(found->first);
        found->second.copy_(
            all_rows.index_select(0, rows_of(indices, all, head, parts).to(all_rows.device())));
        to.erase(found);
      }
    };
    take_rows(names::kProjection, kind == AttentionKind::cross ? 2 : 3);
    take_rows(names::kQuery, 1);
    const auto output_columns = to.find(output_of(kind, layer));
    const Tensor& output = from.at(output_columns->first);
    output_columns->second.copy_(
        output.index_select(1, rows_of(indices, all, head, 1).to(output.device())));
    to.erase(output_columns);
  }
  for (auto& [name, parameter] : to) parameter.copy_(from.at(name));
}

}  // namespace heed::model
