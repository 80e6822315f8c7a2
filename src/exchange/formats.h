// Functions that the readers of the programs' models share. Inside exchange/ only.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "decode/search/config.h"
#include "exchange/foreign_model.h"
#include "exchange/package.h"
#include "exchange/transformer_parts.h"
#include "model/description/config.h"
#include "text/foreign_pieces.h"

namespace heed::exchange {

/// Returns `config`. Throws UserError that begins with `place` and names the key of heed's section
/// `model` where a number is out of its range.
model::ModelConfig checked(const model::ModelConfig& config, const std::string& place);

/// The length penalty of a program that divides scores by length^alpha.
decode::LengthPenalty length_penalty_of(double alpha);

/// The languages for which some of `pieces` stand: >>fra<< (OPUS-MT), __fr__ (M2M-100), fra_Latn
/// (NLLB).
std::vector<std::string> languages_among(const std::vector<std::string>& pieces);

/// Makes names and rows equally many. A row without a piece is a part of the softmax: its name is
/// one that no text has, "<unused 7>". Returns these names.
std::vector<std::string> name_rows(std::vector<std::string>& names, int64_t rows);

/// The bytes of a SentencePiece file, and its name in messages.
struct SegmentFile {
  std::string bytes, place;
};

SegmentFile segment_file(const Package& package, const std::string& file);

struct SideVocabularies {
  text::RearrangedVocabulary source, target;
  bool joint = false;  // one file
};

/// The vocabularies of a model with one file for both sides.
SideVocabularies one_vocabulary(const SegmentFile& file, const text::ForeignPieces& pieces);
/// The vocabularies of a model with a file for each side, perhaps the same. `shared`: both have the
/// ids of `source`.
SideVocabularies two_vocabularies(const SegmentFile& source_file, const SegmentFile& target_file,
                                  const text::ForeignPieces& source,
                                  const text::ForeignPieces& target, bool shared);

/// Fills in vocabularies and weights. `numbering` gets the ids of `sides`; `place` begins messages.
void finish(ForeignModel& model, const ForeignTransformer& from, const SideVocabularies& sides,
            Numbering numbering, const std::string& place);

}  // namespace heed::exchange
