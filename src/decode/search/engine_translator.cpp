#include "decode/search/engine_translator.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <span>
#include <utility>

#include "base/error.h"
#include "config/attention_kind.h"
#include "data/batch.h"
#include "decode/search/candidates.h"
#include "decode/search/config.h"
#include "engine/matrix.h"
#include "engine/output_product.h"
#include "engine/threads.h"
#include "engine/weights.h"
#include "kernels/rows/loops.h"
#include "text/vocabulary.h"

namespace heed::decode {
namespace {

class EngineSteps : public Steps {
 public:
  EngineSteps(const std::vector<std::shared_ptr<const engine::Network>>& networks,
              const std::vector<data::Batch>& sources, const SearchOptions& options,
              const engine::Threads& threads)
      : options_(options), threads_(threads) {
    for (const engine::PieceList& list : options.lists) lists_.push_back(&list);
    for (std::size_t m = 0; m < networks.size(); ++m) {
      const data::Batch& source = sources[m];
      decoders_.push_back(networks[m]->start({source.source.data(), source.source_lengths.data(),
                                              source.size, source.source_length, options.lists},
                                             threads));
    }
  }

  StepResult step(const StepRequest& request) override {
    if (!request.sentences.empty() || !request.hypotheses.empty())
      for (auto& decoder : decoders_) decoder->reorder(request.sentences, request.hypotheses);
    if (!lists_.empty() && !request.sentences.empty()) engine::choose(lists_, request.sentences);
    width_ = request.width;
    StepResult result;
    std::vector<float>* attention = options_.wants_attention() ? &result.attention : nullptr;
    std::vector<float> required(request.required.size(), kNever);
    if (decoders_.size() == 1 && lists_.empty() && request.candidates > 0) {
      result.candidates = best_by_block(request, attention, required);
      result.required = log_probabilities_of(request, required);
      return result;
    }
    const auto rows = std::ssize(request.tokens);
    float* values = scores(request, attention);
    forbid(request, {values, columns(), 0, columns()});
    take_required(request, {values, columns(), 0, columns()}, required);
    const bool alone = decoders_.size() == 1;
    const ScoreRows scores{.values = values,
                           .rows = rows,
                           .vocabulary = columns(),
                           .partitions = alone ? partitions_ : std::span<kernels::Partition>(),
                           .summed = alone ? 0 : std::ssize(decoders_)};
    result.candidates = request.candidates == 0
                            ? all_candidates(scores)
                            : best_candidates(scores, request.candidates, threads_);
    result.required = log_probabilities_of(request, required);
    if (!lists_.empty()) name_pieces(result.candidates);
    return result;
  }

  const engine::Threads& threads() const override { return threads_; }

 private:
  int64_t columns() const { return decoders_.front()->columns(); }
  /// Returns how many scores a row has.
  int64_t count(int64_t row) const {
    return lists_.empty() ? columns() : std::ssize(*lists_[row / width_]);
  }

  /// The scores of the columns [first, first + count), whose rows are `stride` numbers apart.
  struct Block {
    float* values;
    int64_t stride, first, count;

    bool has(int64_t column) const { return column >= first && column < first + count; }
  };

  /// Returns where the score of a piece is; null where the block has none, or a shortlist has left
  /// it out.
  float* score_of(const Block& block, int64_t row, int64_t piece) const {
    if (!lists_.empty()) {
      const engine::PieceList& list = *lists_[row / width_];
      const auto found = std::ranges::lower_bound(list, piece);
      if (found == list.end() || *found != piece) return nullptr;
      piece = found - list.begin();
    }
    return block.has(piece) ? block.values + row * block.stride + piece - block.first : nullptr;
  }

  /// Replaces the columns of candidates by the pieces of the lists that they stand for.
  void name_pieces(Candidates& candidates) const {
    const auto cells = std::ssize(candidates.values);
    std::vector<int64_t> names(cells);
    for (int64_t i = 0; i < cells; ++i) {
      const int64_t row = i / candidates.count, column = candidates.id(row, i % candidates.count);
      if (column < count(row)) names[i] = (*lists_[row / width_])[column];
    }
    candidates.ids = std::move(names);
  }

