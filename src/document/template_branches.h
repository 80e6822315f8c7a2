// Statements of templates around words, such as `{% if x %}one{% else %}two{% endif %}`.
#pragma once

#include <string_view>

#include "document/passage.h"

namespace heed::document {

/// Makes one token of each statement of a passage of `bytes` that has branches or has no words, up
/// to its end: a word of its sentence, whose texts are passages inside of it. With all branches in
/// a row the sentence would be none, and a translation could lack one. The parts of other
/// statements, such as `{% if x %}` and `{% endif %}` around words, keep their order.
void join_branches(std::string_view bytes, Passage& passage);

}  // namespace heed::document
