// Preloaded into heed-torch (LD_PRELOAD), it makes a fork server of the program:
//
//   LD_PRELOAD=libfork_server.so heed-torch PROGRAM ARGUMENTS...
//
// runs a program of tests and, as long as it lasts, forks a process for each request of its
// stand-ins for heed-torch (client.cpp). These processes begin where its main begins, with LibTorch
// loaded: its operators take 0.25 s of computing to register, which is most of what a short command
// takes. main and all that follows are those of the program that users get.
//
// A process that is forked differs from one that is started in what its parent, its session and
// /proc tell of it. What libraries read before main must be the same as the server's: variables but
// for a few, and limits. Otherwise the request is refused, and the stand-in becomes heed-torch.
#include <dirent.h>
#include <dlfcn.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "fork_server/request.h"

extern char** environ;

namespace heed::fork_server {
namespace {

using Main = int (*)(int, char**, char**);

Main program_main = nullptr;

/// Variables that only heed itself reads, or the programs that it runs: none before main.
bool may_differ(std::string_view variable) {
  static constexpr std::string_view kBeginnings[] = {"CAMPAIGN_", "CUDA_VISIBLE_DEVICES=",
                                                     "GTEST_",    "HEED_",
                                                     "HOME=",     "LINES=",
                                                     "NO_COLOR=", "OLDPWD=",
                                                     "PATH=",     "PWD=",
                                                     "PYENV_",    "PYTHON",
                                                     "SHLVL=",    "TERM=",
                                                     "TMPDIR=",   "COLUMNS=",
                                                     "_="};
  return std::any_of(std::begin(kBeginnings), std::end(kBeginnings),
                     [&](std::string_view beginning) { return variable.starts_with(beginning); });
}

std::vector<std::string_view> binding(char** variables) {
  std::vector<std::string_view> found;
  for (; *variables != nullptr; ++variables)
    if (!may_differ(*variables)) found.emplace_back(*variables);
  std::sort(found.begin(), found.end());
  return found;
}

[[noreturn]] void fail(const char* what) {
  std::perror(what);
  std::_Exit(127);
}

/// fork() copies one thread alone, and what the others held stays locked.
void expect_one_thread() {
  int threads = 0;
  DIR* tasks = ::opendir("/proc/self/task");
  while (const dirent* entry = ::readdir(tasks)) threads += entry->d_name[0] != '.';
  ::closedir(tasks);
  if (threads == 1) return;
  std::fprintf(stderr, "fork server: %d threads before main, instead of one\n", threads);
  std::_Exit(127);
}

/// A request whose process runs, as the server knows it.
struct Run {
  int socket;
  pid_t process;
};

struct Received {
  Request request;
  std::array<int, kDescriptors> descriptors{-1, -1, -1, -1};
  std::vector<char> text;
  std::vector<char*> arguments, variables;  // each ends with a null pointer

  /// False where it does not come whole.
  bool read(int socket) {
    Message message(request);
    const ssize_t got = ::recvmsg(socket, &message.header, MSG_CMSG_CLOEXEC | MSG_WAITALL);
    const cmsghdr* rights = CMSG_FIRSTHDR(&message.header);
    if (rights != nullptr && rights->cmsg_len == CMSG_LEN(sizeof descriptors))
      std::memcpy(descriptors.data(), CMSG_DATA(rights), sizeof descriptors);
    if (got != sizeof request || descriptors[0] < 0) return false;
    text.resize(request.bytes);
    if (!read_whole(socket, text.data(), text.size())) return false;
    char* place = text.data();
    for (auto [strings, count] :
         {std::pair(&arguments, request.arguments), std::pair(&variables, request.variables)}) {
      for (std::uint32_t i = 0; i < count; ++i, place += std::strlen(place) + 1)
        strings->push_back(place);
      strings->push_back(nullptr);
    }
    return true;
  }

  bool like_the_server() {
    const auto limits = own_limits();
    return std::memcmp(&limits, &request.limits, sizeof limits) == 0 &&
           binding(variables.data()) == binding(environ);
  }

  void close() const {
    for (const int descriptor : descriptors)
      if (descriptor >= 0) ::close(descriptor);
  }
};

class Server {
 public:
  Server() {
    const std::string name = "heed-fork-server-" + std::to_string(::getpid());
    socklen_t length = 0;
    const sockaddr_un address = address_of(name, length);
    listening_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::bind(listening_, reinterpret_cast<const sockaddr*>(&address), length) != 0 ||
        ::listen(listening_, SOMAXCONN) != 0)
      fail("fork server: socket");
    ::unsetenv("LD_PRELOAD");
    ::setenv(kVariable, name.c_str(), /*overwrite=*/1);
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &child, &mask_before_);
    ended_ = ::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    if (ended_ < 0) fail("fork server: signalfd");
  }

