// Variables that a library reads before main() begins.
#pragma once

namespace heed {

/// Starts this program anew in this process, with `variable` set to `value`. Returns where that is
/// not possible.
void restart_with(const char* variable, const char* value, char** arguments);

}  // namespace heed
