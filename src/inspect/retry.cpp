#include "inspect/retry.h"

#include <algorithm>
#include <utility>

#include "decode/search/beam.h"

namespace heed::inspect {
namespace {

constexpr int64_t kNGram = 3, kSamples = 8;
constexpr double kTopP = 0.9;

/// In the order in which they are tried.
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

/// Another search for the life of this object, of lines of these numbers; without warnings, and
/// not counted as progress.
class OtherSearch {
 public:
  OtherSearch(decode::LineTranslator& translator, const decode::DecodeConfig& config,
              std::vector<int64_t> numbers)
      : translator_(translator),
        before_(translator.config()),
        warned_(std::exchange(translator.warn_of_cuts, false)),
        searched_(std::exchange(translator.searched, nullptr)) {
    translator.set_config(config);
    translator.shown_numbers = std::move(numbers);
  }
  ~OtherSearch() {
    translator_.set_config(before_);
    translator_.warn_of_cuts = warned_;
    translator_.searched = std::move(searched_);
    translator_.shown_numbers.clear();
  }
  OtherSearch& operator=(OtherSearch&&) = delete;

 private:
  decode::LineTranslator& translator_;
  const decode::DecodeConfig before_;
  const bool warned_;
  std::function<void(int64_t)> searched_;
};

/// The score of the first search, where the second one's are utilities.
double score_of(const decode::Hypothesis& hypothesis, const decode::DecodeConfig& config) {
  return decode::Scorer(config).score(hypothesis.log_probability,
                                      std::ssize(hypothesis.token_log_probabilities), 0);
}

}  // namespace

RetryCount retry_suspicious(decode::LineTranslator& translator,
                            const std::vector<std::string>& lines, int64_t first_line,
                            const std::vector<std::string>& prefixes, const DetailOptions& options,
                            std::vector<decode::Translation>& translations,
                            std::vector<std::vector<Details>>& details) {
  const auto is_suspicious = [&](std::size_t i) {
    return !details[i].empty() && !details[i].front().flags.empty();
  };
  std::vector<bool> better(lines.size());
  RetryCount count;
  for (std::size_t i = 0; i < lines.size(); ++i) count.suspicious += is_suspicious(i);
  for (const decode::DecodeConfig& way : other_ways(translator.config())) {
    std::vector<std::size_t> chosen;
    std::vector<int64_t> numbers;
    std::vector<std::string> again, begun;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (!is_suspicious(i)) continue;
      chosen.push_back(i);
      numbers.push_back(first_line + static_cast<int64_t>(i));
      again.push_back(lines[i]);
      if (!prefixes.empty()) begun.push_back(prefixes[i]);
    }
    if (chosen.empty()) break;
    const int64_t mbr = translator.config().mbr;
    const OtherSearch search(translator, way, std::move(numbers));
    auto found = translator.translate(again, 1, begun);
    auto told = details_of(translator, again, found, options);
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      const std::size_t i = chosen[k];
      if (told[k].empty() || told[k].front().flags.size() >= details[i].front().flags.size())
        continue;
      translations[i] = std::move(found[k]);
      if (mbr == 0 && way.mbr > 0) {
        decode::Hypothesis& best = translations[i].hypotheses.front();
        best.score = score_of(best, way);
      }
      details[i] = std::move(told[k]);
      better[i] = true;
    }
  }
  count.better = std::ranges::count(better, true);
  return count;
}

}  // namespace heed::inspect
