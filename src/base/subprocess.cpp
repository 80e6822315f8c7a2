#include "base/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/signals.h"
#include "base/strings.h"

namespace heed::subprocess {
namespace {

struct Pipe {
  Descriptor read, write;
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw Failure("cannot make a pipe: " + error_text(errno));
    read = Descriptor(ends[0]);
    write = Descriptor(ends[1]);
  }
};

int exit_status(int waited) {
  return WIFEXITED(waited) ? WEXITSTATUS(waited) : 128 + WTERMSIG(waited);
}

int reap(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0)
    if (errno != EINTR) return 127;
  return exit_status(status);
}

struct Streams {
  int in, out, err;
};

/// Makes a process that has just been forked end with the thread that forked it, not only with the
/// process.
void end_with(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // the parent died before the line above
}

/// Runs between fork and exec, and so makes only calls that are safe there. Reports a failed exec
/// as errno through `report`.
[[noreturn]] void become(char* const* arguments, char* const* environment, const Streams& streams,
                         pid_t parent, int report) {
  ::setpgid(0, 0);
  end_with(parent);
  for (const int number : {SIGINT, SIGTERM, SIGPIPE}) ::signal(number, SIG_DFL);
  // After `stty tostop` the program would stop at its first line, because it is not in the
  // foreground.
  ::signal(SIGTTOU, SIG_IGN);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::dup2(streams.in, STDIN_FILENO);
  ::dup2(streams.out, STDOUT_FILENO);
  ::dup2(streams.err, STDERR_FILENO);
  // Libraries open connections to other ranks that are not closed otherwise. Where this program
  // outlives the process, they would wait for it.
  ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  ::execvpe(arguments[0], arguments, environment);
  const int error = errno;
  [[maybe_unused]] const ssize_t written = ::write(report, &error, sizeof error);
  ::_exit(127);
}

/// The pointers that exec takes; it does not write to the texts.
std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

/// The variables of this process, with those of `more` added or in their place.
std::vector<std::string> environment_with(const std::vector<std::string>& more) {
  std::vector<std::string> all = more;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view variable = *each;
    const std::string_view name = variable.substr(0, variable.find('='));
    const bool replaced = std::ranges::any_of(more, [&](const std::string& other) {
      return other.starts_with(name) && other.substr(name.size()).starts_with('=');
    });
    if (!replaced) all.emplace_back(variable);
  }
  return all;
}

/// Starts a program in a process group of its own.
pid_t launch(const std::vector<std::string>& arguments, const Streams& streams,
             const std::vector<std::string>& more = {}) {
  expect(!arguments.empty(), "no program to run");
  const std::vector<std::string> variables = environment_with(more);
  const std::vector<char*> pointers = pointers_to(arguments), environment = pointers_to(variables);
  Pipe report;
  const pid_t parent = ::getpid();
  const pid_t process = ::fork();
  if (process < 0) throw Failure("cannot run '{}': {}", arguments[0], error_text(errno));
  if (process == 0)
    become(pointers.data(), environment.data(), streams, parent, report.write.number());
  ::setpgid(process, process);  // both processes do this, whichever comes first
  report.write.close();
  int error = 0;
  ssize_t got = 0;
  while ((got = ::read(report.read.number(), &error, sizeof error)) < 0 && errno == EINTR) {
  }
  if (got == sizeof error) {
    reap(process);
    throw Failure("cannot run '{}': {}", arguments[0], error_text(error));
  }
  return process;
}

void feed(Descriptor& end, std::string_view& input) {
  const ssize_t written = ::write(end.number(), input.data(), input.size());
  if (written >= 0) input.remove_prefix(static_cast<std::size_t>(written));
  const bool gone = written < 0 && errno != EAGAIN && errno != EINTR;
  if (gone || input.empty()) end.close();
}

void drain(Descriptor& end, std::string& into) {
  std::array<char, 1 << 16> piece;
  const ssize_t got = ::read(end.number(), piece.data(), piece.size());
  if (got > 0) into.append(piece.data(), static_cast<std::size_t>(got));
  if (got == 0 || (got < 0 && errno != EINTR)) end.close();
}

