// Placeholders in the messages of programs, for which a program puts numbers, names and the like.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "document/token.h"

namespace heed::document {

// Bytes of the placeholder that begins at `at`, as EscapedText::FindItem; 0: none does.

/// Of printf() and its relatives in Objective-C, Python, PHP, Qt, KDE and others; "%" before a
/// percent sign is none.
std::size_t percent_placeholder(std::string_view text, std::size_t at);
/// {0}, {name}, {0:N2}, {name!r}.
std::size_t brace_placeholder(std::string_view text, std::size_t at);
/// One of both.
std::size_t any_placeholder(std::string_view text, std::size_t at);

/// Of a message that does not say its format: what hardly ever is text, such as {name}, {{ name }},
/// ${name}, %(name)s, %1, %s, and letters of strftime where they stand alone. A message with
/// plural forms of ICU is none (message_format.h).
std::size_t likely_placeholder(std::string_view text, std::size_t at);
/// The same, where something else says that there is no `%s`, or no `{name}`.
std::size_t likely_brace_placeholder(std::string_view text, std::size_t at);
std::size_t likely_percent_placeholder(std::string_view text, std::size_t at);
/// Of Drupal: @name, %name, :name and !name, too.
std::size_t drupal_placeholder(std::string_view text, std::size_t at);
/// Of Apple's and Android's programs: likely ones, and the escapes \n and \t.
std::size_t mobile_placeholder(std::string_view text, std::size_t at);

/// Placeholders that are known by their order, such as "%s of %d", keep it (Token::in_order), if
/// there are several.
void keep_order(std::string_view bytes, std::vector<Token>& tokens);

}  // namespace heed::document
