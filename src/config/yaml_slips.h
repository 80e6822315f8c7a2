// What people write in YAML that means something else there, and its cure. Inside config/ only.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/format.h"

namespace heed::config {

inline constexpr fmt::format_string<const std::string&, int> kOpenQuotation =
    "{}:{}: a quotation mark without its partner; put one at the end of the text";

/// The number of bytes from the quotation mark at the beginning of `text` to its partner; 0 where
/// it has none.
std::size_t quoted_size(std::string_view text);

/// The text with its invisible characters written as <U+200B>, for a key or a value that nobody
/// would see to be wrong; nothing where it has none.
std::optional<std::string> with_invisible_shown(std::string_view text);

// Both give a whole message, which begins with `name` and a line; nothing where there is no slip.

/// For text that YAML reads, but not as it is meant: blanks, invisible characters and quotation
/// marks that are letters for YAML, sections of INI.
std::optional<std::string> slip_that_parses(const std::string& yaml, const std::string& name);

/// For text that yaml-cpp refuses with `message` at `line`, from 0: what is probably wrong, and
/// where.
std::optional<std::string> slip_behind(const std::string& message, int line,
                                       const std::string& yaml, const std::string& name);

}  // namespace heed::config
