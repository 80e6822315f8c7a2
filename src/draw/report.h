// The content of the page that `heed bottleneck` leaves (report_page in draw/pages.h): the curve
// first, then why, how the models learned, one long sentence through all of them, and how to get
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
  std::string name, value;            // as they are shown
  std::string note = "";              // small print below the value
  std::optional<double> number = {};  // the value for scripts, not rounded
};

struct ReportSystem {
  std::string name;                  // as in the length report
  std::string description;           // one line: what this model is
  std::vector<ReportFact> facts;     // "parameters", "3.05M"; in order
  std::vector<score::Score> scores;  // on the whole test set
  std::string attention_page;        // its address from the report; "": the model does not attend
  std::string folder = "";           // beside the report; its name in lengths.csv and systems.csv
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

/// Returns the content of the page, for scripts, as JSON: its texts, BLEU by source length with
/// intervals and comparisons, the points of the loss, what each model is and costs, and the
/// sentences with their translations. Numbers are not rounded; what there is no number for is null.
/// Weights of attention are in attention.csv of each model's folder.
///   {"title", "headline", "introduction", "unit", "baseline" (a name, or null),
///    "buckets": [{"low", "high" (null: all longer), "sentences", "source_words"}, ...],
///    "systems": [{"name", "folder", "description", "attention_page" (or null),
///       "lengths": [measured or null, ...] by bucket, "all": measured,
///       "facts": [{"name", "value", "text", "note"}, ...],
///       "scores": [{"name", "value", "signature"}, ...] on the whole test set}, ...],
///    "learning": {"x", "y", "lines": [{"system", "set" ("train" or "valid"),
///       "points": [[x, y], ...]}, ...]} or null,
///    "long_sentence": sentence or null, "samples": [sentence, ...], "commands", "notes"}
///   measured: {"bleu", "interval": [low, high], "brevity_penalty", "length_ratio",
///      "against_baseline": {"difference", "interval", "wins", "p"}}
///   sentence: {"line" (from 1), "source", "reference",
///      "translations": [{"system", "text", "chrf2"}, ...]}
std::string report_json(const Report& report);

/// Returns what the longest and the shortest bucket with sentences say about the baseline and the
/// system that is best in the longest; "" where there is no baseline or no other system.
std::string headline(const score::LengthReport& report);

/// A sentence of the test set: its position, and its translations.
ReportSentence report_sentence(std::size_t line, const std::string& source,
                               const std::string& reference,
                               const std::vector<score::SystemOutput>& outputs);

}  // namespace heed::draw
