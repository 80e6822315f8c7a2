// What a process may inherit from the one that started it and cannot work with.
#pragma once

namespace heed {

/// To be called first in main(). Where standard input, output or error is closed, the next file
/// that is opened would get its number and be read or written in its place: /dev/null takes it, so
/// that reading or writing it is an error still. An ignored SIGCHLD, with which no program's exit
/// status could be waited for, is no longer ignored. SIGXFSZ is: a file that reaches the limit of
/// `ulimit -f` is an error of its write, as on a full disk, and not the end of the process.
void repair_inherited();

}  // namespace heed
