// The passages of HTML: of a whole page, or of a block of it in a document of another format.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "document/passage.h"

namespace heed::document {

/// The passages of HTML that has no byte order mark. `also` as in ReadOptions.
Passages passages_of_html(std::string_view page, const std::vector<std::string>& also);

}  // namespace heed::document
