// Preloaded into heed (LD_PRELOAD), it lets the world fail: the k-th call on files under certain
// paths returns an error, or a signal comes in the middle of it; or the wall clock jumps.
//
//   CAMPAIGN_PATHS   beginnings of paths, separated by colons; other files are left alone
//   CAMPAIGN_CALLS   open, write, sync, close, rename, truncate, mkdir, remove, read, map; all
//                    that change files unless given. `open` is opening to write.
//   CAMPAIGN_AT      k, counted from 1; 0 or nothing: count alone
//   CAMPAIGN_ERROR   errno of the k-th call; CAMPAIGN_FOREVER=1: and of all after it
//   CAMPAIGN_SIGNAL  instead of an error: the signal that comes with the k-th call
//   CAMPAIGN_LOG     file that tells each counted call, and which one was disturbed
//   CAMPAIGN_CLOCK   seconds by which CLOCK_REALTIME jumps, forth and back, at each look at it
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

long number(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? 0 : std::atol(text);
}

/// `word` is an item of `list`, or (prefix) begins with one.
bool listed(const char* list, char separator, const char* word, bool prefix) {
  while (list != nullptr && *list != '\0') {
    const char* end = std::strchr(list, separator);
    const std::size_t length = end == nullptr ? std::strlen(list) : end - list;
    if (length > 0 && std::strncmp(list, word, length) == 0 && (prefix || word[length] == '\0'))
      return true;
    list = end == nullptr ? nullptr : end + 1;
  }
  return false;
}

enum class Fate { goes_on, fails, is_cut };  // is_cut: of a write, half succeeds

void tell(const char* what, long count, const char* call, const char* path) {
  static const char* const log = std::getenv("CAMPAIGN_LOG");
  if (log == nullptr) return;
  char line[4352];
  const int length = std::snprintf(line, sizeof line, "%s %ld %s %s\n", what, count, call, path);
  const long file = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND, 0666);
  if (file < 0 || length < 0) return;
  syscall(SYS_write, file, line, length);
  syscall(SYS_close, file);
}

/// The outcome of a call. errno is set where it fails.
Fate fate(const char* call, const char* path, bool writes = false) {
  static const char* const paths = std::getenv("CAMPAIGN_PATHS");
  static const char* const calls = std::getenv("CAMPAIGN_CALLS");
  static const long at = number("CAMPAIGN_AT"), error = number("CAMPAIGN_ERROR"),
                    forever = number("CAMPAIGN_FOREVER"), signal = number("CAMPAIGN_SIGNAL");
  static std::atomic<long> counted = 0;
  if (paths == nullptr || !listed(paths, ':', path, /*prefix=*/true)) return Fate::goes_on;
  const bool reads = std::strcmp(call, "read") == 0 || std::strcmp(call, "map") == 0;
  if (calls == nullptr ? reads : !listed(calls, ',', call, /*prefix=*/false)) return Fate::goes_on;
  const int before = errno;
  const long count = ++counted;
  const bool hit = at > 0 && (count == at || (count > at && forever != 0));
  if (count <= at || at == 0) tell(hit ? "disturbed" : "counted", count, call, path);
  errno = before;
  if (!hit) return Fate::goes_on;
  if (signal == 0) {
    // A disk that fills takes a part of the last write.
    if (writes && forever != 0 && count == at) return Fate::is_cut;
    errno = static_cast<int>(error);
    return Fate::fails;
  }
  if (writes) return Fate::is_cut;  // the signal comes after the half
  kill(getpid(), static_cast<int>(signal));
  errno = before;
  return Fate::goes_on;
}

/// The same of an open file.
Fate fate(const char* call, int file, bool writes = false) {
  const int before = errno;
  char link[64], path[4096];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  errno = before;
  if (length <= 0) return Fate::goes_on;
  path[length] = '\0';
  return fate(call, path, writes);
}

void signal_after_the_half() {
  static const long signal = number("CAMPAIGN_SIGNAL");
  if (signal != 0) kill(getpid(), static_cast<int>(signal));
}

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

#define REAL(name) static const auto real = next<decltype(name)>(#name)

bool to_write(int flags) {
  return (flags & O_ACCMODE) != O_RDONLY;
}

bool to_write(const char* mode) {
  return std::strpbrk(mode, "wa+") != nullptr;
}

/// Seconds that the clock is off now: -3 to 3 jumps.
long off() {
  static const long jump = number("CAMPAIGN_CLOCK");
  static std::atomic<long> looks = 0;
  return jump == 0 ? 0 : (++looks * 5 % 7 - 3) * jump;
}

}  // namespace

