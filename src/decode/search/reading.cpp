#include "decode/search/reading.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/error.h"
#include "data/batch.h"
#include "decode/search/batches.h"
#include "decode/search/encoded_lines.h"
#include "decode/search/lines_request.h"
#include "decode/search/pieces.h"
#include "engine/network.h"
#include "text/vocabulary.h"

namespace heed::decode {

std::vector<std::string> names_of(const text::Vocabulary& vocabulary, const std::string& line,
                                  const std::vector<int32_t>& ids) {
  std::vector<std::string> names =
      vocabulary.with_word_starts(vocabulary.spell(line, std::ssize(ids)));
  names.resize(ids.size());
  for (std::size_t i = 0; i < vocabulary.symbols_before(ids); ++i)
    names[i].insert(0, study::kBeginToken);
  names.push_back(study::kEndToken);
  return names;
}

std::vector<std::string> source_surfaces(const study::AttentionMatrix& pieces) {
  std::vector<std::string> surfaces;
  for (std::size_t i = 0; i + 1 < pieces.source.size(); ++i)
    surfaces.push_back(study::is_edge(pieces.source[i]) ? "" : text::surface_of(pieces.source[i]));
  return surfaces;
}

Reading reading_of(const LineTranslator& translator, const std::string& source,
                   std::vector<int32_t> target) {
  const MemberText& member = translator.first_text();
  Reading out{.readable = true};
  target.resize(std::min<int64_t>(std::ssize(target), translator.longest() - 1));
  out.example.source = first_pieces(member.source, source, translator.source_limit());
  out.example.source_end = member.source.has_end();
  out.example.target = std::move(target);
  out.sentence.source_pieces = names_of(member.source, source, out.example.source);
  out.sentence.target_pieces = piece_names(member.target, out.example.target);
  return out;
}

std::vector<Reading> readings_of(const LineTranslator& translator,
                                 const std::vector<std::string>& sources,
                                 const std::optional<std::vector<std::string>>& targets,
                                 int64_t first_line) {
  if (targets && targets->size() != sources.size())
    throw UserError("attention: {} source lines and {} target lines", sources.size(),
                    targets->size());
  const MemberText& member = translator.first_text();
  std::vector<Translation> own;
  if (!targets)
    own = with_logged_warnings(
        translator.translate({.lines = sources, .numbers = LineNumbers(first_line)}));
  std::vector<Reading> out(sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    Reading& one = out[i];
    data::Example& example = one.example;
    const std::string source = targets ? sources[i] : translator.with_terms(sources[i]);
    example.source = member.source.encode(source);
    example.source_end = member.source.has_end();
    if (targets) {
      example.target = member.target.encode((*targets)[i]);
      one.sentence.target_text = (*targets)[i];
    } else if (!own[i].hypotheses.empty()) {
      const auto limit = static_cast<std::size_t>(translator.source_limit());
      if (example.source.size() > limit) example.source.resize(limit);  // as it was translated
      example.target = own[i].hypotheses[0].ids;
      one.sentence.target_text = own[i].text;
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
    one.sentence.source_pieces = names_of(member.source, source, example.source);
    one.sentence.target_pieces = targets ? names_of(member.target, (*targets)[i], example.target)
                                         : piece_names(member.target, example.target);
  }
  return out;
}

namespace {

constexpr int64_t kSentences = 16;  // read together
constexpr int64_t kTokens = 1024;   // padded pieces of the longer side: maps are quadratic in them

/// Returns the numbers in `wished`, each once, with kEvery replaced by all below `count`. A -1 (the
/// last layer, the mean of the heads) stays. Throws UserError for a number that the model does not
/// have.
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

/// Returns the maps of one kind, in the order of the requested layers.
std::vector<const engine::LayerMap*> maps_of(const engine::LayerMaps& maps, AttentionKind kind,
                                             const AttentionRequest& request) {
  std::vector<const engine::LayerMap*> all, out;
  for (const engine::LayerMap& map : maps)
    if (map.kind == kind) all.push_back(&map);
  if (all.empty() && kind == AttentionKind::cross)
    throw UserError("attention: this model has none (model.attention: none); choose another model");
  if (all.empty())
    throw UserError("attention: this model has no {} attention to look at", name_of(kind));
  std::ranges::sort(all, {}, &engine::LayerMap::layer);
  const int64_t count = std::ssize(all);
  std::vector<int64_t> wished = request.layers;
  std::ranges::replace(wished, kLastLayer, count - 1);
  for (const int64_t layer : choose(wished, count, "layer")) out.push_back(all[layer]);
  return out;
}

/// Cuts the matrices of a sentence out of a map; `weights` are those of the sentence, [rows, heads,
/// keys] with padding.
void append(const engine::LayerMap& map, const float* weights, const AttentionRequest& request,
            const std::vector<std::string>& rows, const std::vector<std::string>& columns,
            int64_t line, std::vector<study::AttentionMatrix>& out) {
  for (const int64_t head : choose(request.heads, map.heads, "head")) {
    study::AttentionMatrix& matrix = out.emplace_back();
    matrix.sentence = line;
    matrix.kind = map.kind;
    matrix.layer = map.layer;
    matrix.head = head;
    matrix.target = rows;
    matrix.source = columns;
    for (int64_t row = 0; row < std::ssize(rows); ++row)
      for (int64_t key = 0; key < std::ssize(columns); ++key) {
        const float* all = weights + row * map.heads * map.keys + key;  // of each head
        float sum = 0;
        for (int64_t h = 0; head == kMeanOfHeads && h < map.heads; ++h) sum += all[h * map.keys];
        matrix.weights.push_back(head == kMeanOfHeads ? sum / static_cast<float>(map.heads)
                                                      : all[head * map.keys]);
      }
  }
}

std::vector<std::string> inputs_of(const std::vector<std::string>& target_pieces) {
  std::vector<std::string> out{study::kBeginToken};
  out.insert(out.end(), target_pieces.begin(), target_pieces.end() - 1);
  return out;
}

/// A sentence, and where its matrices are stored.
struct Read {
  const data::Example* example;
  int64_t line;
  AttendedSentence* out;
};

void read_batch(const LineTranslator& translator, const std::vector<Read>& sentences,
                const AttentionRequest& request) {
  std::vector<const data::Example*> examples;
  for (const Read& one : sentences) examples.push_back(one.example);
  const engine::LayerMaps maps = translator.attention_of(data::make_batch(examples), request.kinds);
  for (const auto kind : {AttentionKind::encoder, AttentionKind::decoder, AttentionKind::cross}) {
    if (std::ranges::find(request.kinds, kind) == request.kinds.end()) continue;
    for (const engine::LayerMap* map : maps_of(maps, kind, request)) {
      const int64_t each = std::ssize(map->weights) / std::ssize(sentences);
      for (int64_t i = 0; i < std::ssize(sentences); ++i) {
        AttendedSentence& one = *sentences[i].out;
        const auto& rows = kind == AttentionKind::encoder ? one.source_pieces : one.target_pieces;
        const auto columns =
            kind == AttentionKind::decoder ? inputs_of(one.target_pieces) : one.source_pieces;
        append(*map, map->weights.data() + i * each, request, rows, columns, sentences[i].line,
               one.matrices);
      }
    }
  }
}

/// Reads the readable ones of `readings`. The first one is line `first_line`.
std::vector<AttendedSentence> read_all(const LineTranslator& translator,
                                       std::vector<Reading> readings,
                                       const AttentionRequest& request, int64_t first_line) {
  std::vector<int64_t> lengths;
  std::vector<AttendedSentence> out;
  for (Reading& one : readings) {
    const std::size_t longer = std::max(one.example.source.size(), one.example.target.size());
    lengths.push_back(one.readable ? static_cast<int64_t>(longer) : -1);
    out.push_back(std::move(one.sentence));
  }
  const auto batches = batches_by_length(lengths, {.sentences = kSentences, .tokens = kTokens});
  translator.divide_batches(std::ssize(batches), [&](int64_t number) {
    std::vector<Read> sentences;
    for (const int64_t i : batches[number])
      sentences.push_back({&readings[i].example, first_line + i, &out[i]});
    read_batch(translator, sentences, request);
  });
  return out;
}

}  // namespace

std::vector<AttendedSentence> attention_maps(const LineTranslator& translator,
                                             const std::vector<std::string>& sources,
                                             const std::optional<std::vector<std::string>>& targets,
                                             const AttentionRequest& request, int64_t first_line) {
  return read_all(translator, readings_of(translator, sources, targets, first_line), request,
                  first_line);
}

std::vector<AttendedSentence> attention_maps(const LineTranslator& translator,
                                             const std::vector<std::string>& sources,
                                             const std::vector<std::vector<int32_t>>& targets,
                                             const AttentionRequest& request) {
  expect(sources.size() == targets.size(), "a source for each translation");
  std::vector<Reading> readings;
  for (std::size_t i = 0; i < sources.size(); ++i)
    readings.push_back(reading_of(translator, sources[i], targets[i]));
  return read_all(translator, std::move(readings), request, 1);
}

}  // namespace heed::decode
