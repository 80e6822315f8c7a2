// Statements of templates around words, such as `{% if x %}one{% else %}two{% endif %}`.
#pragma once

#include <string_view>
#include <vector>

#include "document/passage.h"
#include "document/templates.h"
#include "document/token.h"

namespace heed::document {

/// Makes one token of each statement of a passage of `bytes` that has branches or has no words, up
/// to its end: a word of its sentence, whose texts are passages inside of it. With all branches in
/// a row the sentence would be none, and a translation could lack one. The parts of other
/// statements, such as `{% if x %}` and `{% endif %}` around words, keep their order.
void join_branches(std::string_view bytes, Passage& passage);

/// Bytes in tags of HTML that end in each branch of a statement, as in
/// `<a b="c{% if x %}">{% else %} d">{% endif %}`: from the statement to its last branch. Without
/// them the tag is one, with the end that the last branch has. `shown`: the page with letters in
/// place of its `tags`, which are in order.
std::vector<ByteRange> branches_in_tags(std::string_view page, std::string_view shown,
                                        const std::vector<TemplateTag>& tags);

}  // namespace heed::document
