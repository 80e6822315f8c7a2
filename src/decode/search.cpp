#include "decode/search.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.h"
#include "decode/beam.h"
#include "decode/candidates.h"
#include "decode/ensemble.h"
#include "model/device.h"
#include "model/evaluation_mode.h"
#include "text/vocabulary.h"

namespace heed::decode {
namespace {

constexpr double kForbidden = -std::numeric_limits<double>::infinity();

/// On a GPU sentences that are done leave once they are this part of all: each time copies what the
/// models keep of the others. Recorded steps are of half as many then.
constexpr std::size_t kWorthLeaving = 4, kWorthLeavingGraphs = 2;

constexpr int64_t kSentencesOfAThread = 64;

class Search {
 public:
  Search(const std::vector<model::Model*>& models, const std::vector<model::Source>& sources,
         const SearchOptions& options)
      : options_(options),
        device_(sources[0].tokens.device()),
        ensemble_(models, sources, options.keep_attention || options.config.coverage_penalty > 0),
        never_(model::upload_numbers(options.never, device_)) {
    std::vector<int64_t> at_first = options.never;
    at_first.push_back(text::kEnd);
    never_at_first_ = model::upload_numbers(at_first, device_);
    int64_t longest = std::numeric_limits<int64_t>::max();
    for (const auto* one : models) longest = std::min(longest, one->longest());
    int64_t most_steps = 0;
    const int64_t* lengths = sources[0].lengths.const_data_ptr<int64_t>();
    for (int64_t i = 0; i < sources[0].lengths.numel(); ++i) {
      const int64_t pieces = lengths[i] - 1;
      const uint64_t stream = options.sampling_streams.empty() ? i : options.sampling_streams.at(i);
      const int64_t given = prefixes_.empty() ? 0 : std::ssize(prefixes_.at(i));
      const int64_t limit = std::min(given + length_limit(config_, pieces, longest), longest);
      beams_.emplace_back(options_, pieces, limit, stream);
      active_.push_back(i);
      most_steps = std::max(most_steps, limit);
    }
    const int64_t most = samples(config_.sampling) ? config_.n_best : config_.beam_size;
    if (!options.recorded || !ensemble_.record(*options.recorded, most, most_steps)) return;
    least_width_ = width_ = static_cast<std::size_t>(most);
    worth_leaving_ = kWorthLeavingGraphs;
  }

  std::vector<std::vector<Hypothesis>> run() {
    const auto sentences = static_cast<int64_t>(active_.size());
    const auto width = static_cast<int64_t>(width_);
    const std::vector<int64_t> first(sentences * width, text::kBegin);
    Tensor tokens = model::upload_numbers(first, device_).view({sentences, width});
    for (step_ = 0; tokens.defined(); ++step_) {
      advance(ensemble_.step(tokens));
      tokens = continue_live();
    }
    std::vector<std::vector<Hypothesis>> out;
    for (const Beam& beam : beams_) {
      out.push_back(beam.best());
      if (!options_.keep_attention)
        for (auto& hypothesis : out.back()) hypothesis.attention.clear();
    }
    return out;
  }

 private:
  /// The continuations that can matter to a hypothesis' sentence.
  Candidates candidates(const CandidateScores& scores) const {
    const auto& sampling = config_.sampling;
    if (!samples(sampling))
      return best_candidates(scores, config_.beam_size == 1 ? 1 : config_.beam_size + 1);
    if (sampling.top_k > 0 && sampling.top_k < scores.values.size(1))
      return best_candidates(scores, sampling.top_k);
    return all_candidates(scores);
  }

  /// What the prefix of a sentence goes on with, and how its hypotheses score that.
  struct Forced {
    int64_t row, piece;
    Tensor scores;  // [beam]
  };

  /// `scores` [sentences, beam, vocab].
  std::vector<Forced> forced_pieces(const Tensor& scores) const {
    std::vector<Forced> out;
    for (std::size_t i = 0; !prefixes_.empty() && i < active_.size(); ++i) {
      const auto& prefix = prefixes_[active_[i]];
      if (step_ >= std::ssize(prefix)) continue;
      const auto row = static_cast<int64_t>(i);
      out.push_back({row, prefix[step_], scores[row].select(-1, prefix[step_]).clone()});
    }
    return out;
  }

  void advance(const Ensemble::Output& output) {
    const auto width = static_cast<int64_t>(width_);
    const Tensor values = output.scores.values.unflatten(0, {-1, width});
    const auto forced = forced_pieces(values);
    forbid(values);
    for (const Forced& one : forced) {
      values[one.row].fill_(kForbidden);
      values[one.row].select(-1, one.piece).copy_(one.scores);
    }
    const Candidates next = candidates(output.scores);
    const Tensor attention = output.attention ? output.attention->host() : Tensor();
    at::parallel_for(0, std::ssize(active_), kSentencesOfAThread, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        Beam& beam = beams_[active_[i]];
        if (beam.done()) continue;
        if (attention.defined()) {
          const int64_t source = attention.size(2);
          beam.attend(attention.const_data_ptr<float>() + i * width * source, source);
        }
        beam.advance(next, i * width);
      }
    });
  }

