// What stands in a line of Markdown and is no text in dialects of it: formulas, keys, roles, ...
#pragma once

#include <cstddef>
#include <string_view>

#include "document/token.h"

namespace heed::document {

inline constexpr std::size_t kLongestInsert = 1000;  // bytes in which its end is looked for

/// What names of classes, containers and templates consist of.
inline constexpr std::string_view kOfNames =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_{}";
inline constexpr std::string_view kFirstOfNames = kOfNames.substr(0, 52),
                                  kOfWords = kOfNames.substr(0, 62),
                                  kOfPlainNames = kOfNames.substr(0, 64);  // with - and _

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

/// Bytes of a name after @ that begins at `at`, or 0: @user, @group/project, @fig-plot of Quarto. A
/// reference to a link, `[@user]`, is none.
std::size_t bytes_of_mention(std::string_view line, std::size_t at);

/// Bytes of a tag of Obsidian, #daily or #work/project, or of a number of GitHub or GitLab, #12 or
/// !12, that begins at `at` after a blank or a parenthesis, or 0.
std::size_t bytes_of_hashtag(std::string_view line, std::size_t at);

/// Bytes of the hash of a commit that begins at `at`, or 0: 7 to 40 digits of base 16, not all of
/// them digits of base 10 or letters.
std::size_t bytes_of_commit(std::string_view line, std::size_t at);

/// Bytes of what changes of CriticMarkup or GitLab leave out, {--a--}, {~~a~>b~~}, {>>a<<}, {-a-},
/// or of the mark before a text that they add or show, {++, {==, {+; 0 where neither begins at
/// `at`.
std::size_t bytes_of_change(std::string_view line, std::size_t at);

/// Bytes of the mark after such a text, ++}, ==} or +}, that begins at `at`, or 0.
std::size_t bytes_of_end_of_change(std::string_view line, std::size_t at);

/// A word with parts below or above the line, H~2~O or x^2^, whose first such part begins at `at`;
/// empty where none does.
ByteRange word_with_scripts(std::string_view line, std::size_t at);

/// Bytes of a comment of Obsidian, %%text%%, that begins at `at`, or 0.
std::size_t bytes_of_comment(std::string_view line, std::size_t at);

/// Bytes of the name of a block of Obsidian, ^name, that begins at `at` and ends the line, or 0.
std::size_t bytes_of_block_name(std::string_view line, std::size_t at);

/// Bytes of a value of JSX, {props.value}, that begins at `at`, or 0.
std::size_t bytes_of_jsx_value(std::string_view line, std::size_t at);

/// The byte of the bracket that opens `[text]` before the attributes at `at`, as Pandoc has them,
/// `[text]{.class}`; npos where they are not of such a text.
std::size_t begin_of_span(std::string_view line, std::size_t at);

}  // namespace heed::document
