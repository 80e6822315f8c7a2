#include "text/no_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <initializer_list>
#include <set>
#include <vector>

#include "base/format.h"
#include "base/stand_in.h"
#include "base/strings.h"
#include "text/binary_form.h"
#include "text/usual_ending.h"
#include "text/utf8.h"

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

/// Whether the text begins with an element that names a namespace, and another one follows.
bool begins_with_namespace(std::string_view text) {
  const std::size_t name = text.find_first_of(" \t\r\n>");
  const std::size_t end = text.find('>');
  if (name == text.npos || end == text.npos || !text.starts_with('<')) return false;
  const std::string_view attributes = text.substr(name, end - std::min(name, end));
  return (attributes.find("xmlns=") != text.npos || attributes.find("xmlns:") != text.npos) &&
         is_markup_of(text, text.substr(1, name - 1));
}

// Root elements of test sets in XML or SGML (NIST, WMT, IWSLT).
constexpr std::array<std::string_view, 4> kTestSets = {"srcset", "refset", "tstset", "mteval"};
constexpr std::array<std::string_view, 4> kXml = {"?xml", "!doctype", "tmx", "xliff"};

/// Whether the text is a transcript of talks as in IWSLT's training sets, with tags on lines of
/// their own. `text` is in small letters.
bool is_tagged_talk(std::string_view text) {
  return (text.starts_with("<url>") || is_markup_of(text, "doc")) && has_tag(text, "talkid>");
}

/// Whether the first line is a tag of a document, as in IWSLT's training sets and WikiExtractor's
/// files. `text` is in small letters.
bool begins_tagged_document(std::string_view text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = trim(text.substr(0, end));
  if (line.starts_with("<doc "))
    return line.find('>') + 1 == line.size() && line.find('=') != line.npos &&
           !line.ends_with("/>");
  return line.starts_with("<url>http") && line.ends_with("</url>") &&
         text.substr(end).starts_with("\n<keywords>");
}

/// The lines that are complete in the beginning of a file, without those that are blank; the first
/// one, if none is.
std::vector<std::string> lines_of(std::string_view beginning) {
  std::vector<std::string> lines = split(beginning, '\n');
  if (beginning.size() == kBeginning && lines.size() > 1) lines.pop_back();
  std::erase_if(lines, [](const std::string& line) { return is_blank(line); });
  for (std::string& line : lines) line = trim(line);
  return lines;
}

bool is_any_of(std::string_view text, std::initializer_list<std::string_view> list) {
  return std::ranges::count(list, text) > 0;
}

/// Whether the lines, which begin with an object of JSON, are nothing but JSON: an object on each
/// of them, or a document whose first line has its brackets alone.
bool are_all_json(const std::vector<std::string>& lines, bool is_cut) {
  if (is_any_of(lines[0], {"{", "[", "[{"})) return true;
  const auto is_object = [](const std::string& line) {
    return (line.starts_with('{') || line.starts_with("[{")) &&
           (line.ends_with('}') || line.ends_with("},") || line.ends_with("}]"));
  };
  return (is_cut && lines.size() == 1) || std::ranges::all_of(lines, is_object);
}

/// The first key of lines that begin with an object of JSON.
std::string first_key(const std::vector<std::string>& lines) {
  const std::vector<std::string> parts = split(join(lines, " "), '"');
  return parts.size() > 1 ? parts[1] : "";
}