/// Feeds and reads all three streams at once: feeding first and reading later would block both
/// sides once a pipe is full.
void exchange(Descriptor& in, std::string_view input, Descriptor& out, Descriptor& err,
              Result& result) {
  const NoPipeSignal guard;
  if (in.open()) ::fcntl(in.number(), F_SETFL, O_NONBLOCK);
  if (input.empty()) in.close();
  while (in.open() || out.open() || err.open()) {
    // A closed end has the number -1, which poll() skips.
    std::array<pollfd, 3> ends = {pollfd{in.number(), POLLOUT, 0}, pollfd{out.number(), POLLIN, 0},
                                  pollfd{err.number(), POLLIN, 0}};
    if (::poll(ends.data(), ends.size(), -1) < 0) {
      if (errno == EINTR) continue;
      throw Failure("cannot wait for a program: " + error_text(errno));
    }
    if (ends[0].revents != 0) feed(in, input);
    if (ends[1].revents != 0) drain(out, result.out);
    if (ends[2].revents != 0) drain(err, result.err);
  }
}

}  // namespace

std::string how_it_ended(int status) {
  const int signal = status - 128;
  if (signal < 1 || signal > SIGRTMAX) return "ended with exit code " + std::to_string(status);
  return fmt::format("was ended by signal {} ({})", signal, ::strsignal(signal));
}

Result run(const std::vector<std::string>& arguments, std::string_view input) {
  Pipe in, out, err;
  const pid_t process =
      launch(arguments, {in.read.number(), out.write.number(), err.write.number()});
  in.read.close();
  out.write.close();
  err.write.close();
  Result result;
  exchange(in.write, input, out.read, err.read, result);
  result.status = reap(process);
  return result;
}

Result run_in_copy(const std::function<std::string()>& work) {
  Pipe out, err;
  const pid_t parent = ::getpid();
  const pid_t process = ::fork();
  if (process < 0) throw Failure("cannot start a process: " + error_text(errno));
  if (process == 0) {
    end_with(parent);
    // If a library calls exit(), its handlers would destroy objects of threads that this copy does
    // not have.
    ::on_exit([](int status, void*) { ::_exit(status & 0xFF); }, nullptr);
    ::dup2(err.write.number(), STDERR_FILENO);
    ::_exit(write_all(out.write, work()) ? 0 : 1);
  }
  out.write.close();
  err.write.close();
  Descriptor nothing;
  Result result;
  exchange(nothing, "", out.read, err.read, result);
  result.status = reap(process);
  return result;
}

bool exists(const std::string& program) {
  if (program.find('/') != std::string::npos) return ::access(program.c_str(), X_OK) == 0;
  const char* path = std::getenv("PATH");
  for (const std::string& folder : split(path == nullptr ? "/usr/bin:/bin" : path, ':'))
    if (::access((folder + "/" + program).c_str(), X_OK) == 0) return true;
  return false;
}

Child::~Child() {
  if (process_ < 0 || status_) return;
  signal(SIGKILL);
  wait();
}

std::optional<int> Child::finished() {
  if (status_) return status_;
  int status = 0;
  if (::waitpid(process_, &status, WNOHANG) == process_) status_ = exit_status(status);
  return status_;
}

int Child::wait() {
  if (!status_) status_ = reap(process_);
  return *status_;
}

void Child::signal(int number) const {
  if (!status_) ::kill(-process_, number);
}

Child start(const std::vector<std::string>& arguments, const std::string& log_file) {
  const Descriptor log(::open(log_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (!log.open()) throw Failure(log_file + ": cannot write: " + error_text(errno));
  const Descriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  return Child(launch(arguments, {nothing.number(), log.number(), log.number()}));
}

Child start_here(const std::vector<std::string>& arguments,
                 const std::vector<std::string>& environment) {
  const Descriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  return Child(launch(arguments, {nothing.number(), STDOUT_FILENO, STDERR_FILENO}, environment));
}

}  // namespace heed::subprocess
