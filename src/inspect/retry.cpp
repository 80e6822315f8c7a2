#include "inspect/retry.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "decode/search/beam.h"
#include "decode/search/config.h"
#include "decode/search/line_translator.h"
#include "decode/search/lines_request.h"
#include "decode/search/search.h"

namespace heed::inspect {
namespace {

constexpr int64_t kNGram = 3, kSamples = 8;
constexpr double kTopP = 0.9;

/// Returns the configurations in the order in which they are tried.
std::vector<decode::DecodeConfig> other_ways(const decode::DecodeConfig& config) {
  const bool drawn = decode::samples(config.sampling);
  decode::DecodeConfig wider = config;
  wider.beam_size = 2 * config.beam_size;
  wider.no_repeat_ngram =
      config.no_repeat_ngram > 0 ? std::min(config.no_repeat_ngram, kNGram) : kNGram;
  std::vector<decode::DecodeConfig> ways{wider};
  if (drawn || (!config.glossary.empty() && !config.glossary_inline)) return ways;
  ways.push_back(config);
  ways.back().sampling.top_p = kTopP;
  ways.back().coverage_penalty = 0;  // ranks hypotheses of a search
  ways.back().mbr = kSamples;
  return ways;
}

/// The score of the first search, where the second one's are utilities.
double score_of(const decode::Hypothesis& hypothesis, const decode::DecodeConfig& config) {
  return decode::Scorer(config).score(hypothesis.log_probability,
                                      std::ssize(hypothesis.token_log_probabilities), 0);
}

}  // namespace

RetryCount retry_suspicious(const decode::LineTranslator& translator,
                            const decode::LinesRequest& request, const DetailOptions& options,
                            std::vector<decode::Translation>& translations,
                            std::vector<std::vector<Details>>& details) {
  const auto is_suspicious = [&](std::size_t i) {
    return !details[i].empty() && !details[i].front().flags.empty();
  };
  const decode::DecodeConfig& usual = request.search ? *request.search : translator.config();
  std::vector<bool> better(request.lines.size());
  RetryCount count;
  for (std::size_t i = 0; i < better.size(); ++i) count.suspicious += is_suspicious(i);
  for (const decode::DecodeConfig& way : other_ways(usual)) {
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < better.size(); ++i)
      if (is_suspicious(i)) chosen.push_back(i);
    if (chosen.empty()) break;
    decode::LinesRequest again = part_of(request, chosen);
    again.search = way;
    std::vector<decode::Translation> found = translator.translate(again).translations;
    auto new_details = details_of(translator, again.lines, found, options);
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      const std::size_t i = chosen[k];
      if (new_details[k].empty() ||
          new_details[k].front().flags.size() >= details[i].front().flags.size())
        continue;
      translations[i] = std::move(found[k]);
      if (usual.mbr == 0 && way.mbr > 0) {
        decode::Hypothesis& best = translations[i].hypotheses.front();
        best.score = score_of(best, way);
      }
      details[i] = std::move(new_details[k]);
      better[i] = true;
    }
  }
  count.better = std::ranges::count(better, true);
  return count;
}

}  // namespace heed::inspect
