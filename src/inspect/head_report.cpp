#include "inspect/head_report.h"

#include "base/format.h"
#include "base/log.h"
#include "base/progress_bar.h"
#include "base/strings.h"
#include "inspect/aligner.h"

namespace heed::inspect {

study::HeadReport head_report(decode::Translator& translator, const text::Pairs& pairs,
                              HeadRequest request, const std::string& source,
                              const std::string& model) {
  study::HeadReport report(request.options);
  const text::Pairs readable = without_long_pairs(translator, pairs, source);
  std::vector<std::size_t> without_antecedents;  // lines whose gold is of other words, from 1
  ProgressBar bar("sentences read", std::ssize(readable.source));
  for (const text::PairWindow& window : text::windows_of(readable)) {
    const text::Pairs& lines = window.pairs;
    const auto sentences =
        attention_maps(translator, lines.source, lines.target, {.kinds = request.kinds},
                       static_cast<int64_t>(window.first) + 1);
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      const std::size_t line = window.first + i;
      const auto& matrices = sentences[i].matrices;
      const std::vector<study::Antecedent>* antecedents = nullptr;
      if (!request.antecedents.empty() && !request.antecedents[line].empty()) {
        if (keeps_words(matrices, lines.source[i], lines.target[i]))
          antecedents = &request.antecedents[line];
        else
          without_antecedents.push_back(line + 1);
      }
      report.add(matrices,
                 {.links = request.gold.of(line, matrices, lines.source[i], lines.target[i]),
                  .antecedents = antecedents},
                 fmt::format("{}:{}", source, line + 1));
    }
    bar.add(static_cast<double>(sentences.size()));
  }
  bar.end();
  request.gold.tell(model);
  if (!without_antecedents.empty())
    log::warn(
        "{}: the pronouns of {} left out, line {} of the text first: the vocabulary of {} finds "
        "other words there than the text has",
        request.antecedents_name, counted(std::ssize(without_antecedents), "line"),
        without_antecedents.front(), model);
  return report;
}

}  // namespace heed::inspect