  /// Computes the logits of one network, with their partitions_, or the sums of the probabilities
  /// of several networks.
  float* scores(const StepRequest& request, std::vector<float>* attention) {
    const auto rows = std::ssize(request.tokens);
    if (decoders_.size() > 1) sums_.assign(rows * columns(), 0);
    float* logits = nullptr;
    for (auto& decoder : decoders_) {
      logits = decoder
                   ->step(request.tokens.data(), request.width,
                          &decoder == &decoders_.front() ? attention : nullptr)
                   .logits();
      partitions_.resize(rows);
      threads_(rows, 8, [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r) {
          const float* row = logits + r * columns();
          partitions_[r] = kernels::partition_of(row, count(r));
          if (sums_.empty()) continue;
          float* sums = sums_.data() + r * columns();
          kernels::add_probabilities(row, partitions_[r], count(r), sums);
          std::fill(sums + count(r), sums + columns(), kNever);
        }
      });
      require_sound_partitions();
    }
    return sums_.empty() ? logits : sums_.data();
  }

  void require_sound_partitions() const {
    require_numbers(std::ranges::none_of(
        partitions_, [](const kernels::Partition& one) { return std::isnan(one.log_sum); }));
  }

  /// Returns the best candidates of one network without a shortlist. The logits of a block are read
  /// while they are still in the processor's cache, and then overwritten: with a large vocabulary
  /// it would take longer to store and read them than to compute them.
  Candidates best_by_block(const StepRequest& request, std::vector<float>* attention,
                           std::vector<float>& required) {
    constexpr int64_t kBlock = engine::OutputProduct::kBlock;
    const engine::OutputProduct& output =
        decoders_.front()->step(request.tokens.data(), request.width, attention);
    const auto rows = std::ssize(request.tokens);
    const int64_t count = std::min(request.candidates, columns());
    const std::vector<BestPieces> none(rows, BestPieces(count));
    std::vector<BestPieces> best = none;
    std::vector<kernels::ScoreSum> sums(output.blocks() * rows);  // [blocks, rows]
    std::mutex joining;
    threads_(output.blocks(), output.grain(), [&](int64_t first, int64_t last) {
      std::vector<BestPieces> own = none;
      engine::Floats logits;
      for (int64_t i = first; i < last; ++i) {
        output.block(i, logits);
        const Block block{logits.data(), kBlock, i * kBlock,
                          std::min(kBlock, columns() - i * kBlock)};
        kernels::ScoreSum* sum = &sums[i * rows];
        for (int64_t r = 0; r < rows; ++r)
          sum[r] = kernels::score_sum_of(block.values + r * kBlock, block.count);
        forbid(request, block);
        take_required(request, block, required);
        for (int64_t r = 0; r < rows; ++r)
          if (sum[r].most >= own[r].least())
            own[r].offer({block.values + r * kBlock, static_cast<std::size_t>(block.count)},
                         block.first);
      }
      const std::lock_guard lock(joining);
      for (int64_t r = 0; r < rows; ++r)
        for (const ScoredPiece& one : own[r].all()) best[r].offer(one);
    });
    partitions_.resize(rows);
    for (int64_t r = 0; r < rows; ++r)
      partitions_[r] = kernels::partition_of(&sums[r], output.blocks(), rows);
    require_sound_partitions();
    return candidates_of(best, {.rows = rows, .partitions = partitions_}, count);
  }

  /// Stores the scores of those required pieces that the block has.
  void take_required(const StepRequest& request, const Block& block,
                     std::vector<float>& required) const {
    for (std::size_t i = 0; i < required.size(); ++i)
      if (const float* score = score_of(block, request.required[i].row, request.required[i].piece))
        required[i] = *score;
  }