  void forbid(const Tensor& scores) {
    scores.index_fill_(2, step_ < config_.min_length ? never_at_first_ : never_, kForbidden);
    if (config_.no_repeat_ngram == 0 || step_ < config_.no_repeat_ngram) return;
    const int64_t width = scores.size(1), vocab = scores.size(2);
    std::vector<int64_t> cells;
    for (std::size_t i = 0; i < active_.size(); ++i) {
      const Beam& beam = beams_[active_[i]];
      for (std::size_t slot = 0; slot < beam.live().size(); ++slot)
        for (const int32_t token : beam.repeating(slot, config_.no_repeat_ngram))
          cells.push_back(static_cast<int64_t>(i * width + slot) * vocab + token);
    }
    if (cells.empty()) return;
    scores.view({-1}).index_fill_(0, model::upload_numbers(cells, device_), kForbidden);
  }

  /// The rows of sentences that go on. On a GPU those that are done stay a while.
  std::vector<int64_t> remaining() const {
    std::vector<int64_t> rows;
    for (std::size_t i = 0; i < active_.size(); ++i)
      if (!beams_[active_[i]].done()) rows.push_back(static_cast<int64_t>(i));
    const std::size_t done = active_.size() - rows.size();
    if (rows.empty() || device_.is_cpu() || done * worth_leaving_ >= active_.size()) return rows;
    rows.resize(active_.size());
    std::iota(rows.begin(), rows.end(), 0);
    return rows;
  }

  /// Finished sentences leave, the others continue their live hypotheses. Returns the next step's
  /// tokens [sentences, beam]; undefined when all are done.
  Tensor continue_live() {
    const std::vector<int64_t> kept = remaining();
    if (kept.empty()) return {};
    const bool left = kept.size() < active_.size();
    std::size_t width = least_width_;
    std::vector<int64_t> next_active;
    for (const int64_t row : kept) {
      next_active.push_back(active_[row]);
      width = std::max(width, beams_[active_[row]].live().size());
    }
    active_ = std::move(next_active);

    // Rows without a hypothesis repeat the first one; nobody reads them.
    const std::size_t rows = kept.size() * width;
    std::vector<int64_t> numbers(2 * rows, text::kEnd);  // tokens, then hypotheses
    bool same = !left && width == width_;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const auto& live = beams_[active_[i]].live();
      const int64_t first = kept[i] * static_cast<int64_t>(width_);
      for (std::size_t slot = 0; slot < width; ++slot) {
        const std::size_t row = i * width + slot;
        numbers[rows + row] = first + (slot < live.size() ? live[slot].slot : 0);
        if (slot >= live.size()) continue;
        numbers[row] = live[slot].token;
        same = same && live[slot].slot == static_cast<int32_t>(slot);
      }
    }
    width_ = width;
    numbers.resize(same ? rows : 2 * rows);
    if (left) numbers.insert(numbers.end(), kept.begin(), kept.end());
    return go_on(model::upload_numbers(numbers, device_), static_cast<int64_t>(rows), left);
  }

  /// `numbers`: tokens; then, if any, hypotheses, and the sentences that are left.
  Tensor go_on(const Tensor& numbers, int64_t rows, bool left) {
    const std::vector<int64_t> shape{-1, static_cast<int64_t>(width_)};
    if (numbers.numel() > rows) {
      const Tensor sentences =
          left ? numbers.narrow(0, 2 * rows, numbers.numel() - 2 * rows) : Tensor();
      ensemble_.go_on_with(sentences, numbers.narrow(0, rows, rows).view(shape));
    }
    return numbers.narrow(0, 0, rows).view(shape);
  }

  const SearchOptions& options_;
  const DecodeConfig& config_ = options_.config;
  const std::vector<std::vector<int32_t>>& prefixes_ = options_.prefixes;
  at::Device device_;
  Ensemble ensemble_;
  std::vector<Beam> beams_;      // all sentences
  std::vector<int64_t> active_;  // those that the models have rows of, in their order
  int64_t step_ = 0;
  std::size_t width_ = 1;  // hypotheses per sentence in the models' states
  std::size_t least_width_ = 1, worth_leaving_ = kWorthLeaving;
  Tensor never_, never_at_first_;  // pieces
};

}  // namespace

int64_t length_limit(const DecodeConfig& config, int64_t source_pieces, int64_t model_longest) {
  const double limit = std::ceil(config.max_length_ratio * static_cast<double>(source_pieces)) + 10;
  return std::min(std::max(static_cast<int64_t>(limit), config.min_length + 1), model_longest);
}

std::vector<std::vector<Hypothesis>> search(const std::vector<model::Model*>& models,
                                            const std::vector<model::Source>& sources,
                                            const SearchOptions& options) {
  expect(!models.empty() && models.size() == sources.size(), "one source per model");
  for (const auto& source : sources)
    expect(source.lengths.numel() == sources[0].lengths.numel(), "the same sentences for all");
  if (sources[0].lengths.numel() == 0) return {};
  const at::NoGradGuard no_gradients;
  const model::EvaluationMode mode(models);
  return Search(models, sources, options).run();
}

}  // namespace heed::decode
