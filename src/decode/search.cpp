#include "decode/search.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "decode/beam.h"
#include "decode/candidates.h"
#include "decode/ensemble.h"
#include "model/device.h"
#include "text/vocabulary.h"

namespace heed::decode {
namespace {

constexpr double kForbidden = -std::numeric_limits<double>::infinity();

class Search {
 public:
  Search(const std::vector<model::Model*>& models, const std::vector<model::Source>& sources,
         const SearchOptions& options)
      : config_(options.config),
        keep_attention_(options.keep_attention),
        prefixes_(options.prefixes),
        device_(sources[0].tokens.device()),
        ensemble_(models, sources, options.keep_attention || options.config.coverage_penalty > 0) {
    int64_t longest = std::numeric_limits<int64_t>::max();
    for (const auto* one : models) longest = std::min(longest, one->longest());
    const int64_t* lengths = sources[0].lengths.const_data_ptr<int64_t>();
    for (int64_t i = 0; i < sources[0].lengths.numel(); ++i) {
      const int64_t pieces = lengths[i] - 1;
      const uint64_t stream = options.sampling_streams.empty() ? i : options.sampling_streams.at(i);
      const int64_t given = prefixes_.empty() ? 0 : std::ssize(prefixes_.at(i));
      const int64_t limit = std::min(given + length_limit(config_, pieces, longest), longest);
      beams_.emplace_back(config_, pieces, limit, stream);
      active_.push_back(i);
    }
  }

  std::vector<std::vector<Hypothesis>> run() {
    const auto sentences = static_cast<int64_t>(active_.size());
    const std::vector<int64_t> first(sentences, text::kBegin);
    Tensor tokens = model::upload_numbers(first, device_).view({sentences, 1});
    for (step_ = 0; !active_.empty(); ++step_) {
      const Ensemble::Output output = ensemble_.step(tokens);
      advance(output);
      tokens = continue_live();
    }
    std::vector<std::vector<Hypothesis>> out;
    for (const Beam& beam : beams_) {
      out.push_back(beam.best());
      if (!keep_attention_)
        for (auto& hypothesis : out.back()) hypothesis.attention.clear();
    }
    return out;
  }

 private:
  /// The continuations that can matter to a hypothesis' sentence.
  Candidates candidates(const Tensor& scores, const Ensemble::Output& output) const {
    const auto& sampling = config_.sampling;
    const Tensor rows = scores.flatten(0, 1);
    if (!samples(sampling)) {
      const int64_t count = config_.beam_size == 1 ? 1 : config_.beam_size + 1;
      return best_candidates(rows, count, output.partitions);
    }
    if (sampling.top_k > 0 && sampling.top_k < rows.size(1))
      return best_candidates(rows, sampling.top_k, output.partitions);
    return all_candidates(rows, output.partitions);
  }

  /// What the prefix of a sentence goes on with, and how its hypotheses score that.
  struct Forced {
    int64_t row, piece;
    Tensor scores;  // [beam]
  };

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
    Tensor scores = output.scores;  // [sentences, beam, vocab]
    const int64_t width = scores.size(1);
    const auto forced = forced_pieces(scores);
    forbid(scores);
    for (const Forced& one : forced) {
      scores[one.row].fill_(kForbidden);
      scores[one.row].select(-1, one.piece).copy_(one.scores);
    }
    const Candidates next = candidates(scores, output);
    for (std::size_t i = 0; i < active_.size(); ++i) {
      Beam& beam = beams_[active_[i]];
      const auto first_row = static_cast<int64_t>(i) * width;
      if (output.attention.defined()) {
        const int64_t source = output.attention.size(2);
        beam.attend(output.attention.const_data_ptr<float>() + first_row * source, source);
      }
      beam.advance(next, first_row);
    }
  }

  void forbid(Tensor& scores) {
    scores.select(-1, text::kPad).fill_(kForbidden);
    scores.select(-1, text::kBegin).fill_(kForbidden);
    if (step_ < config_.min_length) scores.select(-1, text::kEnd).fill_(kForbidden);
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

  /// Finished sentences leave, the others continue their live hypotheses. Returns the next step's
  /// tokens.
  Tensor continue_live() {
    std::vector<int64_t> kept, next_active;
    std::size_t width = 0;
    for (std::size_t i = 0; i < active_.size(); ++i) {
      const Beam& beam = beams_[active_[i]];
      if (beam.done()) continue;
      kept.push_back(static_cast<int64_t>(i));
      next_active.push_back(active_[i]);
      width = std::max(width, beam.live().size());
    }
    const auto count = static_cast<int64_t>(kept.size());
    const bool left = kept.size() < active_.size();
    active_ = std::move(next_active);
    if (active_.empty()) return {};
    if (left) ensemble_.keep(model::upload_numbers(kept, device_));

    // Rows without a hypothesis repeat the first one; nobody reads them.
    std::vector<int64_t> parents(count * width, 0), tokens(count * width, text::kEnd);
    bool same = width == width_;
    for (int64_t i = 0; i < count; ++i) {
      const auto& live = beams_[active_[i]].live();
      for (std::size_t slot = 0; slot < live.size(); ++slot) {
        parents[i * width + slot] = live[slot].slot;
        tokens[i * width + slot] = live[slot].token;
        same = same && live[slot].slot == static_cast<int32_t>(slot);
      }
    }
    width_ = width;
    const std::vector<int64_t> shape{count, static_cast<int64_t>(width)};
    if (!same) ensemble_.reorder(model::upload_numbers(parents, device_).view(shape));
    return model::upload_numbers(tokens, device_).view(shape);
  }

  const DecodeConfig config_;
  bool keep_attention_;
  const std::vector<std::vector<int32_t>>& prefixes_;
  at::Device device_;
  Ensemble ensemble_;
  std::vector<Beam> beams_;      // all sentences
  std::vector<int64_t> active_;  // those still searched, in the order of the models' rows
  int64_t step_ = 0;
  std::size_t width_ = 1;  // hypotheses per sentence in the models' states
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
  const EvalMode eval_mode(models);
  return Search(models, sources, options).run();
}

}  // namespace heed::decode
