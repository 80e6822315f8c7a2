// The kept items of a text as tokens: addresses, numbers, placeholders, names.
#pragma once

#include <string_view>
#include <vector>

#include "document/segment.h"
#include "document/token.h"
#include "text/kept.h"

namespace heed::document {

/// The tokens of `bytes` with the items that `kept` asks for as tokens of their own.
std::vector<Token> with_kept(std::string_view bytes, const std::vector<Token>& tokens,
                             const Writing& writing, const text::KeepOptions& kept);

}  // namespace heed::document
