// The shortlists that come with Marian's models (lex.s2t.bin). Inside exchange/ only.
#pragma once

#include <string>
#include <string_view>

#include "exchange/side_vocabularies.h"

namespace heed::exchange {

/// The bytes of a shortlist for heed's vocabularies, with the lists of `file`, which has Marian's
/// ids (decode/search/shortlist.h). Every translation may have the file's most frequent pieces, as
/// in Marian. Throws UserError that begins with `place` where `file` is no shortlist, is damaged,
/// or has ids that the vocabularies lack.
std::string shortlist_of_marian(std::string_view file, const std::string& place,
                                const SideVocabularies& sides);

}  // namespace heed::exchange
