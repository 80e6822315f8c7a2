#include "inspect/likelihood.h"

#include <cstddef>

#include "decode/search/encoded_lines.h"
#include "text/vocabulary.h"

namespace heed::inspect {

std::vector<double> nats_per_piece(decode::Translator& translator,
                                   const std::vector<std::string>& sources,
                                   const std::vector<std::string>& targets) {
  const decode::MemberText& texts = translator.first_text();
  const auto is_short = [&](const text::Vocabulary& vocabulary, const std::string& line) {
    return std::ssize(vocabulary.encode(line)) <= translator.pair_limit();
  };
  std::vector<std::string> short_sources, short_targets;
  std::vector<std::size_t> which;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (!is_short(texts.source, sources[i]) || !is_short(texts.target, targets[i])) continue;
    short_sources.push_back(sources[i]);
    short_targets.push_back(targets[i]);
    which.push_back(i);
  }
  std::vector<double> out(sources.size(), 0.0);
  const auto scores = translator.score(short_sources, short_targets);
  for (std::size_t k = 0; k < which.size(); ++k)
    out[which[k]] = -scores[k].log_probability / static_cast<double>(std::ssize(scores[k].tokens));
  return out;
}

}  // namespace heed::inspect
