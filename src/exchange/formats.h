// The programs whose models heed reads, as rows of exchange/formats.def.
#pragma once

#include <span>
#include <string>

#include "exchange/foreign_model.h"
#include "exchange/package.h"

namespace heed::exchange {

struct ImportFormat {
  const char* program;  // "Hugging Face"
  const char* models;   // what the help says after it
  const char* files;    // patterns of files that stand for their folder
  const char* mark;     // the file that a folder lacks which is none of this program
  /// The file by which the package is one of this program; empty: it is none. A package of which
  /// the user chose a file is recognised by that one.
  std::string (*file_in)(const Package& package);
  /// Reads such a model. Throws UserError where it has something that heed lacks (the message says
  /// what by the program's own name), or is damaged.
  ForeignModel (*read)(const Package& package, const SegmentFiles& segments);
};

// The functions of the rows, each defined by a reader.
#define HEED_IMPORT(name, program, models, files, mark) \
  std::string name##_file_in(const Package& package);   \
  ForeignModel read_##name(const Package& package, const SegmentFiles& segments);
#include "exchange/formats.def"
#undef HEED_IMPORT
#undef HEED_SHUT

/// All rows, in their order.
std::span<const ImportFormat> import_formats();

/// The programs with their models, as a part of a sentence: "A (...), B (...) or C (...)".
std::string importable_programs();

/// Whether a file of this name stands for the folder that it is in, for any of the programs, also
/// those whose models heed does not open.
bool stands_for_folder(const std::string& name);

/// The only program whose files the package has. Throws UserError, which names the files, where
/// there is none, or where there are several; for a program that heed recognises and does not open
/// it says how the model becomes one that heed opens.
const ImportFormat& format_of(const Package& package);

/// Reads a model of any of the programs. Throws what format_of() and its `read` throw.
ForeignModel read_model(const Package& package, const SegmentFiles& segments);

}  // namespace heed::exchange
