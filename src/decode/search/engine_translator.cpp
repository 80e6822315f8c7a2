#include "decode/search/engine_translator.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.h"
#include "decode/search/steps.h"
#include "text/vocabulary.h"

namespace heed::decode {
namespace {

class EngineSteps : public Steps {
 public:
  EngineSteps(const std::vector<std::shared_ptr<const engine::Network>>& networks,
              const std::vector<data::Batch>& sources, const std::vector<int64_t>& never,
              bool keep_attention, const engine::Threads& threads)
      : never_(never), keep_attention_(keep_attention), threads_(threads) {
    for (std::size_t m = 0; m < networks.size(); ++m) {
      const data::Batch& source = sources[m];
      decoders_.push_back(networks[m]->start(
          {source.source.data(), source.source_lengths.data(), source.size, source.source_length},
          threads));
    }
  }

  StepResult step(const StepRequest& request) override {
    if (!request.sentences.empty() || !request.hypotheses.empty())
      for (auto& decoder : decoders_) decoder->go_on_with(request.sentences, request.hypotheses);
    StepResult result;
    const auto rows = std::ssize(request.tokens);
    float* values = scores(request, keep_attention_ ? &result.attention : nullptr);
    forbid(request, values);
    const bool alone = decoders_.size() == 1;
    const ScoreRows scores{.values = values,
                           .rows = rows,
                           .vocabulary = vocabulary(),
                           .partitions = alone ? partitions_ : std::span<kernels::Partition>(),
                           .summed = alone ? 0 : std::ssize(decoders_)};
    result.candidates = request.candidates == 0
                            ? all_candidates(scores)
                            : best_candidates(scores, request.candidates, threads_);
    return result;
  }

  const engine::Threads& threads() const override { return threads_; }

 private:
  int64_t vocabulary() const { return decoders_.front()->vocabulary(); }

  /// Logits of one network, with their partitions_, or sums of several networks' probabilities.
  float* scores(const StepRequest& request, std::vector<float>* attention) {
    const auto rows = std::ssize(request.tokens);
    if (decoders_.size() > 1) sums_.assign(rows * vocabulary(), 0);
    float* logits = nullptr;
    for (auto& decoder : decoders_) {
      logits = decoder->step(request.tokens.data(), request.width,
                             &decoder == &decoders_.front() ? attention : nullptr);
      partitions_.resize(rows);
      threads_(rows, 8, [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r) {
          const float* row = logits + r * vocabulary();
          partitions_[r] = kernels::partition_of(row, vocabulary());
          if (!sums_.empty())
            kernels::add_probabilities(row, partitions_[r], vocabulary(),
                                       sums_.data() + r * vocabulary());
        }
      });
      require_numbers(std::ranges::none_of(
          partitions_, [](const kernels::Partition& one) { return std::isnan(one.log_sum); }));
    }
    return sums_.empty() ? logits : sums_.data();
  }

  void forbid(const StepRequest& request, float* values) const {
    std::vector<std::pair<int64_t, float>> kept;  // cells
    for (const ForcedPiece& one : request.forced)
      for (int64_t i = 0; i < request.width; ++i) {
        const int64_t row = (one.sentence * request.width + i) * vocabulary();
        kept.emplace_back(row + one.piece, values[row + one.piece]);
        std::fill_n(values + row, vocabulary(), kNever);
      }
    for (float* row = values; row < values + std::ssize(request.tokens) * vocabulary();
         row += vocabulary()) {
      for (const int64_t piece : never_) row[piece] = kNever;
      if (!request.may_end) row[text::kEnd] = kNever;
    }
    for (const ForbiddenPiece& one : request.forbidden)
      values[one.row * vocabulary() + one.piece] = kNever;
    for (const auto& [cell, value] : kept) values[cell] = value;
  }

  const std::vector<int64_t>& never_;
  bool keep_attention_;
  const engine::Threads& threads_;
  std::vector<std::unique_ptr<engine::BatchDecoder>> decoders_;
  std::vector<kernels::Partition> partitions_;  // one a row, of the last network
  std::vector<float> sums_;                     // [rows, vocabulary]
};

std::vector<MemberText> texts_of(const std::vector<EngineMember>& members) {
  std::vector<MemberText> texts;
  for (const EngineMember& member : members) texts.push_back(member.text);
  return texts;
}

}  // namespace

