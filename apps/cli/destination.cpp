#include "apps/cli/destination.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iostream>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/shell_names.h"

namespace heed {

Destination::Destination(std::string file, bool resume) : file_(std::move(file)) {
  if (file_.empty() || file_ == "-") {
    if (resume)
      throw UserError("--resume: standard output cannot be continued; name a file with --output");
    return;
  }
  require_expanded(file_);
  // Only what is continued is read. A pipe that heed itself could read would never tell that its
  // reader has gone.
  const int mode = resume ? O_RDWR : O_WRONLY;
  descriptor_ =
      Descriptor(::open(file_.c_str(), mode | O_CREAT | O_APPEND | O_NOCTTY | O_CLOEXEC, 0666));
  struct stat about {};
  if (!descriptor_.open() || ::fstat(descriptor_.number(), &about) != 0) fail(errno);
  if (!S_ISREG(about.st_mode)) {
    if (resume) throw UserError("--resume: {} is no file that can be continued", file_);
    return;
  }
  if (::flock(descriptor_.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw UserError(file_ + ": another process writes it");
  // The process that had the lock before may have written since.
  if (::fstat(descriptor_.number(), &about) != 0) fail(errno);
  if (resume)
    count_lines();
  else if (about.st_size > 0)
    throw UserError(
        file_ + ": is there already; --resume continues after its last line; or delete it first");
}

bool Destination::is_file() const {
  struct stat about {};
  const int descriptor = descriptor_.open() ? descriptor_.number() : STDOUT_FILENO;
  return ::fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode);
}

void Destination::cut_to_whole_lines() {
  if (whole_ < size_ && ::ftruncate(descriptor_.number(), whole_) != 0) fail(errno);
}

void Destination::write(std::string_view lines) {
  if (!descriptor_.open()) {
    std::cout << lines << std::flush;  // somebody may wait for it before the next line
    return;
  }
  if (!write_all(descriptor_, lines)) fail(errno);
  // Only a regular file can be synced, and only that needs it.
  if (::fdatasync(descriptor_.number()) != 0 && errno != EINVAL && errno != EROFS) fail(errno);
}

void Destination::count_lines() {
  std::vector<char> chunk(1 << 20);
  for (;;) {
    const ssize_t count = ::pread(descriptor_.number(), chunk.data(), chunk.size(), size_);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(errno);
    if (count == 0) break;
    const auto end = chunk.begin() + count;
    lines_ += std::count(chunk.begin(), end, '\n');
    const auto last = std::find(std::make_reverse_iterator(end), chunk.rend(), '\n');
    if (last != chunk.rend()) whole_ = size_ + (last.base() - chunk.begin());
    size_ += count;
  }
}

void Destination::fail(int error) const {
  throw Failure(file_ + ": cannot write: " + std::generic_category().message(error));
}

}  // namespace heed