extern "C" {

#define OPEN(name)                                                                  \
  int name(const char* path, int flags, ...) {                                      \
    REAL(name);                                                                     \
    va_list rest;                                                                   \
    va_start(rest, flags);                                                          \
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(rest, mode_t) : 0; \
    va_end(rest);                                                                   \
    if (to_write(flags) && fate("open", path) == Fate::fails) return -1;            \
    return real(path, flags, mode);                                                 \
  }
OPEN(open)
OPEN(open64)

#define FOPEN(name)                                                          \
  FILE* name(const char* path, const char* mode) {                           \
    REAL(name);                                                              \
    if (to_write(mode) && fate("open", path) == Fate::fails) return nullptr; \
    return real(path, mode);                                                 \
  }
FOPEN(fopen)
FOPEN(fopen64)

ssize_t write(int file, const void* bytes, size_t size) {
  REAL(write);
  switch (fate("write", file, /*writes=*/true)) {
    case Fate::goes_on:
      break;
    case Fate::fails:
      return -1;
    case Fate::is_cut: {
      const ssize_t half = real(file, bytes, (size + 1) / 2);
      signal_after_the_half();
      return half;
    }
  }
  return real(file, bytes, size);
}

ssize_t writev(int file, const iovec* parts, int count) {
  REAL(writev);
  switch (fate("write", file, /*writes=*/true)) {
    case Fate::goes_on:
      break;
    case Fate::fails:
      return -1;
    case Fate::is_cut: {
      const ssize_t first = real(file, parts, 1);
      signal_after_the_half();
      return first;
    }
  }
  return real(file, parts, count);
}

ssize_t read(int file, void* bytes, size_t size) {
  REAL(read);
  return fate("read", file) == Fate::fails ? -1 : real(file, bytes, size);
}

int fsync(int file) {
  REAL(fsync);
  struct stat about {};
  // A folder's: some file systems cannot, and heed goes on.
  const int before = errno;
  const bool folder = fstat(file, &about) == 0 && S_ISDIR(about.st_mode);
  errno = before;
  return !folder && fate("sync", file) == Fate::fails ? -1 : real(file);
}

int close(int file) {
  REAL(close);
  const int flags = fcntl(file, F_GETFL);
  if (flags < 0 || !to_write(flags) || fate("close", file) != Fate::fails) return real(file);
  const int error = errno;  // the file is closed all the same
  real(file);
  errno = error;
  return -1;
}

int rename(const char* from, const char* to) {
  REAL(rename);
  return fate("rename", to) == Fate::fails ? -1 : real(from, to);
}

int ftruncate(int file, off_t size) {
  REAL(ftruncate);
  return fate("truncate", file) == Fate::fails ? -1 : real(file, size);
}

int ftruncate64(int file, off64_t size) {
  REAL(ftruncate64);
  return fate("truncate", file) == Fate::fails ? -1 : real(file, size);
}

int mkdir(const char* path, mode_t mode) {
  REAL(mkdir);
  return fate("mkdir", path) == Fate::fails ? -1 : real(path, mode);
}

int unlink(const char* path) {
  REAL(unlink);
  return fate("remove", path) == Fate::fails ? -1 : real(path);
}

int remove(const char* path) {
  REAL(remove);
  return fate("remove", path) == Fate::fails ? -1 : real(path);
}

void* mmap(void* where, size_t size, int protection, int flags, int file, off_t from) {
  REAL(mmap);
  if (file >= 0 && fate("map", file) == Fate::fails) return MAP_FAILED;
  return real(where, size, protection, flags, file, from);
}

void* mmap64(void* where, size_t size, int protection, int flags, int file, off64_t from) {
  REAL(mmap64);
  if (file >= 0 && fate("map", file) == Fate::fails) return MAP_FAILED;
  return real(where, size, protection, flags, file, from);
}

int clock_gettime(clockid_t clock, timespec* now) {
  REAL(clock_gettime);
  const int result = real(clock, now);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
    now->tv_sec += off();
  return result;
}

int gettimeofday(timeval* now, void* zone) {
  static const auto real = next<int(timeval*, void*)>("gettimeofday");
  const int result = real(now, zone);
  if (result == 0) now->tv_sec += off();
  return result;
}

time_t time(time_t* into) {
  REAL(time);
  const time_t now = real(nullptr) + off();
  if (into != nullptr) *into = now;
  return now;
}

}  // extern "C"
