#include "text/no_text.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/stand_in.h"

namespace heed::text {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\v\f";

std::string_view without_leading_blanks(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(kBlanks), text.size()));
}

/// The text without the byte order mark, blanks and comments at its beginning.
std::string_view start_of(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  for (text = without_leading_blanks(text); text.starts_with("<!--");) {
    const std::size_t end = text.find("-->");
    if (end == std::string_view::npos) break;
    text = without_leading_blanks(text.substr(end + 3));
  }
  return text;
}

std::string in_small_letters(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

bool has_tag(std::string_view text, std::string_view name) {
  return text.find("<" + std::string(name)) != std::string_view::npos;
}

/// Whether the text begins with the tag or declaration `name`, and goes on with nothing but markup.
/// `text` is in small letters.
bool is_markup_of(std::string_view text, std::string_view name) {
  if (!text.starts_with("<" + std::string(name))) return false;
  text.remove_prefix(name.size() + 1);
  if (!text.empty() && (kBlanks.find(text.front()) == std::string_view::npos) &&
      text.front() != '>' && text.front() != '[')
    return false;
  const std::size_t end = text.find('>');
  if (end == std::string_view::npos) return false;
  text = without_leading_blanks(text.substr(end + 1));
  return text.empty() || text.front() == '<';
}

// Root elements of test sets in XML or SGML (NIST, WMT, IWSLT).
constexpr std::array<std::string_view, 4> kTestSets = {"srcset", "refset", "tstset", "mteval"};
constexpr std::array<std::string_view, 4> kXml = {"?xml", "!doctype", "tmx", "xliff"};

/// Whether the text is a transcript of talks as in IWSLT's training sets, with tags on lines of
/// their own. `text` is in small letters.
bool is_tagged_talk(std::string_view text) {
  return text.starts_with("<url>") && has_tag(text, "talkid>");
}

/// Whether the file begins with "%PDF-" and a version.
bool is_pdf(std::string_view beginning) {
  constexpr std::string_view kMark = "%PDF-";
  return beginning.starts_with(kMark) && beginning.size() > kMark.size() &&
         beginning[kMark.size()] >= '0' && beginning[kMark.size()] <= '9';
}

bool is_tar(std::string_view beginning) {
  constexpr std::size_t kMarkBegin = 257;  // POSIX.1-1988
  return beginning.size() > kMarkBegin && beginning.substr(kMarkBegin).starts_with("ustar");
}

}  // namespace

bool NoText::may_be(std::string_view document) const {
  return (!format.empty() && document == format) ||
         (format == "xml" && (document == "tmx" || document == "xliff"));
}

std::optional<NoText> no_text(std::string_view beginning) {
  beginning = beginning.substr(0, kBeginning);
  if (is_lfs_pointer(beginning))
    return NoText{.what = "a pointer of Git LFS, not the text; `git lfs pull` fetches it",
                  .program = "",
                  .is_pointer = true};
  if (is_annex_pointer(beginning))
    return NoText{.what = "a pointer of git-annex, not the text; `git annex get` fetches it",
                  .program = "",
                  .is_pointer = true};
  if (is_pdf(beginning))
    return NoText{
        .what = "a PDF, not lines of text; `pdftotext` of poppler-utils takes the text out of it",
        .program = ""};
  if (beginning.starts_with("PAR1"))
    return NoText{.what =
                      "a table in the format Parquet, not lines of text; write its columns as "
                      "lines, with pandas for example",
                  .program = ""};
  if (is_tar(beginning))
    return NoText{.what = "a tar archive, not a text; `tar -xf` unpacks it", .program = ""};
  const std::string start = in_small_letters(start_of(beginning));
  const auto is = [&](std::string_view name) { return is_markup_of(start, name); };
  const auto has = [&](std::string_view name) { return has_tag(start, name); };
  const bool xml = std::ranges::any_of(kXml, is);
  if (std::ranges::any_of(kTestSets, is) || (xml && std::ranges::any_of(kTestSets, has)))
    return NoText{
        .what = "a test set with tags, not lines of text; its segments as lines",
        .program =
            "python3 -c 'import html, re, sys; [print(\" \".join(html.unescape(one).split())) "
            "for one in re.findall(\"<seg[^>]*>(.*?)</seg>\", sys.stdin.read(), re.S | "
            "re.I)]'"};
  if (is_tagged_talk(start))
    return NoText{.what = "a text with tags of IWSLT; its lines without them",
                  .program =
                      "grep -vE '^ *<(url|keywords|speaker|talkid|title|description|"
                      "reviewer|translator)[ >]'"};
  if (is("html") || is("!doctype html") || (is("head") && has("title")) ||
      (xml && (has("html") || has("!doctype html"))))
    return NoText{.what = "a page of HTML, not the text; fetch the file itself",
                  .program = "",
                  .format = "html"};
  if (xml)
    return NoText{.what = "a file of XML, not lines of text; take the text out of it",
                  .program = "",
                  .format = "xml"};
  return std::nullopt;
}

}  // namespace heed::text
