// Finds the kept items in the text of tokens: addresses, placeholders, numbers.
#pragma once

#include <string_view>
#include <vector>

#include "document/segment.h"
#include "document/token.h"
#include "text/kept.h"

namespace heed::document {

/// The tokens of `bytes` with the items that `kept` asks for as tokens of their own. They are
/// looked for in the characters for which the tokens stand: an address may have `&amp;` or `\/` in
/// it, and ends before `&gt;` and `\"`. Where `writing` has references, no item begins with `<`.
std::vector<Token> with_kept(std::string_view bytes, const std::vector<Token>& tokens,
                             const Writing& writing, const text::KeepOptions& kept);

}  // namespace heed::document
