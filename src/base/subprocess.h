// Other programs, started without a shell: no quoting, no injection. Each has a process group of
// its own: signals typed at the terminal reach only this process, which decides what to do about
// them. A program is killed with the thread that started it, whatever ends that thread (SIGKILL,
// too).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heed::subprocess {

struct Result {
  int status = 0;  // exit code, or 128 + signal
  std::string out, err;
};

/// A status in words: "ended with exit code 3", "was ended by signal 11 (Segmentation fault)".
std::string how_it_ended(int status);

/// Runs a program with `input` on its stdin and collects what it writes, however much. A program
/// that stops reading early is no error. Throws Failure where the program is missing or cannot
/// start.
Result run(const std::vector<std::string>& arguments, std::string_view input = "");

/// Runs `work` in a copy of this process: for a library that ends or crashes the process it works
/// in. `out` is the result of `work`, `err` the text that it and libraries write to stderr. The
/// copy has this thread alone; locks that other threads hold stay locked in it. It is in this
/// process's group and handles signals as this one does, and it ends with the thread that has
/// called. `work` throws nothing. Throws Failure where there can be no copy.
Result run_in_copy(const std::function<std::string()>& work);

/// Whether `program` would be found by run().
bool exists(const std::string& program);

/// A program running beside this one.
class Child {
 public:
  explicit Child(int process) : process_(process) {}
  Child(Child&& other) noexcept
      : process_(std::exchange(other.process_, -1)), status_(other.status_) {}
  Child& operator=(Child&& other) noexcept {
    std::swap(process_, other.process_);
    std::swap(status_, other.status_);
    return *this;
  }
  ~Child();  // kills and reaps a child that still runs

  int process() const { return process_; }
  /// The exit status, or nothing while the program runs.
  std::optional<int> finished();
  /// Waits for the end; returns the exit status.
  int wait();
  /// Sends a signal to the child and its own children; nothing after its end.
  void signal(int number) const;

 private:
  int process_;
  std::optional<int> status_;
};

/// Starts a program with no stdin; stdout and stderr are appended to `log_file`. Throws Failure.
Child start(const std::vector<std::string>& arguments, const std::string& log_file);

/// The same, but the program has this process's stdout and stderr, and `environment` (NAME=VALUE
/// each) in addition to this process's.
Child start_here(const std::vector<std::string>& arguments,
                 const std::vector<std::string>& environment);

}  // namespace heed::subprocess
