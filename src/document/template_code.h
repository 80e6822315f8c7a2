// Code that a page's template puts into a tag or a script of another template.
#pragma once

#include <string_view>

#include "document/passage.h"

namespace heed::document {

/// Makes one token that stays (Token::Syntax::block) of the text between two tags of blocks,
/// `{% block x %}` and `{% endblock %}`, or before or after one, if it reads as JavaScript or CSS,
/// as plain_lines() knows it: at least half of its lines have signs of code, one ends as statements
/// do, and none reads as text, apart from comments. Text with tags of HTML is none. So it makes of
/// lines between statements that have nothing but attributes, `id="{{ x }}"`.
void keep_template_code(std::string_view bytes, Passage& passage);

}  // namespace heed::document
