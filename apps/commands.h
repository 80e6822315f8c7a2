// The commands. Each has a file of its own, named after it.
#pragma once

#include "apps/cli/command_line.h"  // IWYU pragma: export

namespace heed {

// Each declares a command's options in `program` and the function that runs it. Weak: those that a
// program is linked without are null in it.
#define HEED_COMMAND_GROUP(group, heading)
#define HEED_COMMAND(group, name, libraries, description) \
  [[gnu::weak]] void add_##name(CommandLine& program);
#include "apps/commands.def"
#undef HEED_COMMAND
#undef HEED_COMMAND_GROUP

}  // namespace heed
