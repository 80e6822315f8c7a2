#include "document/markdown_fences.h"

#include "base/strings.h"
#include "text/words.h"

namespace heed::document {

Fence fence_of(std::string_view text) {
  constexpr std::size_t kLeast = 3;
  if (text.empty() || !is_one_of(text[0], "`~:")) return {};
  Fence fence{.mark = text[0], .length = after_run(text, text.substr(0, 1))};
  fence.info = trim(text.substr(fence.length));
  const bool is_code = fence.mark == '`' && is_one_of('`', fence.info);
  return fence.length < kLeast || is_code ? Fence() : fence;
}

std::string_view directive_of(std::string_view info) {
  if (!info.starts_with('{')) return {};
  const std::size_t end =
      after_run(info, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_:.+", 1);
  return info.substr(end).starts_with('}') ? info.substr(1, end - 1) : std::string_view();
}

bool is_directive_of_text(std::string_view directive) {
  static const text::WordSet names = text::word_set(
      "admonition aside attention caution card centered compound container danger "
      "deprecated details div dropdown epigraph error exercise figure glossary "
      "glue:figure grid grid-item grid-item-card group-tab highlights hint "
      "important list-table margin note only proof pull-quote rubric seealso "
      "sidebar solution tab tab-item tab-set table tabs tip todo toggle topic "
      "versionadded versionchanged versionremoved warning");
  return names.contains(directive) || directive.starts_with("prf:");
}

bool is_directive_of_code(std::string_view directive) {
  static const text::WordSet names = text::word_set(
      "bibliography code code-block code-cell contents csv-table doctest eval-rst "
      "graphviz image include jupyter-execute literalinclude math mermaid "
      "parsed-literal plot raw sourcecode testcode testoutput toctree");
  return names.contains(directive) || directive.starts_with("auto");
}

bool has_no_title(std::string_view directive) {
  return directive == "figure" || directive == "glue:figure" || directive == "grid" ||
         directive == "only" || directive == "container" || directive == "div";
}

}  // namespace heed::document
