// ~ and $NAME in a path: a shell replaces them in its own command lines, and nobody does in a file
// or in the middle of a word, such as --set output=~/runs/x.
#pragma once

#include <string>

namespace heed {

/// What a shell would have made of the path, and that heed does not: "only a shell replaces ~;
/// write /home/ada/runs/x". "" where it has no such name: ~ or ~user at its beginning, $NAME or
/// ${NAME} of a variable that is set or that begins a part of the path, $(command). Nor is there
/// anything to say where there is a file or folder of that very name.
std::string shell_note(const std::string& path);

/// The same after "; ", to be added to what is wrong with the path.
std::string shell_hint(const std::string& path);

/// Of a path that is to be made. Throws UserError "PATH: shell_note()".
void require_expanded(const std::string& path);

}  // namespace heed
