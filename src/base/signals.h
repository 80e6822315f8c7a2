// SIGINT and SIGTERM as a flag that loops ask about.
#pragma once

namespace heed::signals {

/// From now on a first SIGINT or SIGTERM only sets the flag; a second one ends the process.
void install();

/// Whether one has come since install().
bool interrupted();

/// Forgets a signal that has come, for tests and for programs that go on.
void clear();

}  // namespace heed::signals
