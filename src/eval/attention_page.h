// One HTML page, complete in itself, on which a token lights those it attends to.
#pragma once

#include <span>
#include <string>

#include "eval/attention_matrix.h"

namespace heed::eval {

/// The page for any number of matrices: choosers for sentence, kind, layer and head, the two token
/// lines, the matrix. Works from a file, without a network; by pointer, touch and keyboard. Weights
/// are shown to four decimals. Throws UserError where there is no matrix.
std::string attention_page(std::span<const AttentionMatrix> matrices, const std::string& title);

/// JSON that may stand inside a <script> element: no `<` is left in it. What the page reads.
std::string attention_json(std::span<const AttentionMatrix> matrices);

/// The page without its data: `@title@` stands for the escaped title (twice), `@data@` for the
/// JSON.
extern const char* const kAttentionPage;

}  // namespace heed::eval
