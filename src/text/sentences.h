// Where sentences end, by rules. Torch-free.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

namespace heed::text {

/// The sentences of a paragraph, without the blanks around them. `language`: a code whose letters
/// before the first - or _ say whose rules these are ("de", "deu_Latn"): German, English, Spanish
/// or French. For all others the rules know no abbreviations. A sentence ends behind . ! ? and the
/// like and the quotes and brackets that they close, where a blank and no small letter follows (no
/// blank behind the wide marks of Chinese and Japanese); not behind abbreviations, initials, and
/// numbers that may be ordinals.
std::vector<std::string_view> sentences_of(std::string_view paragraph, std::string_view language);

/// `sentence` in parts of which each `fits`: cut near its middle behind ; or :, else behind a comma
/// or dash, else at a blank, else anywhere, and its halves likewise.
std::vector<std::string_view> clauses_of(std::string_view sentence,
                                         const std::function<bool(std::string_view)>& fits);

}  // namespace heed::text
