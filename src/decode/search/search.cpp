#include "decode/search/search.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include "decode/search/beam.h"

namespace heed::decode {
namespace {

constexpr int64_t kSentencesOfAThread = 64;

class Search {
 public:
  Search(Steps& steps, std::span<const int64_t> source_lengths, const SearchOptions& options,
         int64_t longest)
      : steps_(steps), options_(options) {
    int64_t most_steps = 0;
    for (const int64_t length : source_lengths) {
      const auto i = static_cast<int64_t>(active_.size());
      const uint64_t stream = options.sampling_streams.empty() ? i : options.sampling_streams.at(i);
      const int64_t prefix_length = prefixes_.empty() ? 0 : std::ssize(prefixes_.at(i));
      const int64_t limit =
          std::min(prefix_length + length_limit(config_, length - 1, longest), longest);
      const auto terms = options.terms.empty() ? std::vector<TermPieces>() : options.terms.at(i);
      beams_.emplace_back(options_, length - 1, limit, stream, terms);
      active_.push_back(i);
      most_steps = std::max(most_steps, limit);
    }
    width_ = least_width_ =
        steps_.begin(samples(config_.sampling) ? config_.n_best : config_.beam_size, most_steps);
    tokens_.assign(active_.size() * width_, text::kBegin);
  }

  std::vector<std::vector<Hypothesis>> run() {
    for (step_ = 0; !active_.empty(); ++step_) {
      if (options_.interrupted && options_.interrupted())
        return std::vector<std::vector<Hypothesis>>(beams_.size());
      advance();
      continue_live();
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
  /// Returns how many continuations of a hypothesis can matter to its sentence; 0: all.
  int64_t candidates() const {
    const auto& sampling = config_.sampling;
    if (!samples(sampling)) return config_.beam_size == 1 ? 1 : config_.beam_size + 1;
    return sampling.top_k;
  }

  /// Returns the next piece of each prefix that has not come to its end.
  std::vector<ForcedPiece> forced_pieces() const {
    std::vector<ForcedPiece> out;
    for (std::size_t i = 0; !prefixes_.empty() && i < active_.size(); ++i) {
      const auto& prefix = prefixes_[active_[i]];
      if (step_ < std::ssize(prefix))
        out.push_back({.sentence = static_cast<int64_t>(i), .piece = prefix[step_]});
    }
    return out;
  }

  /// Returns pieces for each row: those that `of` returns for a beam and one of its live
  /// hypotheses.
  template <class Of>
  std::vector<NextPiece> next_pieces(const Of& of) const {
    std::vector<NextPiece> out;
    for (std::size_t i = 0; i < active_.size(); ++i) {
      const Beam& beam = beams_[active_[i]];
      for (std::size_t slot = 0; slot < beam.live().size(); ++slot)
        for (const int32_t token : of(beam, slot))
          out.push_back({.row = static_cast<int64_t>(i * width_ + slot), .piece = token});
    }
    return out;
  }

  /// Returns the pieces that would repeat an n-gram.
  std::vector<NextPiece> repetitions() const {
    const int64_t ngram = config_.no_repeat_ngram;
    if (ngram == 0 || step_ < ngram) return {};
    return next_pieces([&](const Beam& beam, auto slot) { return beam.repeating(slot, ngram); });
  }

  /// Returns the pieces that continue terms.
  std::vector<NextPiece> required_pieces() const {
    if (options_.terms.empty()) return {};
    return next_pieces([](const Beam& beam, auto slot) { return beam.required(slot); });
  }

  void advance() {
    const std::vector<ForcedPiece> forced = forced_pieces();
    const std::vector<NextPiece> forbidden = repetitions();
    const std::vector<NextPiece> required = required_pieces();
    const StepResult next = steps_.step({.tokens = tokens_,
                                         .width = width_,
                                         .sentences = sentences_,
                                         .hypotheses = hypotheses_,
                                         .may_end = step_ >= config_.min_length,
                                         .forbidden = forbidden,
                                         .forced = forced,
                                         .required = required,
                                         .candidates = candidates()});
    const int64_t source = std::ssize(next.attention) / std::ssize(tokens_);
    steps_.threads()(std::ssize(active_), kSentencesOfAThread, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        Beam& beam = beams_[active_[i]];
        if (beam.done()) continue;
        if (!next.attention.empty())
          beam.attend(next.attention.data() + i * width_ * source, source);
        const auto first = std::ranges::lower_bound(required, i * width_, {}, &NextPiece::row);
        beam.advance(next.candidates, i * width_,
                     std::span(next.required).subspan(first - required.begin()));
      }
    });
  }

