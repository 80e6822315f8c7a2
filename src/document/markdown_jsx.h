// JSX in Markdown, as MDX has it: tags with values in braces, comments, values.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "document/token.h"

namespace heed::document {

/// A tag that a parser of Markdown does not know: with values in braces, `<Tabs items={["a"]}>`, or
/// with its `>` at the beginning of a line, where it would begin a quotation.
struct JsxTag {
  std::size_t bytes = 0;          // 0: there is none
  std::vector<ByteRange> values;  // in braces after `=`, and attributes that are braces alone
};

/// Such a tag that begins at byte `at` of a text. Braces hold strings, in which they mean nothing.
JsxTag jsx_tag_at(std::string_view text, std::size_t at);

/// Bytes of a comment, `{/* text */}`, that begins at `at`, or 0. It may go on in the next lines of
/// its paragraph.
std::size_t bytes_of_jsx_comment(std::string_view text, std::size_t at);

/// Bytes of a value, `{props.value}`, that begins at `at`, or 0.
std::size_t bytes_of_jsx_value(std::string_view line, std::size_t at);

}  // namespace heed::document
