#include "base/format.h"
#include "data/corpus.h"

namespace heed::data {
namespace {

std::string happened(const Notice& notice, const std::string& what) {
  return notice.count == 0 ? "" : fmt::format("\n  {}: {}", what, notice.text());
}

}  // namespace

std::string CorpusReport::text() const {
  std::string text = fmt::format("{}: {} of {} pairs, {} + {} pieces", files_text(source, target),
                                 kept, pairs, source_pieces, target_pieces);
  if (source_unknown + target_unknown > 0)
    text += fmt::format(", {} + {} of them unknown", source_unknown, target_unknown);
  text += happened(blank, "left out, a side is blank");
  for (std::size_t i = 0; i < kFlaws; ++i)
    text += happened(cleaned[i], "left out, " + describe(static_cast<Flaw>(i), clean_ratio));
  text += happened(wordy, fmt::format("left out, more than data.max_words = {}", max_words));
  text += happened(dropped, fmt::format("left out, longer than {} pieces", max_length));
  text += happened(truncated, fmt::format("cut to {} pieces", max_length));
  if (!alignment.empty()) {
    text += fmt::format("\n  {}: {} links of words", alignment, links);
    if (without_links > 0) text += fmt::format(", none in {} pairs", without_links);
  }
  text +=
      happened(other_words, "links left out, the vocabulary finds other words than the text has");
  return text;
}

}  // namespace heed::data