  /// Ends with the tests. Returns in processes that are to be heed, with what main returns.
  int serve(char** tests) {
    tests_ = fork_here();
    if (tests_ == 0) {
      ::sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
      ::execvp(tests[0], tests);
      fail(tests[0]);
    }
    for (;;) {
      std::vector<pollfd> waiting = {{listening_, POLLIN, 0}, {ended_, POLLIN, 0}};
      for (const Run& run : runs_) waiting.push_back({run.socket, POLLIN, 0});
      if (::poll(waiting.data(), waiting.size(), -1) < 0) continue;
      // A stand-in says nothing more: it has gone, and takes its process with it.
      for (std::size_t i = 2; i < waiting.size(); ++i)
        if (waiting[i].revents != 0) ::kill(runs_[i - 2].process, SIGKILL);
      if (waiting[1].revents != 0) reap();
      if (waiting[0].revents == 0) continue;
      Received received;
      if (take(received)) return be_heed(received);
    }
  }

 private:
  /// The process ends with this one.
  static pid_t fork_here() {
    const pid_t parent = ::getpid(), process = ::fork();
    if (process < 0) fail("fork server: fork");
    if (process > 0) return process;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127);  // it died before the line above
    return 0;
  }

  /// True in a process that is to be heed.
  bool take(Received& received) {
    const int socket = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
    ucred other{};
    socklen_t length = sizeof other;
    if (socket < 0 || ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &other, &length) != 0 ||
        other.uid != ::getuid() || !received.read(socket)) {
      received.close();
      ::close(socket);
      return false;
    }
    Answer answer = Answer::refused;
    if (received.like_the_server()) {
      const pid_t process = fork_here();
      if (process == 0) return true;
      answer = Answer::started;
      runs_.push_back({socket, process});
    }
    write_whole(socket, &answer, sizeof answer);
    if (answer == Answer::refused) ::close(socket);
    received.close();
    return false;
  }

  void reap() {
    signalfd_siginfo told;
    while (::read(ended_, &told, sizeof told) > 0) {
    }
    int status = 0;
    for (pid_t process; (process = ::waitpid(-1, &status, WNOHANG)) > 0;) {
      if (process == tests_)
        std::_Exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
      const auto run = std::find_if(runs_.begin(), runs_.end(),
                                    [&](const Run& each) { return each.process == process; });
      if (run == runs_.end()) continue;
      write_whole(run->socket, &status, sizeof status);
      ::close(run->socket);
      runs_.erase(run);
    }
  }

  /// The descriptors of the server close with the next program, but this one stays.
  int be_heed(Received& received) const {
    for (const Run& run : runs_) ::close(run.socket);
    ::close(listening_);
    ::close(ended_);
    const auto& [in, out, err, folder] = received.descriptors;
    if (::fchdir(folder) != 0) fail("fork server: fchdir");
    ::dup2(in, STDIN_FILENO);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(err, STDERR_FILENO);
    received.close();
    ::umask(received.request.umask);
    for (int number = 1; number < 64; ++number)
      ::signal(number, received.request.ignored >> number & 1 ? SIG_IGN : SIG_DFL);
    ::sigprocmask(SIG_SETMASK, &received.request.blocked, nullptr);
    environ = received.variables.data();
    return program_main(static_cast<int>(received.request.arguments), received.arguments.data(),
                        environ);
  }

  int listening_ = -1, ended_ = -1;
  sigset_t mask_before_{};
  pid_t tests_ = 0;
  std::vector<Run> runs_;
};

int serve(int argc, char** argv, char**) {
  if (argc < 2) {
    std::fputs("fork server: no program of tests\n", stderr);
    return 2;
  }
  expect_one_thread();
  return Server().serve(argv + 1);
}

}  // namespace
}  // namespace heed::fork_server

/// glibc's beginning of a program, which calls main: called here with another main.
extern "C" int __libc_start_main(heed::fork_server::Main main, int argc, char** argv,
                                 void (*init)(), void (*fini)(), void (*rtld_fini)(),
                                 void* stack_end) {
  using namespace heed::fork_server;
  program_main = main;
  const auto next =
      reinterpret_cast<decltype(&__libc_start_main)>(::dlsym(RTLD_NEXT, "__libc_start_main"));
  return next(serve, argc, argv, init, fini, rtld_fini, stack_end);
}