void with_steps(const std::vector<std::shared_ptr<const engine::Network>>& networks,
                const std::vector<data::Batch>& sources, const SearchOptions& options,
                const engine::Threads& threads, const std::function<void(Steps&)>& work) {
  expect(!networks.empty() && networks.size() == sources.size(), "one source per network");
  for (const data::Batch& source : sources)
    expect(source.size == sources[0].size, "the same sentences for all");
  EngineSteps steps(networks, sources, options.never, options.wants_attention(), threads);
  work(steps);
}

engine::WeightFormat weight_format(WeightType weights, bool bf16) {
  if (weights == WeightType::int8) return engine::WeightFormat::int8;
  return bf16 || weights == WeightType::bf16 ? engine::WeightFormat::bf16
                                             : engine::WeightFormat::fp32;
}

void require_coverage(const DecodeConfig& config, bool attends) {
  if (config.coverage_penalty > 0 && !attends)
    throw UserError(
        "decoding.coverage_penalty: counts the attention of the first model, which has none; set "
        "it to 0");
}

EngineTranslator::EngineTranslator(std::vector<EngineMember> members, DecodeConfig config,
                                   engine::WeightFormat numbers, const engine::Threads& threads)
    : LineTranslator(texts_of(members), std::move(config), threads),
      longest_(std::numeric_limits<int64_t>::max()) {
  require_coverage(config_, members.front().attends);
  for (EngineMember& member : members) {
    longest_ = std::min(longest_, member.longest);
    networks_.push_back(std::move(member.network));
  }
  together_ = engine::sentences_together(numbers);
}

void EngineTranslator::with_steps(const std::vector<data::Batch>& sources,
                                  const SearchOptions& options,
                                  const std::function<void(Steps&)>& work) {
  decode::with_steps(networks_, sources, options, *threads_, work);
}

namespace {

/// An encoder's map, whose rows are those of the sentences one after another, with padding.
engine::LayerMap padded(const engine::LayerMap& map, const data::Batch& pairs) {
  const int64_t width = map.heads * map.keys;  // of a row
  engine::LayerMap out = map;
  out.weights.assign(pairs.size * pairs.source_length * width, 0);
  auto from = map.weights.begin();
  for (int64_t s = 0; s < pairs.size; ++s) {
    const auto end = from + pairs.source_lengths[s] * width;
    std::copy(from, end, out.weights.begin() + s * pairs.source_length * width);
    from = end;
  }
  return out;
}

/// One row of each sentence becomes its row `step` of `out`, which may have more keys.
void put_rows(const engine::LayerMap& map, int64_t step, int64_t steps, engine::LayerMap& out) {
  const int64_t sentences = std::ssize(map.weights) / (map.heads * map.keys);
  for (int64_t s = 0; s < sentences; ++s)
    for (int64_t h = 0; h < map.heads; ++h)
      std::copy_n(map.weights.begin() + (s * map.heads + h) * map.keys, map.keys,
                  out.weights.begin() + ((s * steps + step) * map.heads + h) * out.keys);
}

}  // namespace

engine::LayerMaps EngineTranslator::attention_of(const data::Batch& pairs,
                                                 const std::vector<config::AttentionKind>&) {
  engine::LayerMaps maps, all;
  const auto decoder = networks_.front()->start(
      {pairs.source.data(), pairs.source_lengths.data(), pairs.size, pairs.source_length},
      *threads_, &maps);
  for (const engine::LayerMap& map : maps) all.push_back(padded(map, pairs));
  const int64_t encoders = std::ssize(all), steps = pairs.target_length;
  std::vector<int64_t> tokens(pairs.size);
  for (int64_t step = 0; step < steps; ++step) {
    for (int64_t s = 0; s < pairs.size; ++s) tokens[s] = pairs.target_input[s * steps + step];
    decoder->step(tokens.data(), 1, nullptr);
    for (int64_t i = 0; i < std::ssize(maps); ++i) {
      if (step == 0) {
        engine::LayerMap& whole = all.emplace_back(maps[i]);
        if (whole.kind == config::AttentionKind::decoder) whole.keys = steps;
        whole.weights.assign(pairs.size * steps * whole.heads * whole.keys, 0);
      }
      put_rows(maps[i], step, steps, all[encoders + i]);
    }
  }
  return all;
}

}  // namespace heed::decode
