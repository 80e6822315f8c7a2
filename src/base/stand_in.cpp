#include "base/stand_in.h"

#include <unistd.h>

#include <cstddef>

#include "base/error.h"
#include "base/strings.h"

namespace heed {
namespace {

constexpr std::string_view kLfsVersion = "version https://git-lfs.github.com/spec/";
constexpr std::string_view kLfsSum = "oid sha256:";
constexpr std::string_view kLfsExtension = "ext-";  // its keys come before the sum
constexpr std::string_view kAnnexObjects = "/annex/objects/";
constexpr std::size_t kLongestAnnexPointer = 32'768;  // git-annex reads no more

}  // namespace

bool is_lfs_pointer(std::string_view bytes) {
  if (!bytes.starts_with(kLfsVersion)) return false;
  const std::size_t end = bytes.find('\n');
  if (end == std::string_view::npos) return false;
  bytes.remove_prefix(end + 1);
  return bytes.starts_with(kLfsSum) || bytes.starts_with(kLfsExtension);
}

bool is_annex_pointer(std::string_view bytes) {
  if (!bytes.starts_with(kAnnexObjects) || bytes.size() > kLongestAnnexPointer) return false;
  bytes.remove_prefix(kAnnexObjects.size());
  const std::string_view key = bytes.substr(0, bytes.find('\n'));
  // BACKEND-sSIZE--NAME, for example.
  return key.find("--") != std::string_view::npos && key.find(' ') == std::string_view::npos;
}

bool is_web_page(std::string_view bytes) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  constexpr std::size_t kBeginning = 1000;
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  const std::size_t begin = bytes.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return false;
  const std::string start = ascii_lower(bytes.substr(begin, kBeginning));
  return start.starts_with("<!doctype html") || start.starts_with("<html>") ||
         start.starts_with("<html ");
}

std::string stand_in_flaw(std::string_view bytes, const std::string& name) {
  if (is_lfs_pointer(bytes))
    return fmt::format(
        "{}: is a Git LFS pointer, not the file itself; fetch it with `git lfs pull` in its folder",
        name);
  if (is_annex_pointer(bytes))
    return fmt::format(
        "{}: is a git-annex pointer, not the file itself; fetch it with `git annex get .` in its "
        "folder",
        name);
  if (is_web_page(bytes))
    return fmt::format(
        "{}: is a web page, such as a server's message about an error, not the file itself; fetch "
        "it again",
        name);
  return "";
}

void require_no_stand_in(std::string_view bytes, const std::string& name) {
  if (const std::string flaw = stand_in_flaw(bytes, name); !flaw.empty()) throw UserError(flaw);
}

std::string annex_link_flaw(const std::string& path) {
  std::string target(kLongestAnnexPointer, '\0');
  const auto size = readlink(path.c_str(), target.data(), target.size());
  if (size < 0) return "";
  target.resize(static_cast<std::size_t>(size));
  if (target.find(kAnnexObjects) == std::string::npos || access(path.c_str(), F_OK) == 0) return "";
  return fmt::format(
      "{}: is a link of git-annex to a file that is not here; fetch it with `git annex get .` in "
      "its folder",
      path);
}

}  // namespace heed
