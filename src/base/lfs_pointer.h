// Pointers, which Git LFS leaves in place of files that nobody has fetched.
#pragma once

#include <string>
#include <string_view>

namespace heed {

/// Whether a file begins with these bytes, at least 100 of it or all, because it is a pointer of
/// Git LFS: "version https://git-lfs.github.com/spec/v1", and the SHA-256 of the file in the second
/// line (https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md).
bool is_lfs_pointer(std::string_view bytes);

/// The message about a file that is a pointer, with the cure. Messages call the file `name`.
std::string lfs_pointer_flaw(const std::string& name);

/// Throws UserError with the message of lfs_pointer_flaw() where the bytes are those of a pointer.
void require_no_lfs_pointer(std::string_view bytes, const std::string& name);

}  // namespace heed
