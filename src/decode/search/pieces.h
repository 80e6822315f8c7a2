// The pieces of a line: their names, and the parts of a line that a vocabulary does not know.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heed::text {
class Vocabulary;  // text/vocabulary.h
}  // namespace heed::text

namespace heed::decode {

/// Returns the pieces of a line that a search reads: the first `most`, or all if there are fewer.
std::vector<int32_t> first_pieces(const text::Vocabulary& vocabulary, const std::string& line,
                                  int64_t most);

/// Returns the pieces of `ids` as the vocabulary spells them, each on one line, `</s>` at the end,
/// and `<s>` in front of symbols that begin a line.
std::vector<std::string> piece_names(const text::Vocabulary& vocabulary,
                                     const std::vector<int32_t>& ids);

/// Returns the parts of `text` that the vocabulary does not know. `ids` are the pieces of the text.
std::vector<std::string> unknown_pieces(const text::Vocabulary& vocabulary, const std::string& text,
                                        const std::vector<int32_t>& ids);

/// Returns the pieces that no translation has: pad, begin and those of decoding.forbid. Throws
/// UserError for a name that is no piece.
std::vector<int64_t> never_produced(const text::Vocabulary& vocabulary,
                                    const std::vector<std::string>& forbidden);

/// Whether the vocabulary knows nothing of a line but where words begin.
bool knows_nothing(const text::Vocabulary& vocabulary, const std::vector<int32_t>& ids);

}  // namespace heed::decode
