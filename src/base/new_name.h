// Names of files in printed commands.
#pragma once

#include <string>
#include <string_view>

namespace heed {

/// The file that a printed command makes of the file `old`: NEW with this ending, or NEW2, NEW3,
/// ... where `old` is what such a command has made before. A command that reads and writes one file
/// would empty it.
std::string new_name(std::string_view old, std::string_view ending);

}  // namespace heed
