#include "document/format.h"

#include <algorithm>

namespace heed::document {

const std::vector<DocumentFormat>& document_formats() {
  static const std::vector<DocumentFormat> formats = {
#define HEED_DOCUMENT_FORMAT(name, endings, text) {#name, endings, text, read_##name},
#include "document/formats.def"
  };
  return formats;
}

const DocumentFormat* format_named(std::string_view name) {
  const auto found = std::ranges::find(document_formats(), name, &DocumentFormat::name);
  return found == document_formats().end() ? nullptr : &*found;
}

}  // namespace heed::document
