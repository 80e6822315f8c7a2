// Tags of template languages in the text of documents.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "document/token.h"

namespace heed::document {

/// A tag of a template, which stays as it is.
struct TemplateTag {
  ByteRange bytes;
  bool is_statement = false;  // it writes nothing: `{% if x %}`, a comment
  bool has_line = false;      // a statement on a line of nothing but statements
};

/// Whether lines follow each other without a blank one, also in a quotation of Markdown.
bool is_one_paragraph(std::string_view text);

/// Bytes of the tag that begins here in Markdown: `{{ x }}`, `{{< x >}}`, `{% x %}` and `{# x #}`
/// of Jinja, Liquid, Hugo, Vue and the like, or `<% x %>`; 0 where there is none. It has no blank
/// line, no code in backticks, and an end tag of HTML only in quotes.
std::size_t bytes_of_template(std::string_view text, std::size_t at);

/// Bytes of a tag that has lines of its own and begins here, also of a comment with blank lines; 0
/// where there is none.
std::size_t bytes_of_template_block(std::string_view text, std::size_t at);

/// Whether a line has tags of templates that are statements, and nothing else.
bool is_line_of_statements(std::string_view line);

/// The bracket that the splitter of sentences sees in place of a statement which begins at `at`
/// (Token::mask): one that opens after a blank.
char mask_of_statement(std::string_view text, std::size_t at);

/// The tags of a text on one line, as tokens of a sentence.
std::vector<Token> template_tokens(std::string_view text);

/// Whether a tag of a template is a statement.
bool is_statement(std::string_view tag);

/// Whether what is between the tags of this name, `{% name %}` and `{% endname %}`, is code or a
/// comment.
bool keeps_content(std::string_view name);

/// The tags on a page of HTML, in order: those of bytes_of_template(), `<?php x ?>`, `${x}`, and
/// the control flow of Angular, Razor and Blade, such as `@if (x) {` with its `}`, and `@endif`. A
/// page with elements of Mako (`<%block name="x">`) also has its lines `% if x:` and `## comment`.
std::vector<TemplateTag> templates_of(std::string_view page);

}  // namespace heed::document
