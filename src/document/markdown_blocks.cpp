#include "document/markdown_blocks.h"

#include <algorithm>

#include "base/strings.h"
#include "document/markdown_inserts.h"
#include "document/markdown_lines.h"
#include "document/templates.h"
#include "text/utf8.h"

namespace heed::document {
namespace {

/// What a line says of the block that began before it.
enum class BlockLine { inside, last, no_block };

/// The last line of a block that begins in line `i`; nothing where a line of it says that it is
/// none, or its end is far. `read(k)` reads line `k`.
template <class Read>
std::optional<std::size_t> find_last(const LineByLine& lines, std::size_t i, const Read& read) {
  constexpr std::size_t kMostLines = 200;
  for (std::size_t k = i; k < lines.count() && k < i + kMostLines; ++k) {
    const BlockLine line = read(k);
    if (line == BlockLine::last) return k;
    if (line == BlockLine::no_block) return {};
  }
  return {};
}

}  // namespace

std::string_view rest_of_line(const LineByLine& lines, std::size_t i, std::size_t from) {
  const std::string_view line = lines.line(i);
  return line.substr(from, std::max(from, line.find_last_not_of(" \t") + 1) - from);
}

std::string_view text_of_line(const LineByLine& lines, std::size_t i) {
  return rest_of_line(lines, i, after_run(lines.line(i), " \t>"));
}

std::optional<std::size_t> UntranslatedBlocks::last_of(std::size_t i, std::size_t from) {
  auto last = last_of_formula(i, from);
  if (!last) last = last_of_environment(i, from);
  if (!last) last = last_of_code(i, from);
  if (!last) last = last_of_inclusions(i, from);
  if (!last) last = last_of_comment(i, from, "%%", "%%");    // of Obsidian
  if (!last) last = last_of_comment(i, from, "{#", "#}");    // of Jinja
  if (!last) last = last_of_comment(i, from, "{/*", "*/}");  // of MDX
  if (!last) last = last_of_module(i, from);
  return last;
}

std::string_view UntranslatedBlocks::rest_of(std::size_t i, std::size_t from) const {
  return rest_of_line(lines_, i, from);
}

/// The last line of the formula that begins line `i` after byte `from` of it, and that has lines
/// of its own: between `$$`, or `\[` and `\]`.
std::optional<std::size_t> UntranslatedBlocks::last_of_formula(std::size_t i,
                                                               std::size_t from) const {
  const std::string_view first = rest_of(i, from);
  const bool has_brackets = first.starts_with("\\[");
  if (!has_brackets && (!first.starts_with("$$") || first.starts_with("$$$"))) return {};
  const std::string_view end = has_brackets ? "\\]" : "$$";
  bool is_formula = !has_brackets;
  return find_last(lines_, i, [&](std::size_t k) {
    const std::string_view rest = k == i ? first.substr(2) : text_of_line(lines_, k);
    if ((k > i && rest.empty()) || is_one_of('`', rest) || rest.starts_with("~~~"))
      return BlockLine::no_block;
    const std::size_t found = rest.find(end);
    is_formula = is_formula || rest.substr(0, found).find_first_of("=^_{}\\+<>") != rest.npos;
    if (found == rest.npos) return BlockLine::inside;
    const bool is_last = found + end.size() == rest.size() || (k > i && found == 0);
    return is_last && is_formula ? BlockLine::last : BlockLine::no_block;
  });
}

/// The last line of an environment of TeX without `$$` around it: `\begin{align}` up to
/// `\end{align}`.
std::optional<std::size_t> UntranslatedBlocks::last_of_environment(std::size_t i,
                                                                   std::size_t from) const {
  constexpr std::string_view kBegin = "\\begin{";
  const std::string_view first = rest_of(i, from);
  if (!first.starts_with(kBegin)) return {};
  const std::size_t close = first.find('}', kBegin.size());
  if (close == first.npos || first.find_first_of("` {", kBegin.size()) < close) return {};
  const std::string end =
      "\\end{" + std::string(first.substr(kBegin.size(), close + 1 - kBegin.size()));
  return find_last(lines_, i, [&](std::size_t k) {
    return rest_of(k, 0).find(end) != std::string_view::npos ? BlockLine::last : BlockLine::inside;
  });
}

/// The last line of the code that a template which begins line `i` after byte `from` of it has
/// around it: `{% highlight ruby %}` up to `{% endhighlight %}`, `{{< highlight go >}}` up to
/// `{{< /highlight >}}`.
std::optional<std::size_t> UntranslatedBlocks::last_of_code(std::size_t i, std::size_t from) {
  const std::string_view first = rest_of(i, from);
  const bool is_liquid = first.starts_with("{%");
  if (!is_liquid && !first.starts_with("{{<") && !first.starts_with("{{%")) return {};
  const std::string_view mark = first.substr(0, is_liquid ? 2 : 3);
  const std::size_t begin = after_run(first, "- \t", mark.size());
  const std::string_view name = first.substr(begin, after_run(first, kOfNames, begin) - begin);
  // A tab of Docsy is code in a language, if it names one.
  const bool is_code_in_tab = name == "tab" && first.find(" lang=") != first.npos;
  if (!keeps_content(name) && !is_code_in_tab) return {};
  const std::string end = (is_liquid ? "end" : "/") + std::string(name);
  std::size_t& k = ends_of_code_.try_emplace(std::string(mark) + end, 0).first->second;
  const auto is_end = [&](std::string_view rest) {
    const std::size_t tag = rest.rfind(mark);
    if (tag == rest.npos) return false;
    const std::string_view inside = rest.substr(after_run(rest, "- \t", tag + mark.size()));
    return inside.starts_with(end) && after_run(inside, kOfNames, end.size()) == end.size();
  };
  if (k <= i)
    for (k = i; k < lines_.count() && !is_end(lines_.line(k));) ++k;
  return rest_of(k, 0).ends_with(is_liquid ? "%}" : "}}") ? std::optional(k) : std::nullopt;
}

/// The last line of the names of files that stand between two marks, of which line `i` is one.
std::optional<std::size_t> UntranslatedBlocks::last_of_inclusions(std::size_t i,
                                                                  std::size_t from) const {
  if (!is_mark_of_inclusions(rest_of(i, from))) return {};
  return find_last(lines_, i, [&](std::size_t k) {
    const bool is_last = k > i && is_mark_of_inclusions(text_of_line(lines_, k));
    return is_last ? BlockLine::last : BlockLine::inside;
  });
}

/// The last line of a comment between these marks that begins line `i` and has lines of its own.
std::optional<std::size_t> UntranslatedBlocks::last_of_comment(std::size_t i, std::size_t from,
                                                               std::string_view begin,
                                                               std::string_view end) const {
  const std::string_view first = rest_of(i, from);
  if (!first.starts_with(begin) || first.find(end, 2) != first.npos) return {};
  if (begin == "{#" && first.find('}') != first.npos) return {};  // attributes
  return find_last(lines_, i, [&](std::size_t k) {
    return k > i && rest_of(k, 0).ends_with(end) ? BlockLine::last : BlockLine::inside;
  });
}

/// The last line of a paragraph of MDX that imports or exports: `import Tabs from "@theme/Tabs";`
/// or `export const x = 1;`.
std::optional<std::size_t> UntranslatedBlocks::last_of_module(std::size_t i, std::size_t from) {
  if (from > 0 || (i > 0 && last_of_module_ + 1 != i && !text::is_blank(lines_.line(i - 1))))
    return {};
  constexpr std::size_t kMostLines = 50;
  const std::string_view first = rest_of(i, 0);
  std::size_t last = i;
  if (first.starts_with("import ")) {
    const auto ends = [](std::string_view line) {
      if (line.ends_with(';')) line.remove_suffix(1);
      constexpr std::string_view kQuotes = "\"'", kImport = "import ";
      if (line.size() < 2 || !is_one_of(line.back(), kQuotes)) return false;
      if (line.find(" from ") != line.npos) return true;
      const std::size_t name = after_run(line, " \t", kImport.size());
      return line.starts_with(kImport) && name < line.size() && is_one_of(line[name], kQuotes);
    };
    const bool goes_on = first.find('{') != first.npos && first.find('}') == first.npos;
    if (!goes_on && !ends(first)) return {};
    while (goes_on && last + 1 < lines_.count() && last < i + kMostLines && !ends(rest_of(last, 0)))
      if (text::is_blank(lines_.line(++last))) return {};
    if (!ends(rest_of(last, 0))) return {};
  } else if (first.starts_with("export const ") || first.starts_with("export default ") ||
             first.starts_with("export function ") || first.starts_with("export let ")) {
    if (first.find_first_of("=({") == first.npos) return {};
    while (last + 1 < lines_.count() && !text::is_blank(lines_.line(last + 1))) ++last;
  } else {
    return {};
  }
  last_of_module_ = last;
  return last;
}

}  // namespace heed::document
