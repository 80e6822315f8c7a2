// What stands in a line of Markdown and is no text in dialects of it: formulas, keys, roles, ...
#pragma once

#include <cstddef>
#include <string_view>

namespace heed::document {

inline constexpr std::size_t kLongestInsert = 1000;  // bytes in which its end is looked for

/// What names of classes, containers and templates consist of.
inline constexpr std::string_view kOfNames =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_{}";

/// Bytes of a formula, $x$ or $$x$$, that begins at `at`, or 0. No blank is inside beside a single
/// $, and no letter or digit outside: "$5 and $6" and "5$ and 6$" are prices, "$HOME/$USER" is
/// none.
std::size_t bytes_of_formula(std::string_view line, std::size_t at);

/// Bytes of the name of a picture, :rocket:, that begins at `at` after a blank, or 0.
std::size_t bytes_of_emoji(std::string_view line, std::size_t at);

/// Bytes of attributes, `{#name .class}`, `{: .class}` or, after a link, `{target=x}`, or 0.
std::size_t bytes_of_attributes(std::string_view line, std::size_t at);

/// Bytes of what has the mark `mark`, two signs that are the same, on both sides and begins at
/// `at`, or 0: ==text==, ^^text^^, ++ctrl+c++. No third sign stands beside the marks.
std::size_t bytes_of_marked(std::string_view line, std::size_t at, std::string_view mark);

/// Bytes of keys, ++ctrl+alt+del++, that begin at `at`, or 0: they have no blanks but in quotes.
std::size_t bytes_of_keys(std::string_view line, std::size_t at);

/// Bytes of a link to a page by its name, [[name]] or [[name|text]], that begins at `at`, or 0.
std::size_t bytes_of_wiki_link(std::string_view line, std::size_t at);

/// Bytes of the inline code that begins at `at` and ends in `text`, or 0.
std::size_t bytes_of_code(std::string_view text, std::size_t at);

/// Bytes of a role with its code, {ref}`name` or :py:class:`name`, that begins at `at`, or 0. The
/// code may go on in the next lines of its paragraph.
std::size_t bytes_of_role(std::string_view text, std::size_t at);

/// Bytes of a note in the text, ^[text], that begins at `at`, or 0. It may go on as a role may.
std::size_t bytes_of_note(std::string_view text, std::size_t at);

/// Bytes of a reference to literature, [@name], [@name, p. 3] or [-@name], that begins at `at`, or
/// 0.
std::size_t bytes_of_citation(std::string_view line, std::size_t at);

}  // namespace heed::document
