#include "web/alone.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "decode/search/engine_steps.h"
#include "decode/search/pieces.h"
#include "engine/network.h"
#include "kernels/rows/step.h"
#include "model/description/traits.h"
#include "text/lines.h"
#include "web/settings.h"

namespace heed::web {
namespace {

using nlohmann::json;
using serve::Json;
using Ids = std::vector<int32_t>;

const engine::Threads kOneThread = [](int64_t count, int64_t, const auto& work) { work(0, count); };

/// The steps of one sentence with an engine.
class Sentence {
 public:
  Sentence(const engine::Network& network, const Ids& source)
      : tokens_(source.begin(), source.end()) {
    tokens_.push_back(text::kEnd);
    const int64_t length = std::ssize(tokens_);
    decoder_ = network.start({tokens_.data(), &length, 1, length}, kOneThread);
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
    for (std::size_t i = 0; i < tokens.size(); ++i, row += decoder.vocabulary()) {
      engine::Floats& one = scores.emplace_back(row, row + decoder.vocabulary());
      const kernels::Partition partition = kernels::partition_of(row, decoder.vocabulary());
      for (float& score : one) score = (score - partition.most) - partition.log_sum;
      for (const int64_t piece : never_) one[piece] = -std::numeric_limits<float>::infinity();
    }
    return scores;
  }

 private:
  Sentence sentence_;
  const std::vector<int64_t>& never_;
  std::vector<Ids> read_;
};

}  // namespace

Alone::Alone(const Settings& settings, const engine::Weights& weights,
             const text::Vocabulary& source, const text::Vocabulary& target)
    : LineTranslator({{source, target}}, settings.decoding, kOneThread),
      settings_(settings),
      source_(source),
      target_(target),
      network_(engine::make_network(settings.model, weights, engine::WeightFormat::int8)) {
  warn_of_cuts = false;  // the answer tells
}

int64_t Alone::longest() const {
  return model::traits(settings_.model).longest;
}

std::vector<std::vector<decode::Hypothesis>> Alone::search_batch(
    const std::vector<data::Batch>& sources, const decode::SearchOptions& options) {
  return decode::search({network_.get()}, sources, options, longest(), kOneThread);
}

std::string Alone::answer(std::string_view question) {
  const json asked = json::parse(question);
  const std::string line = text::clean_line(asked.at("q").get<std::string>()),
                    prefix = text::clean_line(asked.at("prefix").get<std::string>());
  return serve::text_of(asked.at("path") == "attention"
                            ? attention(line, prefix)
                            : candidates(line, prefix, asked.at("count")));
}

Ids Alone::source_pieces(const std::string& line) const {
  Ids ids = source_.encode(line, source_limit());
  ids.resize(std::min<int64_t>(std::ssize(ids), source_limit()));
  return ids;
}

Json Alone::attention(const std::string& line, const std::string& prefix) {
  const decode::Translation own = translate({line}, 1, {prefix})[0];
  Json body;
  body["model"] = settings_.shown.name;
  body["translatedText"] = own.text;
  body["words"] = serve::words_of(target_, own, target_.encode(prefix).size());
  const Ids ids = own.hypotheses.empty() ? Ids() : own.hypotheses[0].ids;
  const std::size_t pieces = source_.encode(line, source_limit()).size();
  if (std::cmp_greater(pieces, source_limit())) body["cutLines"] = {1};
  if (!own.hypotheses.empty() && own.hypotheses[0].cut) body["cutTranslations"] = {1};
  serve::add_attention(
      settings_.shown, pieces, ids.size(),
      [&] { return own.hypotheses.empty() ? study::AttendedSentence() : attended(line, ids); },
      body);
  return body;
}

study::AttendedSentence Alone::attended(const std::string& line, const Ids& target) {
  Sentence sentence(*network_, source_pieces(line));
  study::AttendedSentence out;
  return out;
}

Json Alone::candidates(const std::string& line, const std::string& prefix, int64_t count) {
  const Ids source = source_pieces(line);
  std::vector<decode::NextWord> words;
  if (!source.empty()) {
    Scores scores(Sentence(*network_, source), never());
    words = decode::next_words(target_, std::ref(scores), prefix, count, longest());
  }
  return {{"candidates", serve::candidates_of(words)}};
}

}  // namespace heed::web