/// The key of the first value of an object, or of its "translation", that is a list or an object;
/// nothing where the first object of `json`, as much as there is of it, has none. The program for
/// JSON prints the values of such objects.
std::optional<std::string> nested_key(std::string_view json) {
  std::string text;  // the last string
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = json.find('{'); i < json.size(); ++i) {
    const char c = json[i];
    if (in_string) {
      if (c == '\\')
        text += json.substr(i++, 2);
      else if (c == '"')
        in_string = false;
      else
        text += c;
    } else if (c == '"') {
      in_string = true;
      text.clear();
    } else if (c == '{' && depth == 1 && text == "translation") {
      ++depth;
    } else if (c == '[' || (c == '{' && depth > 0)) {
      return text;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

/// Whether names that end so are those of subtitles.
bool is_of_subtitles(std::string_view ending) {
  return is_any_of(ending, {".ass", ".sbv", ".srt", ".ssa", ".sub", ".vtt"});
}

bool are_all_messages(const std::vector<std::string>& lines) {
  return std::ranges::all_of(lines, [](const std::string& line) {
    return line.starts_with('#') || line.starts_with("msg") || line.starts_with('"');
  });
}

/// What a server says in place of a file, in a file of nothing else. Go's servers end it by a line
/// feed. In order: HTTP's reasons, the words of Hugging Face and GitHub, of stores of files.
constexpr std::array<std::string_view, 18> kRefusals = {"Not Found",
                                                        "Forbidden",
                                                        "Unauthorized",
                                                        "Too Many Requests",
                                                        "Internal Server Error",
                                                        "Bad Gateway",
                                                        "Service Unavailable",
                                                        "Gateway Timeout",
                                                        "Entry not found",
                                                        "Repository not found",
                                                        "Revision not found",
                                                        "Invalid username or password.",
                                                        "Bad credentials",
                                                        "Rate limit exceeded",
                                                        "Access denied",
                                                        "Access Denied",
                                                        "File not found",
                                                        "File not found."};
/// Reasons that are a refusal only after their code.
constexpr std::array<std::string_view, 4> kReasons = {"Bad Request", "Gone", "page not found",
                                                      "Gateway Time-out"};

/// Whether the words are an error's code with its reason: "404 page not found", "429: Too Many
/// Requests", "HTTP/1.1 403 Forbidden".
bool is_code_with_reason(std::string_view words) {
  for (const std::string_view before : {"HTTP/1.1 ", "HTTP Error ", "Error "})
    if (words.starts_with(before)) words.remove_prefix(before.size());
  const std::size_t digits = words.find_first_not_of("0123456789");
  if (digits != 3 || (words[0] != '4' && words[0] != '5')) return false;
  words.remove_prefix(words[3] == ':' ? 4 : 3);
  if (!words.starts_with(' ')) return false;
  const std::string_view reason = words.substr(1);
  return std::ranges::count(kRefusals, reason) + std::ranges::count(kReasons, reason) > 0;
}

/// Whether a whole file is what a server sent in place of another.
bool is_refusal(std::string_view file) {
  const std::string_view words = trim(file);
  constexpr std::string_view kCode = "error code: ";  // of Cloudflare, with four digits
  if (words.starts_with(kCode))
    return words.size() == kCode.size() + 4 &&
           words.find_first_not_of("0123456789", kCode.size()) == words.npos;
  if (words.starts_with("Access to model ") || words.starts_with("Access to dataset "))
    return words.find(" is restricted") != words.npos && words.find('\n') == words.npos;
  return std::ranges::count(kRefusals, words) > 0 || is_code_with_reason(words);
}

/// Whether the lines are those of a patch, of `diff -u` or of git.
bool is_patch(const std::vector<std::string>& lines) {
  return lines[0].starts_with("diff --git ") ||
         (lines.size() > 2 && lines[0].starts_with("--- ") && lines[1].starts_with("+++ ") &&
          lines[2].starts_with("@@ -"));
}

/// Whether the lines are words in columns with comments, as in treebanks of Universal Dependencies.
bool is_conllu(const std::vector<std::string>& lines) {
  bool any = false;
  return std::ranges::all_of(lines,
                             [&](const std::string& line) {
                               if (line.starts_with('#')) return true;
                               return any = line[0] >= '0' && line[0] <= '9' &&
                                            std::ranges::count(line, '\t') == 9;
                             }) &&
         any;
}

/// Whether the first line that is no comment begins a document of LaTeX.
bool is_latex(const std::vector<std::string>& lines) {
  const auto first = std::ranges::find_if_not(
      lines, [](const std::string& line) { return line.starts_with('%'); });
  return first != lines.end() &&
         (first->starts_with("\\documentclass{") || first->starts_with("\\documentclass["));
}

/// Whether the lines are messages of a program, a key in front of each: `"key" = "text";` of
/// Apple's .strings, or at least three `key=text` of .properties, .ini or Fluent, with different
/// keys.
bool are_messages_with_keys(const std::vector<std::string>& lines) {
  std::vector<std::string> keys;
  bool are_strings = false;
  for (const std::string& line : lines) {
    if (is_any_of(line.substr(0, 1), {"#", "!", "[", "."}) || line.starts_with("/*")) continue;
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos) return false;
    keys.emplace_back(trim(line.substr(0, equals)));
    const std::string& key = keys.back();
    are_strings =
        key.size() > 2 && key.starts_with('"') && key.ends_with('"') && line.ends_with("\";");
    const bool is_name = !key.empty() && std::ranges::all_of(key, [](unsigned char c) {
      return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-';
    });
    if (!are_strings && (!is_name || key.find_first_not_of("0123456789.-") == key.npos))
      return false;
  }
  const std::set<std::string> different(keys.begin(), keys.end());
  return keys.size() >= (are_strings ? 1U : 3U) && different.size() == keys.size();
}

/// A text that people or programs write in a form of its own.
std::optional<NoText> text_of_programs(const std::vector<std::string>& lines) {
  const auto of = [](const char* what) { return NoText{.what = what, .program = ""}; };
  if (is_patch(lines)) return of("a patch of `diff`, not lines of text");
  if (is_latex(lines)) return of("a document of LaTeX, not lines of text; take the text out of it");
  if (is_conllu(lines)) {
    NoText found = of("a treebank in CoNLL-U, not lines of text; its sentences as lines");
    if (std::ranges::any_of(lines, [](const auto& line) { return line.starts_with("# text = "); }))
      found.program = "sed -n 's/^# text = //p'";
    return found;
  }
  if (are_messages_with_keys(lines))
    return of("messages of a program with their keys, not lines of text; write its texts as lines");
  return std::nullopt;
}

/// A document that is no markup.
std::optional<NoText> no_text_of_lines(std::string_view beginning) {
  if (beginning.starts_with("\xEF\xBB\xBF")) beginning.remove_prefix(3);
  if (is_refusal(beginning))
    return NoText{.what = "the words of a server that has no such file; fetch the file itself",
                  .program = "",
                  .is_one_line = true};
  const std::vector<std::string> lines = lines_of(beginning);
  if (lines.empty()) return std::nullopt;
  if (auto found = text_of_programs(lines)) return found;
  const std::string_view ending = usual_ending(lines);
  if (is_of_subtitles(ending) || ascii_lower(lines[0]) == "[script info]")
    return NoText{.what =
                      "subtitles, not lines of text; those of two languages are not line by line, "
                      "so align them by their times first",
                  .program = "",
                  .ending = ending.substr(1)};
  if (ending == ".po" && are_all_messages(lines))
    return NoText{.what =
                      "messages of GNU gettext (PO), not lines of text; `po2tmx -l de OLD.po "
                      "NEW.tmx` of translate-toolkit makes a translation memory of them, of which "
                      "heed reads NEW.tmx#en and NEW.tmx#de",
                  .program = "",
                  .ending = ending.substr(1)};
  if (ending != ".jsonl" || !are_all_json(lines, beginning.size() == kBeginning))
    return std::nullopt;
  if (is_any_of(ascii_lower(first_key(lines)), {"error", "errors", "message", "detail"}))
    return NoText{.what = "an answer of a server in JSON, not the text; fetch the file itself",
                  .program = "",
                  .ending = ending.substr(1)};
  if (lines[0] == "{" || first_key(lines).starts_with('@'))  // "@@locale" of Flutter's messages
    return NoText{.what = "one object of JSON, not lines of text; write its texts as lines",
                  .program = "",
                  .ending = ending.substr(1)};
  if (const auto key = nested_key(beginning))
    return NoText{.what = fmt::format(
                      "JSON, not lines of text, and '{}' of an object is a list or an object and "
                      "no text; write the texts of both sides as lines",
                      *key),
                  .program = "",
                  .ending = ending.substr(1)};
  return NoText{
      .what = "JSON, not lines of text; the texts of its objects as a .tsv file",
      .program =
          "python3 -c 'import json, sys; text = sys.stdin.read(); rows = json.loads(text) if "
          "text.lstrip()[:1] == \"[\" else [json.loads(line) for line in text.split(\"\\n\") if "
          "line.strip()]; [print(*(\" \".join(str(cell).split()) for cell in "
          "row.get(\"translation\", row).values()), sep=\"\\t\") for row in rows]'",
      .makes_table = true,
      .ending = ending.substr(1)};
}

}  // namespace

