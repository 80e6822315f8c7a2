#include "text/vocabulary_size.h"

#include <cstddef>
#include <functional>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/strings.h"
#include "text/training_text.h"

namespace heed::text {
namespace {

/// Whether the text may have too little in it for `size` pieces, or too many characters. Of a text
/// with several times as many different words SentencePiece makes them easily.
bool is_in_doubt(const VocabularyTraining& options, CutRuns& cut) {
  constexpr std::size_t kWordsForAPiece = 3, kBytes = 256;
  const auto size = static_cast<std::size_t>(options.size);
  const std::size_t enough = kWordsForAPiece * size;
  std::unordered_set<std::size_t> words;
  std::vector<bool> seen(0x110000);
  std::size_t characters = 0;
  TrainingSentences sentences(options.files);
  for (; !sentences.done(); sentences.Next()) {
    if (words.size() < enough)
      for (const std::string& word : split(sentences.value(), ' '))
        words.insert(std::hash<std::string>{}(word));
    const std::string& text = sentences.value();
    for (std::size_t at = 0; at < text.size();) {
      const CodePoint character = code_point_at(text, at);
      at += character.bytes;
      if (seen[character.value]) continue;
      seen[character.value] = true;
      ++characters;
    }
  }
  sentences.rethrow();
  cut = sentences.cut();
  const std::size_t given = 4 + options.symbols.size() + (options.byte_fallback ? kBytes : 0);
  return words.size() < enough || characters + given >= size;
}

}  // namespace

CutRuns require_reachable(const VocabularyTraining& options) {
  check(options);
  CutRuns cut;
  if (is_in_doubt(options, cut)) train_model(options);
  return cut;
}

}  // namespace heed::text
