#include "inspect/attention_maps.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "data/batch.h"
#include "decode/ensemble.h"
#include "decode/pieces.h"
#include "inspect/readings.h"
#include "kernels/share_out.h"
#include "model/device.h"
#include "model/traits.h"

namespace heed::inspect {
namespace {

using decode::Member;
using decode::Translator;

constexpr int64_t kSentences = 16;  // read together
constexpr int64_t kTokens = 1024;   // padded pieces of the longer side: maps are quadratic in them

bool wants(const AttentionRequest& request, AttentionKind kind) {
  return std::ranges::find(request.kinds, kind) != request.kinds.end();
}

/// The wished ones of `count`, each once, with -1 as it stands. Throws UserError.
std::vector<int64_t> choose(const std::vector<int64_t>& wished, int64_t count, const char* what) {
  std::vector<int64_t> out;
  const auto add = [&](int64_t i) {
    if (std::find(out.begin(), out.end(), i) == out.end()) out.push_back(i);
  };
  for (const int64_t wish : wished.empty() ? std::vector{kEvery} : wished) {
    if (wish < kEvery || wish >= count)
      throw UserError(std::string("attention: no ") + what + " " + std::to_string(wish) +
                      "; the model has " + std::to_string(count) + ", counted from 0");
    if (wish != kEvery) add(wish);
    for (int64_t i = 0; wish == kEvery && i < count; ++i) add(i);
  }
  return out;
}

/// The maps of one kind in the order of the wished layers.
std::vector<const model::AttentionMap*> maps_of(const model::Trace& trace, AttentionKind kind,
                                                const AttentionRequest& request) {
  std::vector<const model::AttentionMap*> all, out;
  for (const auto& map : trace.maps)
    if (map.kind == kind) all.push_back(&map);
  if (all.empty())
    throw UserError("attention: this model has no " + name_of(kind) + " attention to look at");
  std::sort(all.begin(), all.end(), [](auto* a, auto* b) { return a->layer < b->layer; });
  const auto count = static_cast<int64_t>(all.size());
  std::vector<int64_t> wished = request.layers;
  std::replace(wished.begin(), wished.end(), kLastLayer, count - 1);
  for (const int64_t layer : choose(wished, count, "layer")) out.push_back(all[layer]);
  return out;
}

/// Cuts one sentence's matrices out of its padded weights [heads, query, keys], on the CPU.
void append(const model::AttentionMap& map, const at::Tensor& weights,
            const AttentionRequest& request, const std::vector<std::string>& rows,
            const std::vector<std::string>& columns, int64_t line,
            std::vector<study::AttentionMatrix>& out) {
  const auto height = static_cast<int64_t>(rows.size());
  const auto width = static_cast<int64_t>(columns.size());
  const at::Tensor heads =  // [heads, rows, columns]
      weights.slice(1, 0, height).slice(2, 0, width);
  for (const int64_t head : choose(request.heads, heads.size(0), "head")) {
    const at::Tensor one = (head == kMeanOfHeads ? heads.mean(0) : heads[head]).contiguous();
    const float* data = one.const_data_ptr<float>();
    out.push_back({.sentence = line,
                   .kind = map.kind,
                   .layer = map.layer,
                   .head = head,
                   .target = rows,
                   .source = columns,
                   .weights = std::vector<float>(data, data + one.numel())});
  }
}

std::vector<std::string> inputs_of(const std::vector<std::string>& target_pieces) {
  std::vector<std::string> out{"<s>"};
  out.insert(out.end(), target_pieces.begin(), target_pieces.end() - 1);
  return out;
}

/// A sentence, and where what is read of it goes.
struct Read {
  const data::Example* example;
  int64_t line;
  AttendedSentence* out;
};

void read_batch(model::Model& model, const at::Device& device, const std::vector<Read>& sentences,
                const AttentionRequest& request) {
  std::vector<const data::Example*> examples;
  for (const Read& one : sentences) examples.push_back(one.example);
  const data::Batch batch = data::make_batch(examples);
  model::Trace trace{.encoder = wants(request, AttentionKind::encoder),
                     .decoder = wants(request, AttentionKind::decoder),
                     .cross = wants(request, AttentionKind::cross),
                     .maps = {}};
  model.features(model::make_source(batch, device), model::make_target_input(batch, device),
                 &trace);
  for (const auto kind : {AttentionKind::encoder, AttentionKind::decoder, AttentionKind::cross}) {
    if (!wants(request, kind)) continue;
    for (const auto* map : maps_of(trace, kind, request)) {
      const at::Tensor weights = map->weights.to(at::kFloat).cpu();  // of all sentences at once
      for (std::size_t row = 0; row < sentences.size(); ++row) {
        AttendedSentence& one = *sentences[row].out;
        const auto& rows = kind == AttentionKind::encoder ? one.source_pieces : one.target_pieces;
        const auto columns =
            kind == AttentionKind::decoder ? inputs_of(one.target_pieces) : one.source_pieces;
        append(*map, weights[static_cast<int64_t>(row)], request, rows, columns,
               sentences[row].line, one.matrices);
      }
    }
  }
}

void require_attention(const model::Model& model, const AttentionRequest& request) {
  if ((request.kinds.empty() || wants(request, AttentionKind::cross)) && !model.attends())
    throw UserError("attention: this model has none (model.attention: none); choose another model");
}

/// Reads those of `examples` that are readable, and fills in their matrices. Lines count from
/// `first_line`.
void read_all(Translator& translator, const std::vector<data::Example>& examples,
              const std::vector<bool>& readable, const AttentionRequest& request,
              int64_t first_line, std::vector<AttendedSentence>& out) {
  model::Model& model = *translator.first().model;
  std::vector<int64_t> lengths;
  for (std::size_t i = 0; i < examples.size(); ++i)
    lengths.push_back(readable[i] ? static_cast<int64_t>(std::max(examples[i].source.size(),
                                                                  examples[i].target.size()))
                                  : -1);

  const at::NoGradGuard no_gradients;
  const decode::EvalMode eval_mode({&model});
  const auto batches =
      decode::batches_by_length(lengths, {.sentences = kSentences, .tokens = kTokens});
  kernels::share_out(translator.device(), std::ssize(batches), [&](int64_t number, int64_t) {
    const model::Autocast autocast(translator.device(), translator.precision());
    std::vector<Read> sentences;
    for (const int64_t i : batches[number])
      sentences.push_back({&examples[i], first_line + i, &out[i]});
    read_batch(model, translator.device(), sentences, request);
  });
}

}  // namespace

std::vector<AttendedSentence> attention_maps(Translator& translator,
                                             const std::vector<std::string>& sources,
                                             const std::optional<std::vector<std::string>>& targets,
                                             const AttentionRequest& request, int64_t first_line) {
  require_attention(*translator.first().model, request);
  std::vector<data::Example> examples;
  std::vector<bool> readable;
  std::vector<AttendedSentence> out;
  for (Reading& reading : readings_of(translator, sources, targets, first_line)) {
    examples.push_back(std::move(reading.example));
    readable.push_back(reading.readable);
    out.push_back({.target_text = std::move(reading.target_text),
                   .source_pieces = std::move(reading.source_pieces),
                   .target_pieces = std::move(reading.target_pieces),
                   .matrices = {},
                   .cut = reading.cut});
  }
  read_all(translator, examples, readable, request, first_line, out);
  return out;
}

std::vector<AttendedSentence> attention_maps(Translator& translator,
                                             const std::vector<std::string>& sources,
                                             const std::vector<std::vector<int32_t>>& targets,
                                             const AttentionRequest& request) {
  expect(sources.size() == targets.size(), "a source for each translation");
  require_attention(*translator.first().model, request);
  const Member& member = translator.first();
  const auto cut = [](std::vector<int32_t> ids, int64_t most) {
    if (std::ssize(ids) > most) ids.resize(most);
    return ids;
  };
  std::vector<data::Example> examples(sources.size());
  std::vector<AttendedSentence> out(sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    examples[i].source =
        cut(member.source.encode(sources[i], translator.source_limit()), translator.source_limit());
    examples[i].target = cut(targets[i], translator.longest() - 1);
    out[i].source_pieces = names_of(member.source, sources[i], examples[i].source);
    out[i].target_pieces = decode::piece_names(member.target, examples[i].target);
  }
  read_all(translator, examples, std::vector<bool>(sources.size(), true), request, 1, out);
  return out;
}

void mark_softmax(std::vector<study::AttentionMatrix>& matrices, const model::ModelConfig& config) {
  const model::Traits traits = model::traits(config);
  for (study::AttentionMatrix& matrix : matrices)
    matrix.softmax =
        std::ranges::find(traits.softmax_kinds, matrix.kind) != traits.softmax_kinds.end() &&
        (matrix.head >= 0 || traits.heads(matrix.kind, matrix.layer) == 1);
}

}  // namespace heed::inspect
