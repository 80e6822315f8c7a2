// Glossaries that are neither tables nor TBX: which forms of them are known, and how they become
// tables.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "document/term_list.h"

namespace heed::document {

/// The message, with the command that makes a table, for a glossary in JSON, JSON Lines, or lines
/// such as "term = target", "term - target", "term: target" (YAML), "term ||| target", and those of
/// .strings and .lang; nothing where the bytes may be a table. `name` is the file's.
std::optional<std::string> flaw_of_form(std::string_view bytes, std::string_view name,
                                        const TermLanguages& model);

}  // namespace heed::document