  std::vector<float> log_probabilities_of(const StepRequest& request,
                                          const std::vector<float>& required) const {
    std::vector<kernels::Partition> partitions;
    const bool alone = decoders_.size() == 1;
    for (const NextPiece& one : request.required)
      if (alone) partitions.push_back(partitions_[one.row]);
    return all_candidates({.values = required.data(),
                           .rows = std::ssize(required),
                           .vocabulary = 1,
                           .partitions = partitions,
                           .summed = alone ? 0 : std::ssize(decoders_)})
        .values;
  }

  void forbid(const StepRequest& request, const Block& block) const {
    std::vector<std::pair<float*, float>> kept;
    for (const ForcedPiece& one : request.forced)
      for (int64_t i = 0; i < request.width; ++i) {
        const int64_t row = one.sentence * request.width + i;
        float* score = score_of(block, row, one.piece);
        if (score != nullptr) kept.emplace_back(score, *score);
        std::fill_n(block.values + row * block.stride, block.count, kNever);
      }
    const auto never = [&](int64_t row, int64_t piece) {
      if (float* score = score_of(block, row, piece)) *score = kNever;
    };
    const auto never_in_any = [&](int64_t piece) {
      if (lists_.empty() && !block.has(piece)) return;
      for (int64_t row = 0; row < std::ssize(request.tokens); ++row) never(row, piece);
    };
    for (const int64_t piece : options_.never) never_in_any(piece);
    if (!request.may_end) never_in_any(text::kEnd);
    for (const NextPiece& one : request.forbidden) never(one.row, one.piece);
    for (const auto& [score, value] : kept) *score = value;
  }

  const SearchOptions& options_;
  const engine::Threads& threads_;
  // One list for each sentence that is left. Empty: all pieces count.
  std::vector<const engine::PieceList*> lists_;
  int64_t width_ = 1;  // hypotheses of a sentence
  std::vector<std::unique_ptr<engine::BatchDecoder>> decoders_;
  std::vector<kernels::Partition> partitions_;  // one a row, of the last network
  std::vector<float> sums_;                     // [rows, columns()]
};

/// Returns an encoder's map with padding; the rows of `map` are those of the sentences one after
/// another, without padding.
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

/// Copies the one row that `map` has of each sentence to row `step` of that sentence in `out`,
/// which may have more keys.
void put_rows(const engine::LayerMap& map, int64_t step, int64_t steps, engine::LayerMap& out) {
  const int64_t sentences = std::ssize(map.weights) / (map.heads * map.keys);
  for (int64_t s = 0; s < sentences; ++s)
    for (int64_t h = 0; h < map.heads; ++h)
      std::copy_n(map.weights.begin() + (s * map.heads + h) * map.keys, map.keys,
                  out.weights.begin() + ((s * steps + step) * map.heads + h) * out.keys);
}

}  // namespace

void with_steps(const std::vector<std::shared_ptr<const engine::Network>>& networks,
                const std::vector<data::Batch>& sources, const SearchOptions& options,
                const engine::Threads& threads, const std::function<void(Steps&)>& work) {
  expect(!networks.empty() && networks.size() == sources.size(), "one source per network");
  for (const data::Batch& source : sources)
    expect(source.size == sources[0].size, "the same sentences for all");
  EngineSteps steps(networks, sources, options, threads);
  work(steps);
}

engine::WeightFormat weight_format(WeightType weights, bool bf16) {
  switch (weights) {
    case WeightType::int8:
    case WeightType::auto_int8:
      return engine::WeightFormat::int8;
    case WeightType::bf16:
    case WeightType::auto_bf16:
      return engine::WeightFormat::bf16;
    case WeightType::auto_fp32:
      return engine::WeightFormat::fp32;
    case WeightType::fp32:
    case WeightType::auto_:
      break;
  }
  return bf16 ? engine::WeightFormat::bf16 : engine::WeightFormat::fp32;
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
                                  const std::function<void(Steps&)>& work) const {
  decode::with_steps(networks_, sources, options, *threads_, work);
}

engine::LayerMaps EngineTranslator::attention_of(const data::Batch& pairs,
                                                 const std::vector<config::AttentionKind>&) const {
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
