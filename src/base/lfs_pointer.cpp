#include "base/lfs_pointer.h"

#include <cstddef>

#include "base/error.h"

namespace heed {
namespace {

constexpr std::string_view kLfsVersion = "version https://git-lfs.github.com/spec/";
constexpr std::string_view kLfsSum = "oid sha256:";
constexpr std::string_view kLfsExtension = "ext-";  // its keys come before the sum

}  // namespace

bool is_lfs_pointer(std::string_view bytes) {
  if (!bytes.starts_with(kLfsVersion)) return false;
  const std::size_t end = bytes.find('\n');
  if (end == std::string_view::npos) return false;
  bytes.remove_prefix(end + 1);
  return bytes.starts_with(kLfsSum) || bytes.starts_with(kLfsExtension);
}

std::string lfs_pointer_flaw(const std::string& name) {
  return fmt::format(
      "{}: is a Git LFS pointer, not the file itself; fetch it with `git lfs pull` in its folder",
      name);
}

void require_no_lfs_pointer(std::string_view bytes, const std::string& name) {
  if (is_lfs_pointer(bytes)) throw UserError(lfs_pointer_flaw(name));
}

}  // namespace heed
