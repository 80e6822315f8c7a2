#include "document/format.h"

#include <algorithm>
#include <string>

#include "base/strings.h"

namespace heed::document {

const std::vector<DocumentFormat>& document_formats() {
  static const std::vector<DocumentFormat> formats = {
#define HEED_DOCUMENT_FORMAT(name, endings, text) {#name, endings, text, read_##name},
#include "document/formats.def"
  };
  return formats;
}

const DocumentFormat* format_named(std::string_view name) {
  const auto found = std::ranges::find_if(document_formats(), [&](const DocumentFormat& format) {
    return format.name == name ||
           std::ranges::count(split_words(format.endings), std::string(name)) > 0;
  });
  return found == document_formats().end() ? nullptr : &*found;
}

}  // namespace heed::document
