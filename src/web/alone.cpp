#include "web/alone.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/error.h"
#include "decode/search/next_words.h"
#include "decode/search/pieces.h"
#include "kernels/rows/step.h"
#include "model/description/traits.h"
#include "text/utf8.h"

namespace heed::web {
namespace {

using nlohmann::json;
using serve::Json;
using Ids = std::vector<int32_t>;

constexpr auto kNumbers = engine::WeightFormat::int8;
const engine::Threads kOneThread = [](int64_t count, int64_t, const auto& work) { work(0, count); };

/// The steps of one sentence with an engine.
class Sentence {
 public:
  Sentence(const engine::Network& network, const Ids& source, engine::LayerMaps* maps = nullptr)
      : tokens_(source.begin(), source.end()) {
    tokens_.push_back(text::kEnd);
    const int64_t length = std::ssize(tokens_);
    decoder_ = network.start({tokens_.data(), &length, 1, length}, kOneThread, maps);
  }

  engine::BatchDecoder& decoder() { return *decoder_; }

 private:
  std::vector<int64_t> tokens_;
  std::unique_ptr<engine::BatchDecoder> decoder_;
};

/// decode::ScoresAfter of one sentence.
class Scores {
 public:
  Scores(Sentence sentence, const std::vector<int64_t>& never)
      : sentence_(std::move(sentence)), never_(never) {}

  std::vector<engine::Floats> operator()(const std::vector<Ids>& beginnings) {
    engine::BatchDecoder& decoder = sentence_.decoder();
    std::vector<int64_t> tokens, hypotheses;
    if (read_.empty()) {
      tokens = {text::kBegin};
      for (const int32_t id : beginnings.front()) {
        decoder.step(tokens.data(), 1, nullptr);
        tokens = {id};
      }
    } else {
      for (const Ids& ids : beginnings) {
        const auto before = std::ranges::find(read_, Ids(ids.begin(), ids.end() - 1));
        hypotheses.push_back(before - read_.begin());
        tokens.push_back(ids.back());
      }
      decoder.go_on_with({}, hypotheses);
    }
    read_ = beginnings;
    const float* row = decoder.step(tokens.data(), std::ssize(tokens), nullptr);
    std::vector<engine::Floats> scores;
    for (std::size_t i = 0; i < tokens.size(); ++i, row += decoder.columns()) {
      engine::Floats& one = scores.emplace_back(row, row + decoder.columns());
      const kernels::Partition partition = kernels::partition_of(row, decoder.columns());
      for (float& score : one) score = (score - partition.most) - partition.log_sum;
      for (const int64_t piece : never_) one[piece] = decode::kNever;
    }
    return scores;
  }

