// A program on a terminal, as far as stderr goes, or all of it.
#pragma once

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace heed::cli {

/// Returns what the command, which must succeed, writes to stderr where that is a terminal of so
/// many columns. With `typed` stdin and stdout are this terminal, too, and each of these texts is
/// typed at the next prompt, "> ".
inline std::string on_a_terminal(const std::vector<std::string>& command, unsigned short columns,
                                 const std::vector<std::string>& typed = {}) {
  const int controller = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  ::grantpt(controller);
  ::unlockpt(controller);
  const int terminal = ::open(::ptsname(controller), O_RDWR | O_NOCTTY | O_CLOEXEC);
  const winsize size{24, columns, 0, 0};
  ::ioctl(terminal, TIOCSWINSZ, &size);
  termios how{};
  ::tcgetattr(terminal, &how);
  how.c_lflag &= ~static_cast<tcflag_t>(ECHO);  // what is typed would stand in the text
  ::tcsetattr(terminal, TCSANOW, &how);
  std::vector<char*> arguments;
  for (const std::string& each : command) arguments.push_back(const_cast<char*>(each.c_str()));
  arguments.push_back(nullptr);
  const pid_t process = ::fork();
  if (process == 0) {
    ::setenv("TERM", "xterm", 1);
    ::dup2(terminal, STDERR_FILENO);
    if (!typed.empty()) {
      ::dup2(terminal, STDIN_FILENO);
      ::dup2(terminal, STDOUT_FILENO);
    }
    ::execvp(arguments[0], arguments.data());
    ::_exit(127);
  }
  ::close(terminal);
  std::string text;
  std::size_t next = 0;
  char piece[4096];
  for (ssize_t got; (got = ::read(controller, piece, sizeof piece)) > 0;) {
    text.append(piece, static_cast<std::size_t>(got));
    if (next == typed.size() || !text.ends_with("> ")) continue;
    const std::string& line = typed[next++];
    if (::write(controller, line.data(), line.size()) < 0) break;
  }
  ::close(controller);
  int status = 0;
  ::waitpid(process, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? text : "failed: " + text;
}

}  // namespace heed::cli
