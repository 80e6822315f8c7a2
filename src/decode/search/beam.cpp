#include "decode/search/beam.h"

#include <cstddef>
#include <span>
#include <utility>

#include "text/vocabulary.h"

namespace heed::decode {

Beam::Beam(const SearchOptions& options, int64_t pieces, int64_t limit, uint64_t stream,
           const std::vector<TermPieces>& terms)
    : options_(&options),
      config_(&options.config),
      scorer_(options.config),
      pieces_(pieces),
      limit_(limit),
      live_(1) {
  if (!terms.empty())
    live_[0].terms = terms_.emplace(terms, options.inside_words, options.before_more).start();
  if (!samples(config_->sampling)) return;
  for (int64_t i = 0; i < config_->n_best; ++i)
    random_.push_back(sampling_stream(config_->sampling, stream, static_cast<uint64_t>(i)));
}

void Beam::attend(const float* rows, int64_t stride) {
  std::vector<float> kept;
  kept.reserve(live_.size() * (pieces_ + 1));
  for (std::size_t slot = 0; slot < live_.size(); ++slot) {
    const float* row = rows + static_cast<int64_t>(slot) * stride;
    kept.insert(kept.end(), row, row + pieces_ + 1);
  }
  attention_.push_back(std::move(kept));
}

void Beam::advance(const Candidates& candidates, int64_t first_row,
                   std::span<const float> required) {
  std::vector<Live> next =
      random_.empty() ? search(candidates, first_row, required) : sample(candidates, first_row);
  // All continuations are forbidden (say, every piece would repeat): the hypotheses end here.
  if (next.empty() && obedient() == 0)
    for (const Live& hypothesis : live_) finish(hypothesis, /*cut=*/true);
  if (++steps_ >= limit_) {
    if (obedient() < config_->n_best)
      for (const Live& hypothesis : next) finish(hypothesis, /*cut=*/true);
    next.clear();
  } else if (random_.empty() && may_stop(next)) {
    next.clear();
  }
  live_ = std::move(next);
}

std::vector<Beam::Live> Beam::search(const Candidates& candidates, int64_t first_row,
                                     std::span<const float> required) {
  std::vector<Continuation> choices;
  choices.reserve(live_.size() * candidates.count);
  for (std::size_t slot = 0; slot < live_.size(); ++slot) {
    const int64_t row = first_row + static_cast<int64_t>(slot);
    const auto values = candidates.values_of(row);
    for (int64_t i = 0; i < candidates.count && std::isfinite(values[i]); ++i) {
      const float value = counted(values[i]);
      choices.push_back({static_cast<int32_t>(slot), static_cast<int32_t>(candidates.id(row, i)),
                         value, live_[slot].log_probability + value});
    }
  }
  // Each live hypothesis has one eos, so that twice the beam holds enough of the others.
  const int64_t beam = config_->beam_size, most = std::min<int64_t>(2 * beam, std::ssize(choices));
  if (terms_)
    choose_by_terms(choices, required);
  else
    std::partial_sort(choices.begin(), choices.begin() + most, choices.end());

  std::vector<Live> next;
  for (int64_t i = 0; i < (terms_ ? std::ssize(choices) : most); ++i) {
    const Continuation& choice = choices[i];
    if (choice.token != text::kEnd) {
      if (std::ssize(next) < beam) next.push_back(grow(choice, 0));
    } else if ((terms_ ? choice.bank_rank : i) < beam) {
      finish(grow(choice, 0), /*cut=*/false);
    }
  }
  return next;
}

/// Adds the continuations by required pieces, removes those that would end a hypothesis which lacks
/// terms, and orders all by allocate().
void Beam::choose_by_terms(std::vector<Continuation>& choices, std::span<const float> required) {
  auto score = required.begin();
  for (int32_t slot = 0; slot < std::ssize(live_); ++slot)
    for (const int32_t token : this->required(slot)) {
      const float value = *score++;
      if (!std::isfinite(value)) continue;
      choices.push_back(
          {slot, token, counted(value), live_[slot].log_probability + counted(value)});
    }
  for (Continuation& one : choices) one.terms = terms_->after(*live_[one.slot].terms, one.token);
  std::erase_if(choices, [&](const Continuation& one) {
    const bool lacks = one.token == text::kEnd && one.terms.missing > 0;
    if (lacks) finish(grow(one, 0), /*cut=*/false);
    return lacks;
  });
  allocate(choices, limit_ - steps_ - 2);  // pieces that fit after this one and before eos
}

std::vector<Beam::Live> Beam::sample(const Candidates& candidates, int64_t first_row) {
  const bool first = steps_ == 0;  // all draws start from the one empty hypothesis
  std::vector<Live> next;
  for (std::size_t i = 0; i < (first ? random_.size() : live_.size()); ++i) {
    const std::size_t slot = first ? 0 : i;
    const int32_t draw_index = first ? static_cast<int32_t>(i) : live_[i].sample;
    const int64_t row = first_row + static_cast<int64_t>(slot);
    const int64_t drawn = draw(candidates.values_of(row), config_->sampling, random_[draw_index]);
    if (drawn < 0) {
      finish(live_[slot], /*cut=*/true);
      continue;
    }
    const float value = counted(candidates.values_of(row)[drawn]);
    const Live grown =
        grow({static_cast<int32_t>(slot), static_cast<int32_t>(candidates.id(row, drawn)), value,
              live_[slot].log_probability + value},
             draw_index);
    if (grown.token == text::kEnd)
      finish(grown, /*cut=*/false);
    else
      next.push_back(grown);
  }
  return next;
}

Beam::Live Beam::grow(const Continuation& choice, int32_t sample) {
  const Live& before = live_[choice.slot];
  nodes_.push_back({before.node, choice.token, choice.log_probability, choice.slot});
  const auto node = static_cast<int32_t>(nodes_.size()) - 1;
  return {node,   choice.slot,  choice.token,
          sample, choice.total, terms_ ? terms_->next(*before.terms, choice.token) : nullptr};
}

void Beam::finish(const Live& hypothesis, bool cut) {
  const auto length = static_cast<int64_t>(path(hypothesis.node).size());
  const double score = scorer_.score(hypothesis.log_probability, length, coverage(hypothesis.node));
  const auto better = [](const FinishedHypothesis& a, const FinishedHypothesis& b) {
    if (a.missing != b.missing) return a.missing < b.missing;
    return a.cut != b.cut ? b.cut : a.score > b.score;
  };
  FinishedHypothesis entry{
      hypothesis.node, hypothesis.log_probability, score, cut, missing(hypothesis), ""};
  if (options_->text) {
    entry.text = options_->text(pieces_to(hypothesis.node));
    const auto same = std::ranges::find(finished_, entry.text, &FinishedHypothesis::text);
    if (same != finished_.end()) {
      if (!better(entry, *same)) return;
      finished_.erase(same);
    }
  }
  const auto after = std::upper_bound(finished_.begin(), finished_.end(), entry, better);
  finished_.insert(after, std::move(entry));
}

bool Beam::may_stop(const std::vector<Live>& next) const {
  const int64_t count = obedient();
  if (next.empty() || count < config_->n_best) return false;
  if (!scorer_.exact() && count >= config_->beam_size) return true;
  const double likeliest = std::ranges::max(next, {}, &Live::log_probability).log_probability;
  return scorer_.bound(likeliest, steps_ + 1, limit_) <= finished_[config_->n_best - 1].score;
}

std::vector<int32_t> Beam::path(int32_t node) const {
  std::vector<int32_t> nodes;
  for (; node >= 0; node = nodes_[node].parent) nodes.push_back(node);
  std::reverse(nodes.begin(), nodes.end());
  return nodes;
}

std::vector<int32_t> Beam::pieces_to(int32_t node) const {
  std::vector<int32_t> ids;
  for (const int32_t at : path(node))
    if (nodes_[at].token != text::kEnd) ids.push_back(nodes_[at].token);
  return ids;
}

const float* Beam::attention_row(int64_t step, int32_t slot) const {
  return attention_[step].data() + slot * (pieces_ + 1);
}

double Beam::coverage(int32_t node) const {
  if (!scorer_.wants_coverage() || attention_.empty()) return 0;
  std::vector<double> attended(pieces_, 0.0);
  int64_t step = 0;
  for (const int32_t at : path(node)) {
    const float* row = attention_row(step++, nodes_[at].slot);
    for (int64_t i = 0; i < pieces_; ++i) attended[i] += row[i];
  }
  return scorer_.coverage(attended);
}

std::vector<int32_t> Beam::repeating(std::size_t slot, int64_t ngram) const {
  std::vector<int32_t> ids, banned;
  for (const int32_t at : path(live_[slot].node)) ids.push_back(nodes_[at].token);
  const int64_t context = ngram - 1;
  for (int64_t i = 0; i + ngram <= static_cast<int64_t>(ids.size()); ++i)
    if (std::equal(ids.begin() + i, ids.begin() + i + context, ids.end() - context))
      banned.push_back(ids[i + context]);
  return banned;
}

Hypothesis Beam::build(const FinishedHypothesis& finished) const {
  Hypothesis out{.ids = pieces_to(finished.node),
                 .log_probability = finished.log_probability,
                 .score = finished.score,
                 .cut = finished.cut,
                 .missing = finished.missing};
  int64_t step = 0;
  for (const int32_t at : path(finished.node)) {
    const TreePiece& node = nodes_[at];
    out.token_log_probabilities.push_back(node.log_probability);
    if (!attention_.empty()) {
      const float* row = attention_row(step++, node.slot);
      out.attention.emplace_back(row, row + pieces_ + 1);
    }
  }
  return out;
}

std::vector<Hypothesis> Beam::best() const {
  std::vector<Hypothesis> out;
  for (const FinishedHypothesis& finished : finished_) {
    if (static_cast<int64_t>(out.size()) == config_->n_best) break;
    if (config_->mbr > 0 && finished.missing > finished_.front().missing) break;
    out.push_back(build(finished));
  }
  return out;
}

}  // namespace heed::decode
