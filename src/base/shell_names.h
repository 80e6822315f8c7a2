// ~ and $NAME in a path: a shell replaces them in its own command lines, and nobody does in a file
// or in the middle of a word, such as --set output=~/runs/x.
#pragma once

#include <string>

namespace heed {

/// A note that only a shell would have replaced a name in the path: "only a shell replaces ~; write
/// /home/ada/runs/x". Such names are ~ or ~user at its beginning, $NAME or ${NAME} of a variable
/// that is set or that begins a part of the path, and $(command). The note is "" where the path has
/// none, or where there is a file or folder of that very name.
std::string shell_note(const std::string& path);

/// The same note after "; ", to be added to a message about the path.
std::string shell_hint(const std::string& path);

/// Throws UserError "PATH: shell_note()" where a path that is to be made has such a name.
void require_expanded(const std::string& path);

}  // namespace heed
