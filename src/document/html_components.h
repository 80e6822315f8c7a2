// Components in the text of a page: elements of their own, such as `<sl-button>` or `<BaseButton>`.
#pragma once

#include <string_view>

#include "document/passage.h"

namespace heed::document {

/// Makes block tags of those of components with nothing but components beside them: each is a text
/// of its own, as the buttons of a row are. One with words beside it is in their sentence.
void set_components_apart(std::string_view bytes, Passage& passage);

}  // namespace heed::document
