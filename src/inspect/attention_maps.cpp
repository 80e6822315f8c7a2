#include "inspect/attention_maps.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include "decode/search/pieces.h"
#include "kernels/share_out.h"
#include "model/device.h"
#include "model/model.h"

namespace heed::inspect {

std::vector<std::string> names_of(const text::Vocabulary& vocabulary, const std::string& line,
                                  const std::vector<int32_t>& ids) {
  std::vector<std::string> names = vocabulary.spell(line, std::ssize(ids));
  names.resize(ids.size());
  names.push_back("</s>");
  return names;
}

std::vector<Reading> readings_of(decode::Translator& translator,
                                 const std::vector<std::string>& sources,
                                 const std::optional<std::vector<std::string>>& targets,
                                 int64_t first_line) {
  if (targets && targets->size() != sources.size())
    throw UserError("attention: {} source lines and {} target lines", sources.size(),
                    targets->size());
  const decode::TranslatorModel& member = translator.first();
  std::vector<decode::Translation> own;
  if (!targets) own = translator.translate(sources, first_line);
  std::vector<Reading> out(sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    Reading& one = out[i];
    data::Example& example = one.example;
    example.source = member.source.encode(sources[i]);
    if (targets) {
      example.target = member.target.encode((*targets)[i]);
      one.target_text = (*targets)[i];
    } else if (!own[i].hypotheses.empty()) {
      const auto limit = static_cast<std::size_t>(translator.source_limit());
      if (example.source.size() > limit) example.source.resize(limit);  // as it was translated
      example.target = own[i].hypotheses[0].ids;
      one.target_text = own[i].text;
    }
    one.readable =
        targets ? !(example.source.empty() && example.target.empty()) : !own[i].hypotheses.empty();
    const std::string where =
        "attention: line " + std::to_string(first_line + static_cast<int64_t>(i));
    if (targets)
      for (const auto* side : {&example.source, &example.target})
        translator.require_short(std::ssize(*side), where);
    // A cut translation of the longest length has no room for </s> to be read after it.
    const auto longest = static_cast<std::size_t>(translator.longest());
    if (example.target.size() + 1 > longest) example.target.resize(longest - 1);
    one.source_pieces = names_of(member.source, sources[i], example.source);
    one.target_pieces = targets ? names_of(member.target, (*targets)[i], example.target)
                                : decode::piece_names(member.target, example.target);
  }
  return out;
}

namespace {

using decode::Translator;
using decode::TranslatorModel;

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
      throw UserError("attention: no {} {}; the model has {}, counted from 0", what, wish, count);
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
    throw UserError("attention: this model has no {} attention to look at", name_of(kind));
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

/// A sentence, and where its matrices go.
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
  model::Trace trace{.kinds = {request.kinds.begin(), request.kinds.end()}};
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

/// Reads those that are readable. The first one is line `first_line`.
std::vector<AttendedSentence> read_all(Translator& translator, std::vector<Reading> readings,
                                       const AttentionRequest& request, int64_t first_line) {
  model::Model& model = *translator.first().model;
  std::vector<int64_t> lengths;
  std::vector<AttendedSentence> out;
  for (Reading& one : readings) {
    const std::size_t longer = std::max(one.example.source.size(), one.example.target.size());
    lengths.push_back(one.readable ? static_cast<int64_t>(longer) : -1);
    out.push_back({.target_text = std::move(one.target_text),
                   .source_pieces = std::move(one.source_pieces),
                   .target_pieces = std::move(one.target_pieces),
                   .matrices = {}});
  }
  const at::NoGradGuard no_gradients;
  const model::EvaluationMode mode({&model});
  const auto batches =
      decode::batches_by_length(lengths, {.sentences = kSentences, .tokens = kTokens});
  kernels::share_out(translator.device(), std::ssize(batches), [&](int64_t number, int64_t) {
    const model::Autocast autocast(translator.device(), translator.precision());
    std::vector<Read> sentences;
    for (const int64_t i : batches[number])
      sentences.push_back({&readings[i].example, first_line + i, &out[i]});
    read_batch(model, translator.device(), sentences, request);
  });
  return out;
}

}  // namespace

std::vector<AttendedSentence> attention_maps(Translator& translator,
                                             const std::vector<std::string>& sources,
                                             const std::optional<std::vector<std::string>>& targets,
                                             const AttentionRequest& request, int64_t first_line) {
  require_attention(*translator.first().model, request);
  return read_all(translator, readings_of(translator, sources, targets, first_line), request,
                  first_line);
}

std::vector<AttendedSentence> attention_maps(Translator& translator,
                                             const std::vector<std::string>& sources,
                                             const std::vector<std::vector<int32_t>>& targets,
                                             const AttentionRequest& request) {
  expect(sources.size() == targets.size(), "a source for each translation");
  require_attention(*translator.first().model, request);
  const TranslatorModel& member = translator.first();
  std::vector<Reading> readings(sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    auto& source = readings[i].example.source;
    auto& target = readings[i].example.target;
    source = decode::first_pieces(member.source, sources[i], translator.source_limit());
    target = targets[i];
    target.resize(std::min(std::ssize(target), translator.longest() - 1));
    readings[i].readable = true;
    readings[i].source_pieces = names_of(member.source, sources[i], source);
    readings[i].target_pieces = decode::piece_names(member.target, target);
  }
  return read_all(translator, std::move(readings), request, 1);
}

ReadAttention attention_reader(Translator& translator, const study::AlignmentChoice& choice) {
  return [&translator, choice](const std::vector<std::string>& sources,
                               const std::vector<std::vector<int32_t>>& targets) {
    const AttentionRequest request{.layers = {choice.layer}, .heads = {choice.head}};
    std::vector<study::AttentionMatrix> matrices;
    for (AttendedSentence& one : attention_maps(translator, sources, targets, request))
      matrices.push_back(std::move(one.matrices.front()));
    return matrices;
  };
}

void mark_softmax(std::vector<study::AttentionMatrix>& matrices, const model::ModelConfig& config) {
  const model::Traits traits = model::traits(config);
  for (study::AttentionMatrix& matrix : matrices)
    matrix.softmax =
        std::ranges::find(traits.softmax_kinds, matrix.kind) != traits.softmax_kinds.end() &&
        (matrix.head >= 0 || traits.heads(matrix.kind, matrix.layer) == 1);
}

namespace {

/// Whether it is of the unit that is wanted, or can be made so. Erasure of a word is not that of
/// its pieces, and is there for both.
bool suits(const study::AttentionMatrix& matrix, const Shape& wanted) {
  if (!wanted.words) return !matrix.words;
  return matrix.words || matrix.kind != config::AttentionKind::erasure || !has_long_words(matrix);
}

study::AttentionMatrix shape(study::AttentionMatrix matrix, const Shape& wanted) {
  if (wanted.words && !matrix.words)
    matrix = study::merge_words(
        matrix, is_evidence(matrix.kind) ? study::WordRows::sum : study::WordRows::mean);
  if (is_evidence(matrix.kind) && !wanted.with_signs) matrix = study::shares_of(std::move(matrix));
  if (wanted.drop_eos) matrix = study::drop_end(matrix);
  return matrix;
}

}  // namespace

bool has_long_words(const study::AttentionMatrix& matrix) {
  const auto longer = [](const std::vector<std::string>& tokens) {
    return study::words_of_tokens(tokens).back() + 1 < tokens.size();
  };
  return !matrix.words && (longer(matrix.target) || longer(matrix.source));
}

Matrices for_tables(const Matrices& matrices, const Shape& wanted) {
  Matrices out;
  for (const auto& matrix : matrices)
    if (suits(matrix, wanted)) out.push_back(shape(matrix, wanted));
  return out;
}

Matrices for_page(const Matrices& matrices, const Shape& wanted) {
  const Shape first{.words = wanted.words, .drop_eos = wanted.drop_eos},
      second{.words = !wanted.words, .drop_eos = wanted.drop_eos};
  Matrices out;
  for (const auto& matrix : matrices)
    if (suits(matrix, first)) out.push_back(shape(matrix, first));
  for (const auto& matrix : matrices)
    if (suits(matrix, second) && (matrix.words || has_long_words(matrix)))
      out.push_back(shape(matrix, second));
  return out;
}

}  // namespace heed::inspect
