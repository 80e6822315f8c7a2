#include "base/files.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <optional>

#include "base/atomic_file.h"
#include "base/descriptor.h"
#include "base/error.h"
#include "base/shell_names.h"
#include "base/strings.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

/// The process of NAME.tmp.PROCESS.
std::optional<pid_t> writer_of(const std::string& name) {
  constexpr std::string_view kMark = ".tmp.";
  const std::size_t mark = name.rfind(kMark);
  if (mark == std::string::npos) return std::nullopt;
  const auto process = exact_number<pid_t>(std::string_view(name).substr(mark + kMark.size()));
  return process && *process > 0 ? process : std::nullopt;
}

/// Whether two paths name the same file. False for devices and pipes: input and output may be the
/// same one.
bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code none;
  if (fs::equivalent(a, b, none)) return fs::is_regular_file(a, none);
  if (fs::exists(a, none) || fs::exists(b, none)) return false;
  return !b.empty() && fs::weakly_canonical(a, none) == fs::weakly_canonical(b, none);
}

bool is_dead(pid_t process) {
  return ::kill(process, 0) != 0 && errno == ESRCH;
}

void remove_half_written(const std::string& folder, const std::string& name) {
  const std::string path = folder + "/" + name;
  std::error_code ignored;
  if (::unlink(path.c_str()) != 0 && name.starts_with(".heed.")) fs::remove_all(path, ignored);
}

/// The hint for a missing file: the nearest name beside it, compressed or not.
std::string hint(const std::string& path) {
  if (path.empty()) return "";
  if (const std::string unexpanded = shell_hint(path); !unexpanded.empty()) return unexpanded;
  if (path.starts_with("file://")) return "; write the path alone, without 'file://'";
  if (path.find("://") != std::string::npos)
    return "; it is an address, and files alone are read; fetch it first";
  const std::string folder = parent_folder(path);
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_directory(folder, error))
    return fmt::format("; '{}' is a file", folder);
  if (!fs::is_directory(folder, error))
    return fmt::format("; there is no folder '{}' either", folder);
  const std::string name = fs::path(path).filename().string();
  const std::vector<std::string> names = names_in(folder);
  std::string best;
  for (const std::string& other : names)
    if (other.starts_with(name + ".") && (best.empty() || other < best)) best = other;
  if (best.empty()) best = nearest_spelling(name, names);
  if (best.empty()) return "";
  return fmt::format("; did you mean '{}'?", (fs::path(path).parent_path() / best).string());
}

}  // namespace

std::string read_file(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.open()) throw UserError(path + ": cannot read: " + error_text(errno));
  std::string bytes;
  struct stat about {};
  if (::fstat(file.number(), &about) == 0 && about.st_size > 0)
    bytes.reserve(static_cast<std::size_t>(about.st_size) + 1);
  constexpr std::size_t kPiece = 1 << 20;
  for (;;) {
    const std::size_t had = bytes.size();
    bytes.resize(had + kPiece);
    const ssize_t got = ::read(file.number(), bytes.data() + had, kPiece);
    const int error = errno;
    bytes.resize(had + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0) return bytes;
    if (got > 0 || error == EINTR) continue;
    if (error == EISDIR) throw UserError(path + ": is a folder, expected a file");
    throw Failure(path + ": cannot read: " + error_text(error));
  }
}

void require_regular(const std::string& path) {
  struct stat about {};
  if (::stat(path.c_str(), &about) == 0 && !S_ISREG(about.st_mode))
    throw UserError(path + ": is no regular file; remove it");
}

std::string read_regular_file(const std::string& path) {
  require_regular(path);
  return read_file(path);
}

void require_not_read(const std::string& output, const std::vector<std::string>& inputs) {
  // An input may be a part of a file: a side of a translation memory, as memory.tmx#de.
  const auto is_it = [&](const std::string& input) {
    return is_same_file(output, input) || is_same_file(output, input.substr(0, input.rfind('#')));
  };
  if (std::ranges::any_of(inputs, is_it))
    throw UserError(output + ": is read by this command, and would be replaced; name another file");
}

