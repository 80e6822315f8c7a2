// What the output of a command may not replace.
#pragma once

#include <string>
#include <vector>

namespace heed {

/// Throws UserError where the file `output` is one that the command reads, or belongs to a run,
/// whose files only `heed train` writes. `named` is what else the command line names; what is
/// neither a file nor a folder there is of no interest.
void require_harmless(const std::string& output, const std::vector<std::string>& named);

}  // namespace heed
