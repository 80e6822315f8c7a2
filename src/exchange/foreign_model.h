// Models of other programs, made into heed's.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "decode/search/config.h"
#include "engine/weights.h"
#include "exchange/package.h"
#include "model/description/config.h"
#include "text/vocabulary.h"

namespace heed::exchange {

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
  std::vector<std::string> notes;                // differences from the program, for the user
};

/// The SentencePiece file of each side, if the package has none or several.
struct SegmentFiles {
  std::string source, target;  // paths; empty: those of the package
};

/// Reads a model of any known program, which it recognises by the files of the package. Throws
/// UserError where it is of no known program, has something that heed lacks (the message says what
/// by the program's own name), or is damaged.
ForeignModel read_model(const Package& package, const SegmentFiles& segments);

}  // namespace heed::exchange
