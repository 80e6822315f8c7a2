// Symbols that a model's vocabulary lacks, such as a sign of copyright: a translation would have
// U+2047 in their place, or nothing.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "document/token.h"

namespace heed::document {

/// Whether a vocabulary has this character.
using Knows = std::function<bool(const std::string& character)>;

/// The tokens of `bytes` with the symbols and the punctuation for which `knows` is false as tokens
/// that stay (Token::Syntax::whole). Each has all that belongs to its picture: several symbols with
/// nothing between them, joiners, selectors. One between two letters or digits is a part of their
/// word and stays text. A letter that is written with a reference and is a word by itself, such as
/// `&pi;`, is a symbol. Without `knows` nothing changes.
std::vector<Token> with_unknown_symbols(std::string_view bytes, std::vector<Token> tokens,
                                        const Knows& knows);

}  // namespace heed::document
