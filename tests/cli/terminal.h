// A program on a terminal, as far as stderr goes.
#pragma once

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace heed::cli {

/// What the command, which must succeed, writes to stderr where that is a terminal of so many
/// columns.
inline std::string on_a_terminal(const std::vector<std::string>& command, unsigned short columns) {
  const int controller = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  ::grantpt(controller);
  ::unlockpt(controller);
  const int terminal = ::open(::ptsname(controller), O_RDWR | O_NOCTTY | O_CLOEXEC);
  const winsize size{24, columns, 0, 0};
  ::ioctl(terminal, TIOCSWINSZ, &size);
  std::vector<char*> arguments;
  for (const std::string& each : command) arguments.push_back(const_cast<char*>(each.c_str()));
  arguments.push_back(nullptr);
  const pid_t process = ::fork();
  if (process == 0) {
    ::setenv("TERM", "xterm", 1);
    ::dup2(terminal, STDERR_FILENO);
    ::execvp(arguments[0], arguments.data());
    ::_exit(127);
  }
  ::close(terminal);
  std::string text;
  char piece[4096];
  for (ssize_t got; (got = ::read(controller, piece, sizeof piece)) > 0;)
    text.append(piece, static_cast<std::size_t>(got));
  ::close(controller);
  int status = 0;
  ::waitpid(process, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? text : "failed: " + text;
}

}  // namespace heed::cli
