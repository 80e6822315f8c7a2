#include "data/corpus.h"

namespace heed::data {
namespace {

std::string happened(const Notice& notice, const std::string& what) {
  return notice.count == 0 ? "" : "\n  " + what + ": " + notice.text();
}

}  // namespace

std::string CorpusReport::text() const {
  const auto number = [](int64_t value) { return std::to_string(value); };
  std::string text = files_text(source, target) + ": " + number(kept) + " of " + number(pairs) +
                     " pairs, " + number(source_pieces) + " + " + number(target_pieces) + " pieces";
  if (source_unknown + target_unknown > 0)
    text += ", " + number(source_unknown) + " + " + number(target_unknown) + " of them unknown";
  text += happened(blank, "left out, a side is blank");
  for (std::size_t i = 0; i < kFlaws; ++i)
    text += happened(cleaned[i], "left out, " + describe(static_cast<Flaw>(i), clean_ratio));
  text += happened(wordy, "left out, more than data.max_words = " + number(max_words));
  text += happened(dropped, "left out, longer than " + number(max_length) + " pieces");
  text += happened(truncated, "cut to " + number(max_length) + " pieces");
  if (!alignment.empty()) {
    text += "\n  " + alignment + ": " + number(links) + " links of words";
    if (without_links > 0) text += ", none in " + number(without_links) + " pairs";
  }
  text +=
      happened(other_words, "links left out, the vocabulary finds other words than the text has");
  return text;
}

}  // namespace heed::data
