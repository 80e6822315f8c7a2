#include "decode/search/decoding_steps.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "data/batch.h"
#include "decode/search/line_translator.h"
#include "engine/network.h"
#include "engine/output_product.h"
#include "engine/threads.h"
#include "engine/weights.h"
#include "model/description/kinds.h"
#include "model/description/traits.h"
#include "text/vocabulary.h"

namespace heed::decode {
namespace {

using engine::Floats;
using engine::HeadNumbers;
using engine::LayerMap;
using study::NumberRows;

model::PositionsEffect effect_of(const model::ModelConfig& config) {
  return model::positions_info(config.positions).effect;
}

std::string normaliser_of(const model::ModelConfig& config, AttentionKind kind) {
  if (config.type != model::ModelType::transformer || kind == AttentionKind::cross)
    return config.attention_normaliser;
  if (model::self_attention_info(config.self_attention).has_scores()) return "softmax";
  // With rotations the weights of a row are not divided by the sum of its products.
  return effect_of(config) == model::PositionsEffect::kRotates ? "" : "sum";
}

constexpr int64_t kLikely = 10;  // pieces that are shown of a step

/// The maps of one layer: one for each step, or one for all rows.
using Rows = std::vector<LayerMap>;

/// Returns the numbers of one head in x [heads, each], which has equally many for each head.
std::span<const float> part_of(const Floats& x, int64_t heads, int64_t head) {
  const int64_t each = std::ssize(x) / heads;
  return std::span(x).subspan(head * each, each);
}

void append(std::span<const float> from, NumberRows& to) {
  to.values.insert(to.values.end(), from.begin(), from.end());
}

/// Stores the rows of one head from `part` [rows, heads, any], each cut or filled with `filler` to
/// `width` numbers. Stores nothing where the maps have no such part.
void keep_rows(const Rows& maps, Floats HeadNumbers::*part, int64_t head, int64_t width,
               float filler, const char* name, study::WorkedHead& out) {
  if ((maps.front().numbers.*part).empty()) return;
  NumberRows rows{{0, width}, {}};
  for (const LayerMap& map : maps) {
    const Floats& all = map.numbers.*part;
    const int64_t count = std::ssize(map.numbers.queries) / (map.heads * map.numbers.width);
    const int64_t each = std::ssize(all) / (count * map.heads);
    for (int64_t row = 0; row < count; ++row) {
      append(std::span(all).subspan((row * map.heads + head) * each, each), rows);
      rows.values.resize(++rows.shape[0] * width, filler);
    }
  }
  out.numbers[name] = std::move(rows);
}

/// Returns the keys or the values of a head. Each step of a decoder adds one; coverage changes
/// those of the source.
NumberRows kept(const Rows& maps, Floats HeadNumbers::*part, int64_t head) {
  const int64_t keys = maps.back().keys, heads = maps.back().heads,
                width = maps.back().numbers.width;
  NumberRows out{{keys, width}, {}};
  if (maps.back().kind == AttentionKind::decoder) {
    for (const LayerMap& map : maps)
      append(part_of(map.numbers.*part, heads, head).last(width), out);
    return out;
  }
  for (const LayerMap& map : maps) append(part_of(map.numbers.*part, heads, head), out);
  const int64_t each = keys * width;
  if (std::equal(out.values.begin() + each, out.values.end(), out.values.begin()))
    out.values.resize(each);
  else
    out.shape.insert(out.shape.begin(), std::ssize(maps));
  return out;
}

study::WorkedHead worked_head(const Rows& maps, int64_t head, const model::ModelConfig& config) {
  const LayerMap& last = maps.back();
  const bool additive = !last.numbers.vectors.empty();
  study::WorkedHead out{.kind = last.kind,
                        .layer = last.layer,
                        .head = head,
                        .score = last.numbers.scores.empty() ? "none"
                                 : additive                  ? "additive"
                                                             : "dot",
                        .factor = last.numbers.factor,
                        .adds = last.kind != AttentionKind::cross &&
                                effect_of(config) == model::PositionsEffect::kAddsScores,
                        .normaliser = normaliser_of(config, last.kind)};
  const auto keep = [&](Floats HeadNumbers::*part, int64_t width, float filler, const char* name) {
    keep_rows(maps, part, head, width, filler, name, out);
  };
  keep(&HeadNumbers::queries, last.numbers.width, 0, "query");
  keep(&HeadNumbers::scores, last.keys, -std::numeric_limits<float>::infinity(), "scores");
  keep(&HeadNumbers::gauss, last.keys, 0, "gauss");
  keep(&HeadNumbers::weights, last.keys, 0, "weights");
  keep(&HeadNumbers::context, last.numbers.width, 0, "context");
  if (!last.numbers.keys.empty()) out.numbers["keys"] = kept(maps, &HeadNumbers::keys, head);
  out.numbers["values"] = kept(maps, &HeadNumbers::values, head);
  if (additive) {
    const auto vector = part_of(last.numbers.vectors, last.heads, head);
    out.numbers["vector"] = {{std::ssize(vector)}, {vector.begin(), vector.end()}};
  }
  return out;
}

/// Adds the output of a step: the likeliest pieces by `logits`, which has one number for each piece
/// of the vocabulary, and how likely `next` is, the piece that is read next.
void add_output(std::span<const float> logits, int64_t next, const text::Vocabulary& vocabulary,
                study::DecodingSteps& out) {
  const float most = *std::ranges::max_element(logits);
  double total = 0;
  for (const float logit : logits) total += std::exp(double{logit} - most);
  const auto probability = [&](int64_t piece) {
    return std::exp(double{logits[piece]} - most) / total;
  };
  std::vector<int32_t> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  const auto end = order.begin() + std::min<int64_t>(kLikely, std::ssize(order));
  std::ranges::partial_sort(order, end, std::greater<>(), [&](int32_t i) { return logits[i]; });
  auto& likely = out.likely.emplace_back();
  for (auto piece = order.begin(); piece != end; ++piece)
    likely.push_back({vocabulary.piece(*piece), probability(*piece)});
  out.chosen.push_back(probability(next));
}

/// Whether a request for layers or heads, of which there are `count`, includes number `number`.
bool wants(const std::vector<int64_t>& wished, int64_t number, int64_t count) {
  return wished.empty() || std::ranges::any_of(wished, [&](int64_t wish) {
           return wish == kEvery || wish == number || (wish == kLastLayer && number == count - 1);
         });
}

bool wants_kind(const std::vector<AttentionKind>& wished, AttentionKind kind) {
  return wished.empty() || std::ranges::find(wished, kind) != wished.end();
}

}  // namespace

study::DecodingSteps decoding_steps(const engine::Network& network, const text::Vocabulary& target,
                                    const model::ModelConfig& config, const Reading& reading,
                                    const AttentionRequest& request) {
  expect(reading.readable, "something to read");
  const model::Traits traits = model::traits(config);
  const data::Batch pair = data::make_batch({&reading.example});
  study::DecodingSteps out{
      .attention = traits.name,
      .states = config.type == model::ModelType::rnn && config.attention_heads == 1,
      .sentence = 1,
      .source = reading.sentence.source_pieces,
      .target = reading.sentence.target_pieces};
  engine::LayerMaps maps;
  std::map<std::pair<AttentionKind, int64_t>, Rows> layers;
  const auto take = [&] {
    for (LayerMap& map : maps)
      if (wants_kind(request.kinds, map.kind) &&
          wants(request.layers, map.layer, std::max<int64_t>(traits.layers(map.kind), 1)))
        layers[{map.kind, map.layer}].push_back(std::move(map));
  };
  const auto decoder =
      network.start({pair.source.data(), pair.source_lengths.data(), 1, pair.source_length},
                    engine::kOneThread, &maps,
                    /*with_numbers=*/true);
  take();
  for (int64_t step = 0; step < pair.target_length; ++step) {
    engine::OutputProduct& output = decoder->step(&pair.target_input[step], 1, nullptr);
    add_output({output.logits(), static_cast<std::size_t>(decoder->columns())},
               pair.target_output[step], target, out);
    take();
  }
  for (const auto& [layer, rows] : layers)
    for (int64_t head = 0; head < rows.front().heads; ++head)
      if (wants(request.heads, head, 0)) out.heads.push_back(worked_head(rows, head, config));
  return out;
}

std::vector<study::DecodingSteps> decoding_steps(
    const LineTranslator& translator, const engine::Network* network,
    const model::ModelConfig& config, const std::vector<std::string>& sources,
    const std::optional<std::vector<std::string>>& targets, const AttentionRequest& request) {
  if (network == nullptr)
    throw UserError(
        "attention: --step: its numbers are an engine's, and there is none with a mechanism that "
        "was added to a registry; without --step there are tables, pictures and a page of weights");
  std::vector<study::DecodingSteps> out;
  int64_t line = 0;
  for (const Reading& reading : readings_of(translator, sources, targets, 1)) {
    ++line;
    if (!reading.readable) continue;
    study::DecodingSteps& one = out.emplace_back(
        decoding_steps(*network, translator.first_text().target, config, reading, request));
    one.sentence = line;
    if (one.heads.empty())
      throw UserError("attention: --step: the model has none of these kinds, layers and heads");
  }
  if (out.empty()) throw UserError("attention: --step: no line has a word");
  return out;
}

}  // namespace heed::decode
