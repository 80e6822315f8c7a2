// Names that the model sees in place of items of a document (Segment::stand_ins): which items have
// one, and where the names are in a translation.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "document/segment.h"
#include "document/token.h"

namespace heed::document {

/// Whether the token is a word of its sentence that the model sees as a stand-in: inline code, an
/// address, a formula.
bool is_stood_for(const Token& token, std::string_view bytes);

/// The tokens of `bytes` with one for each word that has several of such items with letters
/// between them, such as `{{ width }}x{{ height }}px`, and for each address that has them, such as
/// `http://{{ host }}{{ path }}`: a model would leave names inside a word.
std::vector<Token> with_whole_words(std::string_view bytes, const std::vector<Token>& tokens);

/// The tokens with one for each element, or marks of emphasis, around nothing but the name of an
/// option, `<b>--input</b>` or `**-v**`, with its value in another: `<b>--input</b>=<i>FILE</i>`.
std::vector<Token> with_whole_options(std::string_view bytes, const std::vector<Token>& tokens);

/// A letter that no digit follows in `raw`, in either case; 0 where there is none.
char free_letter(std::string_view raw);

/// A stand-in as bytes of a translation.
struct FoundStandIn {
  ByteRange bytes;
  std::size_t inlay = 0;
};

/// The first of each stand-in in a translation, in order; `are_once`: each is there, and once.
struct FoundStandIns {
  std::vector<FoundStandIn> found;
  bool are_once = true;
};

FoundStandIns find_stand_ins(const Segment& segment, const std::string& translation);

/// Whether the translation has each stand-in of the segment once, in order where the segment says
/// so, and nothing that may be what is left of another: a number, a letter with digits, or the
/// letter of the stand-ins as a word, more often than the segment has it.
bool has_stand_ins(const Segment& segment, const std::string& translation);

}  // namespace heed::document
