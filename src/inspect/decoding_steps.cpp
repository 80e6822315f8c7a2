#include "inspect/decoding_steps.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>

#include "base/error.h"
#include "data/batch.h"
#include "decode/search/decoding_steps.h"
#include "model/description/config.h"
#include "model/description/traits.h"
#include "model/device.h"
#include "model/model.h"
#include "model/working.h"

namespace heed::inspect {
namespace {

using at::Tensor;
using model::Working;
using study::NumberRows;
using study::WorkedHead;

NumberRows numbers_in(const Tensor& x) {
  const Tensor flat = x.to(at::kFloat).cpu().contiguous();
  const float* first = flat.const_data_ptr<float>();
  return {flat.sizes().vec(), {first, first + flat.numel()}};
}

/// The workings of an attention, of all steps at once or of one after the other, as one.
Working joined(const std::vector<Working>& steps) {
  Working all = steps.front();
  for (Tensor Working::*const part :
       {&Working::query, &Working::scores, &Working::gauss, &Working::weights, &Working::context}) {
    std::vector<Tensor> parts;
    for (const Working& step : steps) parts.push_back(step.*part);
    if (parts.front().defined()) all.*part = at::cat(parts, 2);
  }
  const auto same = [&](const Working& one) { return at::equal(one.keys, all.keys); };
  if (all.keys.defined() && !std::ranges::all_of(steps, same)) {  // coverage changes them
    std::vector<Tensor> parts;
    for (const Working& step : steps) parts.push_back(step.keys);
    all.keys = at::stack(parts, 2);  // [batch, heads, query, keys, any]
  }
  return all;
}

WorkedHead head_of(const Working& all, int64_t head, const model::ModelConfig& config) {
  WorkedHead out = decode::head_without_numbers(all.kind, all.layer, all.head + head, config);
  if (all.scores.defined()) out.score = all.vector.defined() ? "additive" : "dot";
  out.factor = all.factor;
  const auto keep = [&](const char* name, const Tensor& x) {
    if (x.defined()) out.numbers[name] = numbers_in(x.dim() > 1 ? x[0][head] : x);
  };
  keep("query", all.query);
  keep("keys", all.keys);
  keep("vector", all.vector);
  keep("scores", all.scores);
  keep("gauss", all.gauss);
  keep("weights", all.weights);
  keep("values", all.values);
  keep("context", all.context);
  return out;
}

bool wants(const std::vector<int64_t>& wished, int64_t number, int64_t count) {
  return wished.empty() || std::ranges::any_of(wished, [&](int64_t wish) {
           return wish == kEvery || wish == number || (wish == kLastLayer && number == count - 1);
         });
}

bool wants_kind(const std::vector<AttentionKind>& wished, AttentionKind kind) {
  return wished.empty() || std::ranges::find(wished, kind) != wished.end();
}

}  // namespace

std::vector<study::DecodingSteps> decoding_steps(
    decode::Translator& translator, const model::ModelConfig& config,
    const std::vector<std::string>& sources, const std::optional<std::vector<std::string>>& targets,
    const AttentionRequest& request) {
  const at::NoGradGuard no_gradients;
  const model::Autocast autocast(translator.device(), translator.precision());
  const model::Traits traits = model::traits(config);
  model::Model& model = *translator.first().model;
  const model::EvaluationMode mode({&model});
  std::vector<study::DecodingSteps> out;
  int64_t line = 0;
  for (const Reading& reading : readings_of(translator, sources, targets, 1)) {
    ++line;
    if (!reading.readable) continue;
    study::DecodingSteps& one =
        out.emplace_back(decode::steps_without_numbers(reading, line, config));
    std::map<std::tuple<AttentionKind, int64_t, int64_t>, std::vector<Working>> workings;
    model::Trace trace{.kinds = {request.kinds.begin(), request.kinds.end()},
                       .witness = [&](const Working& working) {
                         if (!wants_kind(request.kinds, working.kind)) return;
                         workings[{working.kind, working.layer, working.head}].push_back(working);
                       }};
    const data::Batch batch = data::make_batch({&reading.example});
    const Tensor features =
        model.features(model::make_source(batch, translator.device()),
                       model::make_target_input(batch, translator.device()), &trace);
    const Tensor logits = model.logits(features)[0].to(at::kFloat).cpu().contiguous();
    const auto vocab = static_cast<std::size_t>(logits.size(1));
    for (int64_t step = 0; step < logits.size(0); ++step)
      decode::add_output({logits.const_data_ptr<float>() + step * logits.stride(0), vocab},
                         batch.target_output[step], translator.first_text().target, one);
    for (const auto& [place, steps] : workings) {
      const Working all = joined(steps);
      if (!wants(request.layers, all.layer, std::max<int64_t>(traits.layers(all.kind), 1)))
        continue;
      for (int64_t head = 0; head < all.query.size(1); ++head)
        if (wants(request.heads, all.head + head, 0))
          one.heads.push_back(head_of(all, head, config));
    }
    if (one.heads.empty())
      throw UserError("attention: --step: the model has none of these kinds, layers and heads");
  }
  if (out.empty()) throw UserError("attention: --step: no line has a word");
  return out;
}

}  // namespace heed::inspect
