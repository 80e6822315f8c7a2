// SIGINT, SIGTERM and SIGHUP as a flag that loops ask about.
#pragma once

namespace heed::signals {

/// From now on a first SIGINT or SIGTERM only sets the flag; a second one, a second later or more,
/// ends the process. What comes sooner is the same request by another way: timeout(1), systemd and
/// schedulers signal every process of a job, and its parent passes the signal on. SIGHUP, which
/// tells that the terminal is gone, sets the flag however often it comes. A signal that is
/// ignored stays ignored: whoever started the process wanted it so. nohup(1) ignores SIGHUP, and a
/// script's shell ignores SIGINT for what it starts with &, since Ctrl-C is meant for what runs in
/// front.
void install();

/// Whether one has come since install().
bool interrupted();

/// Throws Failure "interrupted" where one has come. For commands that are to take away what they
/// have begun: they ask between two pieces of work.
void stop_if_interrupted();

/// Forgets a signal that has come, for tests and for programs that go on.
void clear();

}  // namespace heed::signals