bool NoText::may_be(std::string_view endings) const {
  const auto is_xml = [](const std::string& one) {
    return one == "xml" || one == "tmx" || one == "xliff";
  };
  return !ending.empty() &&
         std::ranges::any_of(split_words(std::string(endings)), [&](const std::string& one) {
           return one == ending || (is_xml(std::string(ending)) && is_xml(one)) ||
                  (is_of_subtitles("." + std::string(ending)) && is_of_subtitles("." + one));
         });
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
  if (const std::string_view form = binary_form(beginning); !form.empty())
    return NoText{.what = std::string(form), .program = ""};
  const std::string start = ascii_lower(start_of(beginning));
  const auto is = [&](std::string_view name) { return is_markup_of(start, name); };
  const auto has = [&](std::string_view name) { return has_tag(start, name); };
  const bool xml = std::ranges::any_of(kXml, is) || begins_with_namespace(start);
  if (std::ranges::any_of(kTestSets, is) || (is("doc") && has("seg ")) ||
      (xml && std::ranges::any_of(kTestSets, has)))
    return NoText{
        .what = "a test set with tags, not lines of text; its segments as lines",
        .program =
            "python3 -c 'import html, re, sys; [print(\" \".join(html.unescape(one).split())) "
            "for one in re.findall(\"<seg[^>]*>(.*?)</seg>\", sys.stdin.read(), re.S | "
            "re.I)]'"};
  if (const bool is_talk = is_tagged_talk(start); is_talk || begins_tagged_document(start))
    return NoText{.what = is_talk ? "a text with tags of IWSLT; its lines without them"
                                  : "a text with tags of documents (<doc>); its lines without them",
                  .program =
                      "grep -vE '^ *</?(doc|url|keywords|speaker|talkid|title|description|"
                      "reviewer|translator)[ >]'"};
  if (is("error") && has("code>"))
    return NoText{.what = "an answer of a server in XML, not the text; fetch the file itself",
                  .program = ""};
  if (is("html") || is("!doctype html") || (is("head") && has("title")) ||
      (xml && (has("html") || has("!doctype html"))))
    return NoText{.what = "a page of HTML, not the text; fetch the file itself",
                  .program = "",
                  .ending = "html"};
  if (xml && has("tmx"))
    return NoText{.what = "a translation memory (TMX)", .program = "", .ending = "tmx"};
  if (xml && has("xliff"))
    return NoText{
        .what =
            "a file of XLIFF, not lines of text; its units with a translation as a .tsv file, "
            "source TAB target",
        .program =
            "python3 -c 'import sys, xml.etree.ElementTree as E; n = lambda e: "
            "e.tag.split(\"}\")[-1]; [print(*(\" \".join(\"\".join(x.itertext()).split()) for x in "
            "p), sep=\"\\t\") for u in E.parse(sys.stdin.buffer).iter() if n(u) in "
            "(\"trans-unit\", \"segment\") for p in [[c for c in u if n(c) in (\"source\", "
            "\"target\")]] if len(p) == 2 and \"\".join(p[1].itertext()).strip()]'",
        .makes_table = true,
        .ending = "xliff"};
  if (xml && has("dataset ") && has("src "))
    return NoText{
        .what =
            "a test set of WMT in XML, not lines of text; its segments as a .tsv file, source TAB "
            "first reference",
        .program =
            "python3 -c 'import sys, xml.etree.ElementTree as E; s = lambda e: {g.get(\"id\"): "
            "\" \".join(\"\".join(g.itertext()).split()) for g in e.iter(\"seg\")}; "
            "[print(t, s(r[0]).get(i, \"\"), sep=\"\\t\") for d in "
            "E.parse(sys.stdin.buffer).iter(\"doc\") for r in [d.findall(\".//ref\")] if r for i, "
            "t in s(d.find(\".//src\")).items()]'",
        .makes_table = true,
        .ending = "xml"};
  if (xml)
    return NoText{.what = "a file of XML, not lines of text; take the text out of it",
                  .program = "",
                  .ending = "xml"};
  return no_text_of_lines(beginning);
}

}  // namespace heed::text
