#include "base/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/shell_names.h"
#include "base/strings.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

const char* const kOld = ".old";  // ending of an old file's name while new ones take their places

/// The number N where `path` is /proc/PROCESS/fd/N of this process, or a link to it such as
/// /dev/fd/N.
std::optional<int> own_descriptor(const fs::path& path) {
  std::error_code error;
  if (fs::canonical(path.parent_path(), error) != fmt::format("/proc/{}/fd", ::getpid()))
    return std::nullopt;
  return exact_number<int>(path.filename().string());
}

/// The path to which the links at the end of `path` lead, whether there is a file or not. A
/// descriptor of this process is not followed, although it looks like a link to its file.
fs::path followed(fs::path path) {
  constexpr int kMostLinks = 40;  // the kernel's limit; more are a circle, which stat() reports
  for (int links = 0; links < kMostLinks && !own_descriptor(path); ++links) {
    std::error_code no_link;
    const fs::path target = fs::read_symlink(path, no_link);
    if (no_link) break;
    path = path.parent_path() / target;
  }
  return path;
}

}  // namespace

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)) {
  file_ = Descriptor(open());
  if (!file_.open()) fail(errno);
}

/// Opens the file to write to; returns its descriptor, or -1 and errno where it cannot be written.
int AtomicFile::open() {
  require_expanded(path_);
  const fs::path target = followed(path_);
  if (const auto number = own_descriptor(target)) return ::fcntl(*number, F_DUPFD_CLOEXEC, 0);
  struct stat about {};
  const bool exists = ::stat(path_.c_str(), &about) == 0;
  if (!exists && errno != ENOENT) return -1;
  if (exists && !S_ISREG(about.st_mode))  // fails with the right errno for a folder
    return ::open(path_.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
  target_ = target.string();
  temporary_ = fmt::format("{}.tmp.{}", target_, ::getpid());
  remove_left_over(target_);
  remove_left_over(target_ + kOld);
  return ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

void AtomicFile::discard() {
  if (!file_.open()) return;
  file_.close();
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::fail(int error) {
  discard();
  throw Failure(path_ + ": cannot write: " + error_text(error));
}

void AtomicFile::write(std::string_view bytes) {
  expect(file_.open(), "write after commit");
  if (!write_all(file_, bytes)) fail(errno);
}

void AtomicFile::commit() {
  expect(file_.open(), "commit after commit");
  if (temporary_.empty()) {
    if (file_.close() != 0) fail(errno);
    return;
  }
  close_synced();
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
    const int error = errno;
    ::unlink(temporary_.c_str());
    fail(error);
  }
  sync_folder(parent_folder(target_));  // the folder that has the new name
}

void AtomicFile::close_synced() {
  if (::fsync(file_.number()) != 0) fail(errno);
  // Network file systems report a full disk only here.
  if (file_.close() == 0) return;
  const int error = errno;
  ::unlink(temporary_.c_str());
  fail(error);
}

void AtomicFile::commit_together(const std::vector<AtomicFile*>& files) {
  std::vector<AtomicFile*> replaced;  // without files that are written in place
  for (AtomicFile* file : files) {
    expect(file->file_.open(), "commit after commit");
    if (!file->temporary_.empty()) replaced.push_back(file);
  }
  const auto remove_new = [&] {
    for (AtomicFile* file : replaced) {
      file->discard();
      ::unlink(file->temporary_.c_str());
    }
  };
  const auto sync = [&] {
    for (const AtomicFile* file : replaced) sync_folder(parent_folder(file->target_));
  };
  std::vector<std::string> old;
  try {
    for (AtomicFile* file : files) file->temporary_.empty() ? file->commit() : file->close_synced();
    Moves moves;
    for (const AtomicFile* file : replaced) {
      if (!is_there(file->target_)) continue;
      old.push_back(fmt::format("{}{}.tmp.{}", file->target_, kOld, ::getpid()));
      moves.move(file->target_, old.back());
    }
    if (!old.empty()) sync();
    for (const AtomicFile* file : replaced) moves.move(file->temporary_, file->target_);
    moves.keep();
  } catch (...) {
    remove_new();
    throw;
  }
  for (const std::string& path : old) ::unlink(path.c_str());
  sync();
}

}  // namespace heed
