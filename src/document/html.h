// The passages of HTML: of a whole page, or of a block of it in a document of another format.
#pragma once

#include <string_view>

#include "document/format.h"
#include "document/passage.h"

namespace heed::document {

/// The passages of HTML that has no byte order mark.
Passages passages_of_html(std::string_view page, const ReadOptions& options);

}  // namespace heed::document
