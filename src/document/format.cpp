#include "document/format.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "base/strings.h"
#include "text/usual_ending.h"

namespace heed::document {

const std::vector<DocumentFormat>& document_formats() {
  static const std::vector<DocumentFormat> formats = {
#define HEED_DOCUMENT_FORMAT(name, endings, text) {#name, endings, text, read_##name},
#define HEED_DOCUMENT_TABLE(name, endings, text) \
  {#name, endings, text, read_##name, /*is_table=*/true},
#define HEED_DOCUMENT_LINES(name, endings, text) \
  {#name, endings, text, read_##name, /*is_table=*/false, /*is_lines=*/true},
#define HEED_DOCUMENT_CATALOGUE(name, endings, text) \
  {#name,                                            \
   endings,                                          \
   text,                                             \
   read_##name,                                      \
   /*is_table=*/false,                               \
   /*is_lines=*/false,                               \
   /*is_catalogue=*/true},
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

namespace {

/// The ending of a name without that of a packed file: "md" of "a/B.MD.gz".
std::string ending_of(std::string_view path) {
  for (const std::string_view packed : {".gz", ".zst"})
    if (path.ends_with(packed)) path.remove_suffix(packed.size());
  path = path.substr(path.find_last_of('/') + 1);
  const std::size_t point = path.find_last_of('.');
  if (point == std::string_view::npos || point == 0) return "";
  return ascii_lower(path.substr(point + 1));
}

bool has_ending(std::string_view endings, const std::string& ending) {
  const std::vector<std::string> all = split_words(endings);
  return !ending.empty() && std::ranges::find(all, ending) != all.end();
}

}  // namespace

const DocumentFormat* format_of_name(std::string_view path) {
  const std::string ending = ending_of(path);
  const auto found = std::ranges::find_if(document_formats(), [&](const DocumentFormat& format) {
    return has_ending(format.endings, ending);
  });
  return found == document_formats().end() ? nullptr : &*found;
}

std::string_view unread_format_of_name(std::string_view path) {
  struct Unread {
    std::string_view endings, what;
  };
  constexpr Unread kUnread[] = {
      {"rst", "a document of reStructuredText"},
      {"adoc asciidoc", "a document of AsciiDoc"},
      {"textile", "a document of Textile"},
      {"mediawiki", "a document of MediaWiki"},
      {"mdx", "a document of MDX"},
      {"properties yml yaml ini toml ftl arb", "texts of a program with their keys"},
  };
  const std::string ending = ending_of(path);
  for (const Unread& one : kUnread)
    if (has_ending(one.endings, ending)) return one.what;
  return "";
}

const DocumentFormat* format_of_text(std::span<const std::string> first_lines) {
  constexpr std::size_t kMost = 100;  // lines that are looked at
  const std::string_view ending =
      text::usual_ending(first_lines.first(std::min(first_lines.size(), kMost)));
  return ending.empty() ? nullptr : format_of_name(std::string("text") + std::string(ending));
}

}  // namespace heed::document
