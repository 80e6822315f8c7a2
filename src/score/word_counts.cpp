#include "score/word_counts.h"

#include <algorithm>
#include <map>

#include "score/bleu_statistics.h"

namespace heed::score {
namespace {

std::map<std::string, int64_t> counts_of(const std::vector<std::string>& words) {
  std::map<std::string, int64_t> counts;
  for (const std::string& word : words) ++counts[word];
  return counts;
}

double share(int64_t part, int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

}  // namespace

double WordCounts::repeated_share() const {
  return share(repeated, reference);
}

double WordCounts::dropped_share() const {
  return share(dropped, reference);
}

WordCounts word_counts(std::span<const std::string> hypotheses,
                       std::span<const std::string> references, std::string_view tokenizer,
                       bool lowercase) {
  require_references(hypotheses, references);
  WordCounts out;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    const auto said = counts_of(bleu_tokens(hypotheses[i], tokenizer, lowercase));
    const auto wanted = counts_of(bleu_tokens(references[i], tokenizer, lowercase));
    for (const auto& [word, count] : wanted) {
      const auto found = said.find(word);
      const int64_t times = found == said.end() ? 0 : found->second;
      out.reference += count;
      out.dropped += std::max<int64_t>(0, count - times);
    }
    for (const auto& [word, count] : said) {
      const auto found = wanted.find(word);
      const int64_t once = std::max<int64_t>(1, found == wanted.end() ? 0 : found->second);
      out.repeated += std::max<int64_t>(0, count - once);
    }
  }
  return out;
}

}  // namespace heed::score