  /// Returns the indices in active_ of the sentences that stay: those that go on, and those that
  /// are done but are not yet worth leaving out.
  std::vector<int64_t> remaining() const {
    std::vector<int64_t> rows;
    for (std::size_t i = 0; i < active_.size(); ++i)
      if (!beams_[active_[i]].done()) rows.push_back(static_cast<int64_t>(i));
    const auto all = std::ssize(active_);
    if (rows.empty() || steps_.is_worth_leaving(all - std::ssize(rows), all)) return rows;
    rows.resize(active_.size());
    std::iota(rows.begin(), rows.end(), 0);
    return rows;
  }

  /// Removes finished sentences, and continues the live hypotheses of the others.
  void continue_live() {
    const std::vector<int64_t> kept = remaining();
    const bool left = kept.size() < active_.size();
    int64_t width = least_width_;
    std::vector<int64_t> next_active;
    for (const int64_t row : kept) {
      next_active.push_back(active_[row]);
      width = std::max<int64_t>(width, std::ssize(beams_[active_[row]].live()));
    }
    active_ = std::move(next_active);

    // Rows without a hypothesis repeat the first one; their results are not used.
    tokens_.assign(kept.size() * width, text::kEnd);
    hypotheses_.resize(tokens_.size());
    bool same = !left && width == width_;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const auto& live = beams_[active_[i]].live();
      for (int64_t slot = 0; slot < width; ++slot) {
        const std::size_t row = i * width + slot;
        hypotheses_[row] = kept[i] * width_ + (slot < std::ssize(live) ? live[slot].slot : 0);
        if (slot >= std::ssize(live)) continue;
        tokens_[row] = live[slot].token;
        same = same && live[slot].slot == slot;
      }
    }
    width_ = width;
    if (same) hypotheses_.clear();
    sentences_ = left ? kept : std::vector<int64_t>();
  }

  Steps& steps_;
  const SearchOptions& options_;
  const DecodeConfig& config_ = options_.config;
  const std::vector<std::vector<int32_t>>& prefixes_ = options_.prefixes;
  std::vector<Beam> beams_;      // all sentences
  std::vector<int64_t> active_;  // the sentences that the models have rows of, in their order
  int64_t step_ = 0;
  int64_t width_ = 1, least_width_ = 1;  // hypotheses per sentence in the models' states
  std::vector<int64_t> tokens_, hypotheses_, sentences_;  // of the next StepRequest
};

}  // namespace

int64_t length_limit(const DecodeConfig& config, int64_t source_pieces, int64_t model_longest) {
  // A part of a piece is added before rounding up: 1.1 * 19 + 1.1 is 22, whatever a double holds.
  constexpr double kRounding = 1e-6;
  const double whole = std::floor(config.max_length_extra), part = config.max_length_extra - whole;
  const double most = config.max_length_ratio * static_cast<double>(source_pieces) + part;
  const double limit = whole + std::ceil(part > 0 ? most - kRounding : most);
  return std::min(std::max(static_cast<int64_t>(limit), config.min_length + 1), model_longest);
}

std::vector<std::vector<Hypothesis>> search(Steps& steps, std::span<const int64_t> source_lengths,
                                            const SearchOptions& options, int64_t longest) {
  return Search(steps, source_lengths, options, longest).run();
}

}  // namespace heed::decode
