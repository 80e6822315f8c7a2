#include "apps/translate/output.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/format.h"
#include "base/strings.h"

namespace heed {
namespace {

using nlohmann::ordered_json;

constexpr int kDigits = 4;  // behind the point, in text

/// Six digits behind the point: what a float is good for.
double rounded(double value) {
  return std::round(value * 1e6) / 1e6;
}

std::string word_scores(const inspect::Details& details) {
  std::vector<std::string> out;
  for (const inspect::ScoredWord& word : details.words)
    out.push_back(fixed(word.log_probability, kDigits));
  return join(out, " ");
}

/// `line ||| hypothesis ||| features ||| score`, the line counted from 0 as the field's tools do,
/// and the alignment behind, as Moses does.
std::string n_best_line(int64_t line, const decode::Hypothesis& hypothesis,
                        const inspect::Details& details, const OutputOptions& options) {
  std::string out = fmt::format("{} ||| {} ||| logprob= {} length= {}", line - 1, details.text,
                                fixed(hypothesis.log_probability, kDigits),
                                hypothesis.token_log_probabilities.size());
  if (options.scores) out += " words= " + word_scores(details);
  out += " ||| " + fixed(hypothesis.score, kDigits);
  if (options.alignment) out += " ||| " + study::pharaoh(details.alignment);
  return out + "\n";
}

/// The columns of a line; `hypothesis` is null where the line is blank.
std::string text_line(const decode::Hypothesis* hypothesis, const inspect::Details& details,
                      const OutputOptions& options) {
  std::string out = details.text;
  if (options.scores)
    out = (hypothesis ? fixed(hypothesis->log_probability, kDigits) : "0") + "\t" + out + "\t" +
          word_scores(details);
  if (options.alignment) out += "\t" + study::pharaoh(details.alignment);
  return out + "\n";
}

void add(ordered_json& object, const decode::Hypothesis& hypothesis,
         const inspect::Details& details, bool alignment) {
  object["translation"] = details.text;
  object["log_probability"] = rounded(hypothesis.log_probability);
  object["score"] = rounded(hypothesis.score);
  object["cut"] = hypothesis.cut;
  object["words"] = ordered_json::array();
  for (const inspect::ScoredWord& word : details.words)
    object["words"].push_back(
        {{"word", word.text}, {"log_probability", rounded(word.log_probability)}});
  object["end"] = rounded(details.end);
  if (!alignment) return;
  object["alignment"] = ordered_json::array();
  for (const study::Link& link : details.alignment)
    object["alignment"].push_back({link.source, link.target});
}

std::string json_line(const std::string& source, const decode::Translation& translation,
                      const std::vector<inspect::Details>& details, const OutputOptions& options) {
  static const decode::Hypothesis nothing;
  ordered_json out = {{"source", source}};
  const bool blank = details.empty();
  add(out, blank ? nothing : translation.hypotheses.front(),
      blank ? inspect::Details{} : details.front(), options.alignment);
  if (options.n_best) {
    out["n_best"] = ordered_json::array();
    for (std::size_t i = 0; i < details.size(); ++i)
      add(out["n_best"].emplace_back(), translation.hypotheses[i], details[i], options.alignment);
  }
  return out.dump() + "\n";
}

}  // namespace

std::string written(int64_t line, const std::string& source, const decode::Translation& translation,
                    const std::vector<inspect::Details>& details, const OutputOptions& options) {
  if (options.json) return json_line(source, translation, details, options);
  if (!options.n_best)
    return details.empty() ? text_line(nullptr, {}, options)
                           : text_line(&translation.hypotheses.front(), details.front(), options);
  std::string out;
  for (std::size_t i = 0; i < details.size(); ++i)
    out += n_best_line(line, translation.hypotheses[i], details[i], options);
  return out;
}

}  // namespace heed
