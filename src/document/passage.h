// What is read as a whole in a document, and where its translation is written.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/segment.h"
#include "document/token.h"

namespace heed::document {

/// A paragraph, a heading, a cell of a table, a cue, a message: its sentences are translated.
struct Passage {
  /// In order; each begins where the one before it ends. They have at least one byte. A sentence
  /// ends at a `block`. Without tokens the passage changes other bytes of the document, such as the
  /// state of a translation: `place` says which.
  std::vector<Token> tokens;
  /// How the translations of its sentences are written.
  Writing writing = {.is_document = true};
  /// It is translated as one sentence.
  bool is_sentence = false;

  /// Bytes of the document in whose place the translation stands, such as an empty target after a
  /// source. It stands there also where it has no words: the bytes of the tokens do. The same
  /// tokens may be in several passages. Nothing: the translation stands in place of the tokens.
  struct Place {
    ByteRange bytes;
    std::string before, after;  // written around the translation
    /// Changes a copy of the tokens, in which something may not be twice in the document, such as
    /// an ID; also where they are written as they are. None: nothing is changed.
    Enclose copied = {};
  };
  std::optional<Place> place = {};

  /// Makes of the passage with its translations what the format can have, such as a cell in quotes
  /// where a translation has a comma. None: it is written as it is. A passage that comes back with
  /// its bytes is never changed.
  Enclose enclosed = {};
  /// Passages inside of its tags, such as the text that stands for a picture, in order. They have
  /// no `inside` and no `place`.
  std::vector<Passage> inside = {};
};

/// The passages of a document in the order of their places, which have no byte in common.
using Passages = std::vector<Passage>;

}  // namespace heed::document
