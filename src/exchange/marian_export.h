// Models of heed as files that Marian opens.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "decode/search/config.h"
#include "exchange/marian_network.h"
#include "text/vocabulary.h"

namespace heed::exchange {

/// All files that write_marian() may write.
inline constexpr std::array<const char*, 5> kMarianFolder = {
    "model.npz", "decoder.yml", "vocab.spm", "source.spm", "target.spm"};

/// Writes model.npz, decoder.yml and the vocabularies into `folder`: vocab.spm, or source.spm and
/// target.spm. Pieces have Marian's order. Returns what is not the same there, for the user. Throws
/// what marian_network() and text::sentencepiece_file() throw, and Failure where a file cannot be
/// written.
std::vector<std::string> write_marian(const OwnModel& own, const std::string& folder,
                                      const std::string& place);

/// decoder.yml with the search, of a model and its vocabularies in the same folder.
std::string decoder_yml(const decode::DecodeConfig& config, const std::string& model,
                        const std::vector<std::string>& vocabularies);

/// What Marian's search does otherwise, of what no key says.
std::vector<std::string> notes_of_search(const decode::DecodeConfig& config);

/// What is not the same in programs that cut text with the SentencePiece files alone.
std::vector<std::string> notes_of_symbols(const text::Vocabulary& source);

}  // namespace heed::exchange
