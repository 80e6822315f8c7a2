// Lines of Markdown that are structure beyond CommonMark, or begin with it. A text is a line after
// its indentation and its markers of quotations and lists, without blanks at its end.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace heed::document {

/// Bytes of the name of a note in a quotation, `[!NOTE]` or `[!tip]-`; 0 where there is none.
std::size_t bytes_of_alert(std::string_view text);

/// Bytes of the mark and kind of a block of text, `:::warning`, `:::{note}`, `!!! note` or
/// `??? note "Title"`, before its title; 0 where there is none.
std::size_t bytes_of_container(std::string_view text);

/// Bytes of the mark of a tab of MkDocs, `=== "Title"`, `===! "Title"` or `===+ "Title"`, before
/// the quote; 0 where there is none.
std::size_t bytes_of_tab(std::string_view text);

/// Whether a line names a file that stands in its place: `<<< @/a.js{1,3}` of VitePress, or
/// `--8<-- "a.md"` of PyMdown.
bool is_inclusion(std::string_view text);

/// Whether a line is the mark between which files are named, one a line: `--8<--`.
bool is_mark_of_inclusions(std::string_view text);

/// Whether the text is the place of a table of contents, `[TOC]` or `[[toc]]`.
bool is_contents(std::string_view text);

/// Bytes of a label and the colon after it, `[^1]:` or `*[HTML]:`, which begins with `mark`; 0
/// where there is none.
std::size_t bytes_of_label(std::string_view text, std::string_view mark);

/// Bytes of a block of PyMdown before its title, `/// tip | Title`, or of its end, `///`; 0 where
/// there is none.
std::size_t bytes_of_slashes(std::string_view text);

/// Whether the text is a target of MyST, `(name)=`.
bool is_target(std::string_view text);

/// Whether a line is a block without text, `::include{file=a.md}`.
bool is_leaf_directive(std::string_view text);

/// A row of a table by its cells; `|` after a backslash is in a cell.
std::vector<std::string_view> cells_of(std::string_view row);

/// Whether a line is `|---|:-:|`, below the head of a table.
bool is_rule_of_table(std::string_view line);

/// Bytes of the name of a field of Obsidian, `Key:: `, before its value; 0 where there is none.
std::size_t bytes_of_field(std::string_view text);

/// Whether a text names a module whose documentation stands in its place, `::: a.b` of
/// mkdocstrings.
bool is_reference_to_module(std::string_view text);

/// Whether a text is an option of a directive of MyST, `:name: x`.
bool is_option(std::string_view text);

}  // namespace heed::document