void require_writable(const std::vector<std::string>& outputs,
                      const std::vector<std::string>& inputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string& path = outputs[i];
    std::error_code none;
    if (path.empty() || fs::is_fifo(path, none)) continue;
    if (path == "-")
      throw UserError(
          "-: this output cannot go to standard output; name a file, ./- for this name");
    require_not_read(path, inputs);
    const auto is_it = [&](const std::string& other) { return is_same_file(path, other); };
    if (std::any_of(outputs.begin(), outputs.begin() + static_cast<std::ptrdiff_t>(i), is_it))
      throw UserError(path + ": would be written twice; name two files");
    const AtomicFile opened(path);
  }
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    names.push_back(it->path().filename().string());
  return names;
}

bool is_there(const std::string& path) {
  std::error_code none;
  return fs::exists(fs::symlink_status(path, none));
}

void move_path(const std::string& from, const std::string& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) throw Failure("{}: cannot move it to {}: {}", from, to, error.message());
}

Moves::~Moves() {
  std::error_code ignored;
  for (; !done_.empty(); done_.pop_back())
    fs::rename(done_.back().second, done_.back().first, ignored);
}

void Moves::move(const std::string& from, const std::string& to) {
  move_path(from, to);
  done_.emplace_back(from, to);
}

void sync_folder(const std::string& folder) {
  // Some file systems cannot sync a folder, and nothing can be done about it.
  const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.open()) ::fsync(opened.number());
}

void write_atomic(const std::string& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

void remove_left_overs(const std::string& folder) {
  for (const std::string& name : names_in(folder)) {
    const auto writer = writer_of(name);
    // In a container a process may have the number of an earlier one.
    if (writer && (*writer == ::getpid() || is_dead(*writer))) remove_half_written(folder, name);
  }
}

void remove_left_over(const std::string& path) {
  const std::string folder = parent_folder(path);
  const std::string start = fs::path(path).filename().string() + ".tmp.";
  for (const std::string& name : names_in(folder)) {
    const auto writer = writer_of(name);
    if (name.starts_with(start) && writer && is_dead(*writer)) remove_half_written(folder, name);
  }
}

void require_file(const std::string& path, const std::string& what) {
  struct stat about {};
  const int error = ::stat(path.c_str(), &about) == 0 ? 0 : errno;
  if (error == ENOENT || error == ENOTDIR)
    throw UserError("{}: no file '{}'{}", what, path, hint(path));
  if (error == 0 && S_ISDIR(about.st_mode))
    throw UserError("{}: '{}' is a folder, expected a file", what, path);
  if (error != 0 || ::access(path.c_str(), R_OK) != 0)
    throw UserError("{}: cannot read '{}': {}", what, path, error_text(error != 0 ? error : errno));
}

std::vector<std::string> distinct_names(const std::vector<std::string>& paths) {
  std::map<std::string, int> seen;
  for (const std::string& path : paths) ++seen[folder_name(path)];
  std::vector<std::string> names;
  for (const std::string& path : paths) {
    if (std::ranges::count(paths, path) > 1) throw UserError(path + ": is named twice");
    const std::string name = folder_name(path);
    names.push_back(seen[name] > 1 ? path : name);
  }
  return names;
}

std::string parent_folder(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

std::string folder_name(const std::string& path) {
  const fs::path folder = fs::path(path).lexically_normal();
  return (folder.has_filename() ? folder : folder.parent_path()).filename().string();
}

int reserve_space(int descriptor, std::size_t bytes) {
  int error = 0;
  while ((error = ::posix_fallocate(descriptor, 0, static_cast<off_t>(bytes))) == EINTR) {
  }
  return error;
}

void make_folder(const std::string& path) {
  require_expanded(path);
  std::error_code error;
  fs::create_directories(path, error);
  // With a trailing slash, or where a file stands in the way, the standard library's answer varies.
  std::error_code ignored;
  if (!fs::is_directory(path, ignored))
    throw Failure(path + ": cannot make the folder: " +
                  (error ? error.message() : "a file of that name is in the way"));
}

}  // namespace heed