 private:
  Sentence sentence_;
  const std::vector<int64_t>& never_;
  std::vector<Ids> read_;
};

/// Adds the matrices of a layer's heads, and their mean, to `out`. Their rows are those of `maps`,
/// one after another; of one that knows fewer columns the others are 0.
void append(const std::vector<const engine::LayerMap*>& maps, const std::vector<std::string>& rows,
            const std::vector<std::string>& columns, std::vector<study::AttentionMatrix>& out) {
  const engine::LayerMap& first = *maps.front();
  for (int64_t head = 0; head <= first.heads; ++head) {
    const bool is_mean = head == first.heads;
    study::AttentionMatrix matrix{.kind = first.kind,
                                  .layer = first.layer,
                                  .head = is_mean ? -1 : head,
                                  .target = rows,
                                  .source = columns,
                                  .weights = engine::Floats(rows.size() * columns.size())};
    auto to = matrix.weights.begin();
    for (const engine::LayerMap* map : maps) {
      const engine::Floats weights = is_mean ? map->mean() : map->weights;
      const int64_t heads = is_mean ? 1 : map->heads;
      auto from = weights.begin() + (is_mean ? 0 : head) * map->keys;
      const int64_t count = std::ssize(weights) / (heads * map->keys);
      for (int64_t row = 0; row < count; ++row, to += std::ssize(columns))
        std::copy_n(from + row * heads * map->keys, map->keys, to);
    }
    out.push_back(std::move(matrix));
  }
}

}  // namespace

Alone::Alone(const Settings& settings, const engine::Weights& weights,
             const text::Vocabulary& source, const text::Vocabulary& target)
    : settings_(settings),
      source_(source),
      target_(target),
      network_(engine::make_network(settings.model, weights, kNumbers)),
      translator_({{.text = {source, target},
                    .network = network_,
                    .longest = model::traits(settings.model).longest,
                    .attends = !settings.shown.kinds.empty()}},
                  settings.decoding, kNumbers, kOneThread) {
  translator_.warn_of_cuts = false;  // the answer tells
}

std::string Alone::answer(std::string_view question) {
  const json asked = json::parse(question);
  const std::string line = text::repair(asked.at("q").get<std::string>()),
                    prefix = text::repair(asked.at("prefix").get<std::string>());
  if (std::ssize(target_.encode(prefix, translator_.source_limit())) > translator_.source_limit())
    throw UserError("prefix: has more than the {} pieces that fit", translator_.source_limit());
  return serve::text_of(asked.at("path") == "attention"
                            ? attention(line, prefix)
                            : candidates(line, prefix, asked.at("count")));
}

Ids Alone::source_pieces(const std::string& line) const {
  return decode::first_pieces(source_, line, translator_.source_limit());
}

Json Alone::attention(const std::string& line, const std::string& prefix) {
  const decode::Translation own = translator_.translate({line}, 1, {prefix})[0];
  Json body;
  body["model"] = settings_.shown.name;
  body["translatedText"] = own.text;
  body["words"] = serve::words_of(target_, own, target_.encode(prefix).size());
  const Ids ids = own.hypotheses.empty() ? Ids() : own.hypotheses[0].ids;
  const std::size_t pieces = source_.encode(line, translator_.source_limit()).size();
  if (std::cmp_greater(pieces, translator_.source_limit())) body["cutLines"] = {1};
  if (!own.hypotheses.empty() && own.hypotheses[0].cut) body["cutTranslations"] = {1};
  serve::add_attention(
      settings_.shown, pieces, ids.size(),
      [&] { return own.hypotheses.empty() ? study::AttendedSentence() : attended(line, ids); },
      body);
  return body;
}

study::AttendedSentence Alone::attended(const std::string& line, const Ids& target) {
  const Ids source = source_pieces(line),
            read(target.begin(),
                 target.begin() + std::min<int64_t>(std::ssize(target), translator_.longest() - 1));
  study::AttendedSentence out{.source_pieces = source_.spell(line, std::ssize(source)),
                              .target_pieces = decode::piece_names(target_, read)};
  out.source_pieces.resize(source.size());
  out.source_pieces.emplace_back(study::kEndToken);
  engine::LayerMaps maps;
  Sentence sentence(*network_, source, &maps);
  for (const engine::LayerMap& map : maps)
    append({&map}, out.source_pieces, out.source_pieces, out.matrices);
  std::vector<engine::LayerMaps> steps;
  for (std::size_t step = 0; step <= read.size(); ++step) {
    const int64_t token = step == 0 ? text::kBegin : read[step - 1];
    sentence.decoder().step(&token, 1, nullptr);
    steps.push_back(maps);
  }
  for (std::size_t i = 0; i < maps.size(); ++i) {
    std::vector<const engine::LayerMap*> rows;
    for (const engine::LayerMaps& step : steps) rows.push_back(&step[i]);
    append(rows, out.target_pieces,
           maps[i].kind == config::AttentionKind::decoder ? out.target_pieces : out.source_pieces,
           out.matrices);
  }
  return out;
}

Json Alone::candidates(const std::string& line, const std::string& prefix, int64_t count) {
  const Ids source = source_pieces(line);
  std::vector<decode::NextWord> words;
  if (!source.empty()) {
    Scores scores(Sentence(*network_, source), translator_.never());
    words = decode::next_words(target_, std::ref(scores), prefix, count, translator_.longest());
  }
  return {{"candidates", serve::candidates_of(words)}};
}

}  // namespace heed::web
