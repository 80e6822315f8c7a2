// The files of a package that belong to a Marian model. Inside exchange/ only.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "exchange/marian_options.h"
#include "exchange/package.h"

namespace heed::exchange {

/// The file of each side; both may be the same.
struct SideFiles {
  std::string source, target;
};

struct MarianFiles {
  std::string model;                      // the .npz or .bin
  std::optional<MarianOptions> decoder;   // decoder.yml, or Marian's model.npz.decoder.yml
  std::optional<MarianOptions> training;  // MODEL.npz.yml, the options of the training
  SideFiles vocabularies;                 // empty: the package has none
  bool vocabularies_named = false;        // by decoder.yml or model.npz.yml
  std::optional<SideFiles> segments;      // the SentencePiece files; none: nothing says which
  std::size_t segment_files = 0;          // how many the package has
  std::string shortlist;                  // in Marian's binary format; empty: none
  std::vector<std::string> notes;         // for the user
};

/// Whether a file's name is that of a model's binary file; its bytes say whether it is Marian's.
bool is_binary_name(const std::string& file);

/// Finds the files. The model is the package's chosen file, or the one that decoder.yml names under
/// `models`, or model.npz, or the only .npz that is no state of an optimiser and no copy, or
/// without any of these the only .bin. `config*.yml` with `models` counts as a decoder.yml
/// (Bergamot's). The shortlist is the one that decoder.yml names, or beside a .bin the only
/// *.s2t.bin. Vocabularies are those that decoder.yml names under `vocabs`, the source's first, or
/// those that model.npz.yml names, or they follow from the names of files, never from their order.
/// Throws UserError where several files are as likely, with a cure. `segments_given`: the user has
/// named the SentencePiece files.
MarianFiles files_of_marian(const Package& package, bool segments_given);

/// Whether a file's name is that of a SentencePiece model.
bool is_segment_name(const std::string& file);

/// The source's and the target's of two files, by the difference between their names: src and trg,
/// source and target, or codes of languages whose order is in `context` ("de-en", "deen"). Nothing
/// where the names do not say it.
std::optional<SideFiles> sides_by_name(const std::string& a, const std::string& b,
                                       const std::vector<std::string>& context);

}  // namespace heed::exchange
