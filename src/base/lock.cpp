#include "base/lock.h"

#include <fcntl.h>
#include <signal.h>
#include <spdlog/fmt/chrono.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string_view>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/run_folder.h"
#include "base/strings.h"

namespace heed {
namespace {

/// The process that holds a folder, as the file names it; fields that the file lacks are empty.
struct Holder {
  std::string process, machine, since, doing;
};

std::string machine_name() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

/// The time now, written 2026-03-01T17:05:09+0100.
std::string now() {
  return fmt::format("{:%FT%T%z}", fmt::localtime(std::time(nullptr)));
}

std::string text_of(const Holder& holder) {
  return fmt::format("process: {}\nmachine: {}\nsince: {}\ndoing: {}\n", holder.process,
                     holder.machine, holder.since, holder.doing);
}

Holder holder_of(const std::string& text) {
  Holder holder;
  for (const std::string& line : split(text, '\n')) {
    const auto take = [&line](std::string_view key, std::string& value) {
      if (line.starts_with(key)) value = line.substr(key.size());
    };
    take("process: ", holder.process);
    take("machine: ", holder.machine);
    take("since: ", holder.since);
    take("doing: ", holder.doing);
  }
  return holder;
}

/// The holder in words: "heed train, process 17 on machine m, since 2026-03-01T17:05:09+0100".
std::string describe(const Holder& holder) {
  if (holder.process.empty()) return "another process";
  return fmt::format("{}, process {} on machine {}, since {}", holder.doing, holder.process,
                     holder.machine, holder.since);
}

/// Whether the holder is known to be dead. About processes of another machine nothing is known.
bool known_dead(const Holder& holder) {
  if (holder.machine != machine_name()) return false;
  const auto process = exact_number<pid_t>(holder.process);
  return process.value_or(0) > 0 && ::kill(*process, 0) != 0 && errno == ESRCH;
}

/// The text of the file; empty where there is none.
std::string text_in(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool replace_text(int descriptor, const std::string& text) {
  return ::ftruncate(descriptor, 0) == 0 &&
         ::pwrite(descriptor, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
}

/// Whether `path` still names the open file.
bool names(const std::string& path, int descriptor) {
  struct stat open {
  }, named{};
  return ::fstat(descriptor, &open) == 0 && ::stat(path.c_str(), &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

constexpr int kTries = 100;
constexpr int kLooks = 10;  // is_held() holds a lock for a moment

/// Gives another process time to finish a step.
void wait_a_moment() {
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

void say_taken_over(const std::string& folder, const std::string& left) {
  if (!left.empty())
    log::info("{}: was left by {}, which has ended; taken over", folder, describe(holder_of(left)));
}

[[noreturn]] void refuse(const std::string& folder, const Holder& holder, const std::string& more) {
  const std::string stop =
      holder.process.empty() ? "stop it" : fmt::format("stop it (kill {})", holder.process);
  throw UserError("{}: in use by {}; wait for its end, {} or name another folder{}", folder,
                  describe(holder), stop, more);
}

/// A file that one process at a time can have. It is held for a few system calls only.
class Guard {
 public:
  explicit Guard(std::string path) : path_(std::move(path)) {
    for (int tries = 0; tries < kTries; ++tries, wait_a_moment()) {
      if (Descriptor(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)).open())
        return;
      if (errno != EEXIST) throw Failure(path_ + ": cannot write: " + error_text(errno));
    }
    throw UserError(path_ + ": is in the way; remove it if no heed is starting there");
  }
  ~Guard() { ::unlink(path_.c_str()); }
  Guard& operator=(Guard&&) = delete;

 private:
  std::string path_;
};

}  // namespace

FolderLock::FolderLock(std::string folder, const std::string& doing)
    : folder_(std::move(folder)),
      path_(file_in(folder_, kLockFile)),
      text_(text_of({std::to_string(::getpid()), machine_name(), now(), doing})) {
  if (!hold_by_lock()) hold_by_text();
}

/// Takes the lock of the file; false where the file system has no locks.
bool FolderLock::hold_by_lock() {
  for (int tries = 0;; ++tries) {
    // The file is closed in programs that are started (O_CLOEXEC): one that outlives this process
    // would hold the lock.
    file_ = Descriptor(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    if (!file_.open()) fail(errno);
    const bool locked = ::flock(file_.number(), LOCK_EX | LOCK_NB) == 0;
    const int error = errno;
    if (locked && names(path_, file_.number())) break;
    file_.close();
    // Its holder has just removed the file.
    if (error == EINTR || (locked && tries < kTries)) continue;
    if (!locked && error != EWOULDBLOCK) return false;
    const Holder holder = holder_of(text_in(path_));
    const bool known = !holder.process.empty() && !known_dead(holder);
    if (tries >= (known ? kLooks : kTries)) refuse(folder_, holder, "");
    wait_a_moment();  // the other one is about to write its name or remove the file, or only looks
  }
  const std::string left = text_in(path_);
  if (!replace_text(file_.number(), text_)) fail(errno);
  say_taken_over(folder_, left);
  return true;
}

void FolderLock::hold_by_text() {
  const Guard guard(path_ + ".guard");
  const std::string left = text_in(path_);
  if (!left.empty() && !known_dead(holder_of(left)))
    refuse(folder_, holder_of(left), "; if it has ended, remove " + path_);
  write_atomic(path_, text_);
  say_taken_over(folder_, left);
}

/// Removes the file before the lock: a process that opened the file before and gets the lock after
/// this sees that the file has no name any more.
void FolderLock::release() {
  const bool mine = file_.open() ? names(path_, file_.number()) : text_in(path_) == text_;
  if (mine) ::unlink(path_.c_str());
  file_.close();
}

void FolderLock::fail(int error) {
  release();
  throw Failure(path_ + ": cannot write: " + error_text(error));
}

void FolderLock::remove_left_overs() const {
  heed::remove_left_overs(folder_);
  heed::remove_left_overs(file_in(folder_, kCheckpoints));
}

bool is_held(const std::string& folder) {
  const std::string path = file_in(folder, kLockFile);
  // O_NONBLOCK, so that a pipe of that name is not waited for.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!file.open()) return false;
  const bool locked = ::flock(file.number(), LOCK_SH | LOCK_NB) == 0;
  const bool refused = !locked && errno == EWOULDBLOCK;
  if (locked || refused) return refused;
  const std::string text = text_in(path);
  return !text.empty() && !known_dead(holder_of(text));
}

}  // namespace heed
