// Students of heed as files of Bergamot's engine, which are those of Firefox.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "exchange/activation_ranges.h"
#include "exchange/marian_network.h"

namespace heed::exchange {

/// A text and its translations as pieces, without </s>, by heed's ids.
struct PiecesOfPair {
  std::vector<int32_t> source, target;
};

struct BergamotRequest {
  OwnModel own;
  std::vector<PiecesOfPair> pairs;  // by which the multipliers of activations are chosen
  std::string shortlist = {};       // bytes of heed's file; empty: none
  std::string languages = {};       // "deen", a part of the names of files; empty: not known
};

/// The names of the files that write_bergamot() writes.
struct BergamotNames {
  std::string model, source, target, shortlist, config;
};
BergamotNames bergamot_names(const BergamotRequest& request);
/// All of them.
std::vector<std::string> files_of(const BergamotNames& names);

/// Writes a student: the model in 8 bits, its vocabularies, perhaps its shortlist, and the
/// configuration that translateLocally reads. Returns what is not the same there, for the user.
/// Throws what marian_network() and text::sentencepiece_file() throw, and Failure where a file
/// cannot be written.
std::vector<std::string> write_bergamot(const BergamotRequest& request, const std::string& folder,
                                        const std::string& place);

/// A shortlist of heed by Marian's ids (the places of heed's in `source` and `target`). A piece
/// whose translations are not known (decode::kUnknownTranslations) has those alone that every
/// translation may have: `unknown` counts them.
std::string shortlist_for_marian(const std::string& bytes, const std::vector<int32_t>& source,
                                 const std::vector<int32_t>& target, bool joint, int64_t& unknown,
                                 const std::string& place);

}  // namespace heed::exchange
