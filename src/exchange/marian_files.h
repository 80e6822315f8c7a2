// Which files of a package are a Marian model's. Inside exchange/ only.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "exchange/marian_options.h"
#include "exchange/package.h"

namespace heed::exchange {

/// Files of both sides, perhaps the same.
struct SideFiles {
  std::string source, target;
};

struct MarianFiles {
  std::string model;  // the .npz
  std::optional<MarianOptions>
      decoder;                        // decoder.yml, or what Marian wrote as model.npz.decoder.yml
  SideFiles vocabularies;             // empty: the package has none
  bool vocabularies_named = false;    // by decoder.yml or model.npz.yml
  std::optional<SideFiles> segments;  // the SentencePiece files; none: it does not say which
  std::size_t segment_files = 0;      // that the package has
  std::vector<std::string> notes;     // for the user
};

/// The model is the package's chosen file, or what decoder.yml names under `models`, or model.npz,
/// or the only .npz that is no state of an optimiser and no copy. Vocabularies are what decoder.yml
/// names under `vocabs`, the source's first, or what model.npz.yml does, or what the names of files
/// say, never their order. Throws UserError where several files are as likely, with a cure.
/// `segments_given`: the user has named the SentencePiece files.
MarianFiles files_of_marian(const Package& package, bool segments_given);

/// Whether the package is likely one of Marian: it has a .npz.
bool is_of_marian(const Package& package);

/// Whether a file's name is one of a SentencePiece model.
bool is_segment_name(const std::string& file);

/// Which of two files belongs to the source, told by what differs in their names: src and trg,
/// source and target, or codes of languages whose order `context` has ("de-en", "deen"). Nothing
/// where they do not say it.
std::optional<SideFiles> sides_by_name(const std::string& a, const std::string& b,
                                       const std::vector<std::string>& context);

}  // namespace heed::exchange
