// Cuts a paragraph into sentences by rules.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

namespace heed::text {

/// The sentences of a paragraph, without the blanks around them. `language`: a code whose letters
/// before the first - or _ choose the words that the rules know ("de", "deu_Latn";
/// text/sentence_rules.h). A sentence ends after its marks (text/sentence_marks.h), and the quotes,
/// brackets, notes and emoji that close after them. After marks that also stand in words, such as
/// the dot, a blank must follow, and then no small letter. A sentence does not end after
/// abbreviations, initials, and numbers that may be ordinals, nor after a quotation that a Japanese
/// particle follows. The time is linear in the length.
std::vector<std::string_view> sentences_of(std::string_view paragraph, std::string_view language);

/// `sentence` cut into parts of which each `fits`. The cut is near its middle after ; or :, else
/// after a comma or dash, else at a blank, else anywhere, and its halves are cut likewise.
std::vector<std::string_view> clauses_of(std::string_view sentence,
                                         const std::function<bool(std::string_view)>& fits);

}  // namespace heed::text
