// Stands in for heed-torch in tests: has the fork server do what heed-torch would do with these
// arguments, streams, variables and this folder, and ends as that ended. Without a server, or where
// one cannot give the same, it becomes heed-torch.
//
// A signal that ends this process ends the other with SIGKILL: tests that send signals to heed, or
// look at its process, start the program itself.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <optional>

#include "fork_server/request.h"

extern char** environ;

namespace heed::fork_server {
namespace {

int connect_to(const char* name) {
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  socklen_t length = 0;
  const sockaddr_un address = address_of(name, length);
  const bool connected =
      socket >= 0 && ::connect(socket, reinterpret_cast<const sockaddr*>(&address), length) == 0;
  return connected ? socket : -1;
}

std::uint32_t append(std::string& text, char** strings) {
  std::uint32_t count = 0;
  for (; strings[count] != nullptr; ++count) text.append(strings[count]).push_back('\0');
  return count;
}

bool send(int socket, char** argv) {
  Request request;
  std::string text;
  request.arguments = append(text, argv);
  request.variables = append(text, environ);
  request.bytes = static_cast<std::uint32_t>(text.size());
  request.umask = ::umask(0);
  ::umask(request.umask);
  for (int number = 1; number < 64; ++number) {
    struct sigaction action {};
    if (::sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN)
      request.ignored |= std::uint64_t{1} << number;
  }
  ::sigprocmask(SIG_BLOCK, nullptr, &request.blocked);
  request.limits = own_limits();
  const int folder = ::open(".", O_PATH | O_CLOEXEC);
  const int descriptors[kDescriptors] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, folder};
  Message message(request);
  cmsghdr* rights = CMSG_FIRSTHDR(&message.header);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof descriptors);
  std::memcpy(CMSG_DATA(rights), descriptors, sizeof descriptors);
  return ::sendmsg(socket, &message.header, MSG_NOSIGNAL) == sizeof request &&
         write_whole(socket, text.data(), text.size());
}

/// The status of the run, as waitpid() tells it; nothing where the server has not taken the run.
std::optional<int> ask(const char* name, char** argv) {
  // Only heed itself can show what comes of a closed stream.
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) < 0) return std::nullopt;
  const int socket = connect_to(name);
  if (socket < 0 || !send(socket, argv)) return std::nullopt;
  Answer answer{};
  if (!read_whole(socket, &answer, sizeof answer) || answer != Answer::started) return std::nullopt;
  // Who is at the other ends of the streams must see heed close them.
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::close(stream);
  int status = 0;
  if (!read_whole(socket, &status, sizeof status)) std::abort();  // the server has died
  return status;
}

[[noreturn]] void end_with(int status) {
  if (WIFEXITED(status)) ::_exit(WEXITSTATUS(status));
  const rlimit none{};
  ::setrlimit(RLIMIT_CORE, &none);
  ::signal(WTERMSIG(status), SIG_DFL);
  sigset_t all;
  sigfillset(&all);
  ::sigprocmask(SIG_UNBLOCK, &all, nullptr);
  ::raise(WTERMSIG(status));
  ::_exit(128 + WTERMSIG(status));
}

}  // namespace
}  // namespace heed::fork_server

int main(int, char** argv) {
  static char program[] = HEED_BINARY;
  argv[0] = program;  // as a command is said to have been typed
  if (const char* name = std::getenv(heed::fork_server::kVariable))
    if (const auto status = heed::fork_server::ask(name, argv))
      heed::fork_server::end_with(*status);
  ::unsetenv(heed::fork_server::kVariable);
  ::execv(HEED_TORCH, argv);
  std::perror(HEED_TORCH);
  return 127;
}
