// The table on one device, from the command line.
#pragma once

namespace heed::devices {

/// Whether the program's arguments are for this command, and not for GoogleTest.
bool is_command(int count, const char* const* arguments);

/// test_devices --device DEVICE [--precision fp32,bf16] [--only NAME]: one line for each operator
/// whose name has NAME in it and each precision. Returns the exit code: 1 where one failed, 2 for
/// other arguments or a device that is not there.
int run_command(int count, const char* const* arguments);

}  // namespace heed::devices
