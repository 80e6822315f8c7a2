// What the page has that `heed bottleneck` leaves (report_page in draw/pages.h): the curve first,
// then why, how the models learned, one long sentence through all of them, and how to get
// everything again.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "draw/plot.h"
#include "score/lengths.h"
#include "score/sacrebleu.h"
#include "study/attention_matrix.h"
#include "study/comparison.h"

namespace heed::draw {

struct ReportFact {
  std::string name, value;
  std::string note = "";  // small print below the value
};

struct ReportSystem {
  std::string name;                  // as in the length report
  std::string description;           // one line: what this model is
  std::vector<ReportFact> facts;     // "parameters", "3.05M"; in order
  std::vector<score::Score> scores;  // on the whole test set
  std::string attention_page;        // its address from the report; "": the model does not attend
};

struct ReportTranslation {
  std::string system, text;
  double chrf = 0;                     // chrF2
  std::vector<study::TextPart> words;  // what is not in the reference is marked
};

struct ReportSentence {
  std::size_t line = 0;  // from 0
  std::string source, reference;
  std::vector<ReportTranslation> translations;
};

/// A sentence with what each model looks at: nothing where it does not attend.
struct LongSentence {
  ReportSentence sentence;
  std::string chosen;                                            // why this one
  std::vector<std::optional<study::AttentionMatrix>> attention;  // one per translation, by words
};

struct Report {
  std::string title, introduction;
  score::LengthReport lengths;
  std::optional<Plot> learning = {};  // loss; without points it is left out
  std::vector<ReportSystem> systems = {};
  std::optional<LongSentence> long_sentence = {};
  std::vector<ReportSentence> samples = {};
  std::vector<std::string> commands = {};  // as typed
  std::vector<std::string> notes = {};     // machine, versions, warnings; one line each
};

/// Returns what the longest and the shortest bucket with sentences say about the baseline and the
/// system that is best in the longest; "" where there is no baseline or no other system.
std::string headline(const score::LengthReport& report);

/// A sentence of the test set: its position, and its translations.
ReportSentence report_sentence(std::size_t line, const std::string& source,
                               const std::string& reference,
                               const std::vector<score::SystemOutput>& outputs);

}  // namespace heed::draw
