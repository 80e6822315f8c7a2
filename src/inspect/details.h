// The details of a translation besides its text: its words, their scores, their links.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "decode/search/line_translator.h"
#include "decode/search/lines_request.h"
#include "model/description/traits.h"
#include "study/alignment.h"
#include "study/flags.h"
#include "text/copies.h"
#include "text/script.h"

namespace heed::text {
class Vocabulary;  // text/vocabulary.h
}  // namespace heed::text

namespace heed::inspect {

/// How files of gold alignments write their links.
struct GoldForm {
  bool swapped = false;    // target-source instead of source-target
  bool one_based = false;  // the first word of a sentence is 1, not 0
};

/// -1, the mean over the heads that are left in a layer of cross-attention; 0 where it has but one,
/// for study::AlignmentSweep has no mean there.
int64_t mean_head_of(const model::Traits& traits, int64_t layer);

/// Returns where an alignment is taken from if no head was taught to align and the user says
/// nothing else: the step that emits the word, of the layer before the last (Garg et al. 2019,
/// "Jointly learning to align and translate with Transformer models"), or the only one, and
/// mean_head_of() it.
study::AlignmentChoice usual_choice(const model::Traits& traits);

struct ScoredWord {
  std::string text;
  double log_probability = 0;  // of all its pieces
};

/// The details of one hypothesis.
struct Details {
  std::string text;
  std::vector<ScoredWord> words;
  double end = 0;  // log-probability of the end of sentence, after the last word
  study::Alignment alignment;
  std::vector<study::Flag> flags;
  /// The vocabulary finds other words in the source than the text has: it has no links, whose
  /// numbers would be those of other words.
  bool other_words = false;
};

struct DetailOptions {
  bool words = false, alignment = false, replace_unknown = false, flags = false;
  bool attends = true;            // the model; otherwise flags say nothing of attention
  study::AlignmentChoice choice;  // whose weights link words and find what <unk> stands for
  text::Script script = text::Script::none;  // of flags: the target language's
  text::CopyLimit copies = {};               // of flags: of the two languages
  double least = 0;                          // words whose largest weight is below it have no link
};

/// Returns the script of the vocabulary's pieces; none where they are of several.
text::Script script_of(const text::Vocabulary& vocabulary);

/// Attention weights that are held at a time: 128 MiB. A chunk of ordinary lines has fewer, but
/// they grow with the square of the length.
inline constexpr int64_t kWeightsAtOnce = int64_t{1} << 25;

/// [lines][hypotheses] of `translations`. What is not asked for stays empty, but for the text. The
/// first model of the translator reads hypotheses in parts of at most `at_once` attention weights
/// (one hypothesis may have more).
std::vector<std::vector<Details>> details_of(const decode::LineTranslator& translator,
                                             const std::vector<std::string>& lines,
                                             const std::vector<decode::Translation>& translations,
                                             const DetailOptions& options,
                                             int64_t at_once = kWeightsAtOnce);

}  // namespace heed::inspect
