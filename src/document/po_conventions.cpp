#include "document/po_conventions.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "base/strings.h"
#include "document/accelerators.h"
#include "document/placeholders.h"
#include "document/restructured_text.h"
#include "document/xml_code.h"

namespace heed::document {
namespace {

std::string in_quotes(std::string_view text, std::string_view doubled) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (is_one_of(c, doubled)) out += c;
    out += c;
  }
  return out;
}
std::string plain_quotes(std::string_view text) {
  return in_quotes(text, "");
}
std::string percent_quotes(std::string_view text) {
  return in_quotes(text, "%");
}
std::string brace_quotes(std::string_view text) {
  return in_quotes(text, "{}");
}

std::string restructured_quotes(std::string_view text) {
  return in_quotes(with_restructured_escapes(text), "");
}

constexpr auto* kPlain = escaped_in<plain_quotes>;

/// Whether the places of a message, if it names any, are in files of text.
bool may_be_documentation(const PoEntry& entry) {
  return trim(entry.references).empty() ||
         std::ranges::any_of(
             std::array{".rst:", ".txt:", ".md:", ".ipynb:", ".inc:"},
             [&](const char* place) { return entry.references.find(place) != std::string::npos; });
}

/// The name of the element of a document whose text the message is: "para" of the notes "Tag: para"
/// or "(itstool) path: article/para", or of the place "a.xml:12(para)"; empty where it has none.
std::string_view element_of(const PoEntry& entry) {
  const auto first_word = [](std::string_view text) {
    return text.substr(0, text.find_first_of(" \t\r\n[()"));
  };
  for (const std::string_view mark : {"(itstool) path: ", "Tag: "})
    if (const std::size_t at = entry.notes.find(mark); at != std::string::npos) {
      const std::string_view path =
          first_word(std::string_view(entry.notes).substr(at + mark.size()));
      return path.substr(path.find_last_of('/') + 1);
    }
  const std::size_t at = entry.references.find('(');
  return at == std::string::npos || entry.references.find(".xml:") == std::string::npos
             ? std::string_view()
             : first_word(std::string_view(entry.references).substr(at + 1));
}

bool is_code_of_documents(std::string_view element) {
  return xml_code(XmlVocabulary::docbook, element) != XmlCode::none ||
         xml_code(XmlVocabulary::mallard, element) != XmlCode::none;
}

}  // namespace

bool is_element_of_code(const PoEntry& entry) {
  return is_code_of_documents(element_of(entry));
}

std::vector<Token> with_whole_code(std::vector<Token> tokens) {
  constexpr std::size_t kFarthest = 64;  // tokens in which an end tag is looked for
  std::vector<Token> out;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    Token& token = out.emplace_back(std::move(tokens[i]));
    if (token.syntax != Token::Syntax::opening || !is_code_of_documents(token.name)) continue;
    const std::size_t most = std::min(tokens.size(), i + kFarthest);
    for (std::size_t last = i + 1; last < most; ++last) {
      if (tokens[last].syntax != Token::Syntax::closing || tokens[last].name != token.name)
        continue;
      token = {.from = token.from,
               .to = tokens[last].to,
               .syntax = Token::Syntax::whole,
               .is_placeholder = true};
      i = last;
      break;
    }
  }
  return out;
}

PoConventions::PoConventions(std::string_view bytes, const std::vector<PoEntry>& entries,
                             const PoHeader& header)
    : accelerator_(header.accelerator) {
  const auto has_reference = [&](auto... names) {
    return std::ranges::any_of(entries, [&](const PoEntry& entry) {
      return ((entry.references.find(names) != std::string::npos) || ...);
    });
  };
  is_of_documents_ =
      std::ranges::any_of(entries, [](const PoEntry& entry) { return !element_of(entry).empty(); });
  const auto text_of = [&](const PoEntry& entry) { return characters_of(bytes, entry.ids[0]); };
  is_restructured_ = has_reference(".rst:", ":docstring of ") ||
                     std::ranges::any_of(entries, [&](const PoEntry& entry) {
                       return entry.flags_at == 0 && entry.ids.size() == 1 &&
                              may_be_documentation(entry) &&
                              shows_restructured_text(text_of(entry));
                     });
  is_drupal_ =
      header.is_drupal || has_reference(".module:", ".module;", ".info.yml:", ".html.twig:");
  has_forms_ = !is_restructured_ && std::ranges::any_of(entries, [&](const PoEntry& entry) {
    return entry.ids.size() == 1 && shows_forms(text_of(entry));
  });
  if (accelerator_ != 0 || is_restructured_ || is_drupal_) return;
  if (header.is_qt) accelerator_ = '&';
  std::ptrdiff_t most = 0;
  for (const char mark : {'&', '_', '~'}) {
    const auto count = header.is_qt ? 0 : std::ranges::count_if(entries, [&](const PoEntry& entry) {
      return entry.ids.size() == 1 &&
             shows_accelerators(text_of(entry), mark, format_of(entry).item);
    });
    if (count <= most) continue;
    most = count;
    accelerator_ = mark;
  }
}

MessageFormat PoConventions::format_of(const PoEntry& entry) const {
  const std::vector<std::string>& flags = entry.flags;
  const auto has = [&](auto... names) {
    return std::ranges::any_of(flags,
                               [&](const std::string& flag) { return ((flag == names) || ...); });
  };
  const bool has_braces = has("python-brace-format", "csharp-format", "rust-format", "c++-format");
  if (has_braces && has("python-format", "c-format"))
    return {.item = any_placeholder, .escaped = kPlain, .has_accelerators = true};
  if (has("c-format", "objc-format", "python-format", "php-format", "perl-format", "awk-format",
          "gcc-internal-format", "tcl-format", "lua-format", "ruby-format", "go-format",
          "object-pascal-format", "javascript-format", "boost-format"))
    return {.item = percent_placeholder,
            .escaped = escaped_in<percent_quotes>,
            .doubled = '%',
            .has_accelerators = true};
  if (has("qt-format", "qt-plural-format", "kde-format", "kde-kuit-format"))
    return {.item = percent_placeholder, .escaped = kPlain, .has_accelerators = true};
  if (has_braces)
    return {.item = brace_placeholder,
            .escaped = escaped_in<brace_quotes>,
            .doubled = '{',
            .has_accelerators = true};
  if (has("perl-brace-format", "java-format", "java-printf-format", "sh-format", "smalltalk-format",
          "librep-format", "scheme-format", "lisp-format", "elisp-format", "gfc-internal-format",
          "ycp-format"))
    return {.item = any_placeholder, .escaped = kPlain, .has_accelerators = true};
  const bool has_none = std::ranges::any_of(flags, [](const std::string& flag) {
    return flag.starts_with("no-") && flag.ends_with("-format");
  });
  if (is_restructured_ && !has_none)
    return {.escaped = escaped_in<restructured_quotes>,
            .markup = restructured_markup,
            .is_restructured = true};
  if (is_drupal_) return {.item = drupal_placeholder, .escaped = kPlain};
  if (has_none)
    return {.item = has("no-python-brace-format", "no-csharp-format", "no-rust-format",
                        "no-c++-format", "no-perl-brace-format")
                        ? likely_percent_placeholder
                        : likely_brace_placeholder,
            .escaped = kPlain,
            .has_accelerators = true};
  return {.item = likely_placeholder, .escaped = kPlain, .has_accelerators = true};
}

}  // namespace heed::document
