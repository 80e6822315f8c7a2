#include "document/format.h"

#include <algorithm>
#include <cstddef>
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
  const auto found = std::ranges::find(document_formats(), name, &DocumentFormat::name);
  return found == document_formats().end() ? nullptr : &*found;
}

const DocumentFormat* format_of_file(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return nullptr;
  const std::string ending = ascii_lower(name.substr(dot + 1));
  for (const DocumentFormat& format : document_formats())
    for (const std::string& one : split_words(std::string(format.endings)))
      if (one == ending) return &format;
  return nullptr;
}

}  // namespace heed::document
