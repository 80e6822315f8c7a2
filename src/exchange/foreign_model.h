// Models of other programs, made into heed's, and what their readers (formats.def) end with.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "decode/search/config.h"
#include "engine/weights.h"
#include "exchange/transformer_parts.h"
#include "model/description/config.h"
#include "text/vocabulary.h"

namespace heed::exchange {

struct SideVocabularies;

/// The codes of subword-nmt in packages of Argos Translate without a SentencePiece file.
inline constexpr const char* kArgosCodes = "bpe.model";

struct ForeignModel {
  std::string program;  // "Hugging Face MarianMT", ...
  model::ModelConfig model;
  decode::DecodeConfig decoding;                 // the search that the program's files propose
  std::map<std::string, engine::Array> weights;  // by heed's names
  text::Vocabulary source, target;
  bool joint = false;                            // one SentencePiece model for both
  bool source_end = true;                        // data.source_end
  std::vector<std::string> languages;            // that symbols name, in the order of the symbols
  std::string source_language, target_language;  // the usual ones, where the files name them
  std::string shortlist;                         // bytes of its file, by heed's ids; empty: none
  std::vector<std::string> notes;                // differences from the program, for the user
};

/// The SentencePiece file of each side, if the package has none or several, or the file of codes
/// (text::PieceRule) with which text is cut that another program has cut so far.
struct SegmentFiles {
  std::string source, target;                        // paths; empty: those of the package
  std::string source_codes = {}, target_codes = {};  // the target's: empty: that of the source
};

/// The code of the language that a file of a program names: "de" for "de" and "deu"; empty where
/// heed knows no such language, as for "zle", a family of languages.
std::string code_of_language(const std::string& name);

/// Returns `config`. Throws UserError that begins with `place` and names the key of heed's section
/// `model` where a number is out of its range.
model::ModelConfig checked(const model::ModelConfig& config, const std::string& place);

/// The length penalty of a program that divides scores by length^alpha.
decode::LengthPenalty length_penalty_of(double alpha);

/// Fills in vocabularies and weights. `numbering` gets the ids of `sides`; `place` begins messages.
void finish(ForeignModel& model, const ForeignTransformer& from, const SideVocabularies& sides,
            Numbering numbering, const std::string& place);

}  // namespace heed::exchange
