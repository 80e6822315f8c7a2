// Text that can be read only once, kept as a file.
#pragma once

#include <string>

namespace heed::text {

/// Whether `path` is stdin ("-"), a descriptor (/dev/fd/N), a FIFO, a device or another file whose
/// lines are gone once they are read. False where there is none.
bool is_stream(const std::string& path);

/// Reads all of `path`, decompressed, into the file `to`, which is there only if it is whole.
/// Throws UserError naming `path` where it cannot be opened, is empty or a damaged archive; Failure
/// where reading or writing fails.
void spool(const std::string& path, const std::string& to);

}  // namespace heed::text
