// Reasons not to trust a translation, found without a reference.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/schema.h"
#include "study/attention_matrix.h"
#include "text/copies.h"
#include "text/script.h"

namespace heed::study {

HEED_ENUM(Flag, (empty, "There is no translation of a source that has words."),
          (cut, "The length limit ended it."),
          (copied, "Most of its words are words of the source."),
          (repetition, "The same words follow each other, more often than in the source."),
          (numbers, "A number of the source is missing, or one is new, however it may be written."),
          (script, "Most of its letters are of another script than the target language's."),
          (length, "It is much longer or shorter than its source."),
          (unread, "Words of the source in a row get hardly any attention."),
          (unsure, "Its pieces have low probabilities."))

/// A pair of source and translation, with what a model computed of it.
struct JudgedPair {
  std::string_view source, translation;
  bool forced = false;  // the translation was given, and not found by the model's search
  bool cut = false;
  int64_t source_pieces = 0, target_pieces = 0;  // without </s>
  double log_probability = 0;                    // of the target's pieces and </s>
  /// The attention that each word of the source got from all steps. Empty: it is not known.
  std::vector<double> attention;
  text::Script script = text::Script::none;  // of the target language; none: not known
  text::CopyLimit copies = {};               // of the two languages
};

/// Returns the flags of a pair in the order of Flag. A blank source has none.
std::vector<Flag> flags_of(const JudgedPair& pair);

/// Returns flags as "copied,length"; "-" where there is none.
std::string joined(const std::vector<Flag>& flags);

/// Returns the sum of each column of a matrix of words, without `</s>` and symbols that begin a
/// line.
std::vector<double> received_attention(const AttentionMatrix& words);

/// Returns the script of nearly all letters of the texts; Script::none where there is no such
/// script.
text::Script usual_script(const std::vector<std::string>& texts);

}  // namespace heed::study
