// Names in a text that a program reads, and that nobody translates: of files, variables, settings.
#pragma once

#include <cstddef>
#include <string_view>

namespace heed::text {

/// The bytes of the path or name of a file that begins at `at`, such as config.yaml,
/// images/dog.png, docs/*.md, /etc/hosts, ~/.profile or C:\\a\\b.doc; 0 for none. A path that does
/// not begin at a root or a folder ends in the name of a file, for "and/or" is none.
std::size_t bytes_of_file(std::string_view text, std::size_t at);

/// The bytes of a name of programs that begins at `at`: words with `_` between them, all small or
/// all capital, such as progress_bar, $MERGE_HEAD, locale/da/LC_MESSAGES or
/// settings.INSTALLED_APPS, perhaps with the parentheses of a call, and names of locales, de_DE; 0
/// for none. Forms of both genders, such as Leser_innen and der_die, are none, nor is what only
/// stands between two `_`, as __init__ and _very_ do, which is emphasis elsewhere.
std::size_t bytes_of_identifier(std::string_view text, std::size_t at);

}  // namespace heed::text
