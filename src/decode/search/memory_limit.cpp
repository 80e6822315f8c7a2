#include "decode/search/memory_limit.h"

#include <new>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"

namespace heed::decode {

void MemoryLimit::note_too_large(const std::vector<int64_t>& batch, const Search& search) {
  const int64_t sentences = std::ssize(batch), tokens = search.tokens_of(batch);
  if (sentences == 1)
    throw Failure(
        "{}: memory runs out on this one sentence; lower decoding.beam_size, "
        "decoding.max_source_length or decoding.max_length_ratio",
        search.name_of(batch[0]));
  int64_t before = too_large_;
  while (tokens < before && !too_large_.compare_exchange_weak(before, tokens)) {
  }
  if (before == std::numeric_limits<int64_t>::max())
    log::warn(
        "memory runs out on a batch of {}; batches of this size are translated in halves from now "
        "on. decoding.batch_size: {} avoids the repeated work",
        counted(sentences, "sentence"), sentences / 2);
}

void MemoryLimit::search(const std::vector<int64_t>& batch, const Search& search) {
  const bool is_too_large = batch.size() > 1 && search.tokens_of(batch) >= too_large_;
  if (!is_too_large) {
    try {
      return search.run(batch);
    } catch (const std::bad_alloc&) {
      note_too_large(batch, search);
    }
  }
  const auto middle = batch.begin() + std::ssize(batch) / 2;
  for (const auto& half : {std::vector(batch.begin(), middle), std::vector(middle, batch.end())})
    this->search(half, search);
}

}  // namespace heed::decode
