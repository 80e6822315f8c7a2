// The part of a LineTranslator that searches: batches, by several threads, within memory.
#include <algorithm>
#include <atomic>
#include <new>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "decode/search/line_translator.h"

namespace heed::decode {

std::vector<std::vector<int64_t>> LineTranslator::cut(const Lines& lines) const {
  BatchLimits limits = this->limits();
  limits.sentences = std::min(limits.sentences, together_);
  return batches_by_length(lines.lengths, limits, /*skip=*/0);
}

void LineTranslator::search_lines(const Lines& lines, int64_t first_line,
                                  std::vector<Translation>& out) {
  const auto batches = cut(lines);
  // Threads share sentences rather than operations, most of which are too small to be shared.
  share_batches(std::ssize(batches), [&](int64_t i) {
    if (interrupted && interrupted()) return;
    search_within_memory(lines, batches[i], first_line, out);
    if (searched) searched(std::ssize(batches[i]));
  });
}

void LineTranslator::search_rows(const Lines& lines, const std::vector<int64_t>& batch,
                                 int64_t first_line, std::vector<Translation>& out) {
  std::vector<data::Batch> sources;
  for (const auto& examples : lines.members) {
    std::vector<const data::Example*> chosen;
    for (const int64_t i : batch) chosen.push_back(&examples[i]);
    sources.push_back(data::make_batch(chosen));
  }
  SearchOptions options{.config = config_, .keep_attention = keep_attention, .never = never_};
  options.config.n_best = std::max(config_.n_best, config_.mbr);
  // Draws are independent, and mbr adds up what equal texts weigh.
  if (config_.n_best > 1 && config_.mbr == 0 && !samples(config_.sampling))
    options.text = [this](const std::vector<int32_t>& ids) {
      return first_text().target.decode(ids);
    };
  for (const int64_t i : batch) {
    options.sampling_streams.push_back(static_cast<uint64_t>(number_of(i, first_line)));
    if (!lines.prefixes.empty()) options.prefixes.push_back(lines.prefixes[i]);
  }
  auto found = search_batch(sources, options);
  for (std::size_t row = 0; row < batch.size(); ++row)
    out[batch[row]].hypotheses = std::move(found[row]);
}

/// Several threads may come here at once.
void LineTranslator::note_too_large(const std::vector<int64_t>& batch, int64_t tokens,
                                    int64_t first_line) {
  const int64_t sentences = std::ssize(batch);
  if (sentences == 1)
    throw Failure(
        "line {}: memory runs out on this one sentence; lower decoding.beam_size, "
        "decoding.max_source_length or decoding.max_length_ratio",
        number_of(batch[0], first_line));
  const std::atomic_ref too_large(too_large_);
  int64_t before = too_large;
  while (tokens < before && !too_large.compare_exchange_weak(before, tokens)) {
  }
  if (before == std::numeric_limits<int64_t>::max())
    log::warn(
        "memory runs out on a batch of {}; batches of this size are translated in halves from now "
        "on. decoding.batch_size: {} does the same without the detour",
        counted(sentences, "sentence"), sentences / 2);
}

void LineTranslator::search_within_memory(const Lines& lines, const std::vector<int64_t>& batch,
                                          int64_t first_line, std::vector<Translation>& out) {
  const int64_t tokens = (lines.lengths[batch.front()] + 1) * std::ssize(batch);
  const bool is_too_large =
      batch.size() > 1 && tokens >= std::atomic_ref(too_large_);  // as others were before
  if (!is_too_large) {
    try {
      return search_rows(lines, batch, first_line, out);
    } catch (const std::bad_alloc&) {
      note_too_large(batch, tokens, first_line);
    }
  }
  const auto middle = batch.begin() + std::ssize(batch) / 2;
  for (const auto& half : {std::vector(batch.begin(), middle), std::vector(middle, batch.end())})
    search_within_memory(lines, half, first_line, out);
}

}  // namespace heed::decode
