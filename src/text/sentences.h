// Cuts a paragraph into sentences by rules.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

namespace heed::text {

/// The sentences of a paragraph, without the blanks around them. `language`: a code whose letters
/// before the first - or _ choose the rules ("de", "deu_Latn"): German, English, Spanish or French.
/// For all others the rules know no abbreviations. A sentence ends after . ! ? and similar marks,
/// and the quotes and brackets that close after them, where a blank follows, and then no small
/// letter (the wide marks of Chinese and Japanese need no blank). It does not end after
/// abbreviations, initials, and numbers that may be ordinals.
std::vector<std::string_view> sentences_of(std::string_view paragraph, std::string_view language);

/// `sentence` cut into parts of which each `fits`. The cut is near its middle after ; or :, else
/// after a comma or dash, else at a blank, else anywhere, and its halves are cut likewise.
std::vector<std::string_view> clauses_of(std::string_view sentence,
                                         const std::function<bool(std::string_view)>& fits);

}  // namespace heed::text
