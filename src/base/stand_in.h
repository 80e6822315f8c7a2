// Files that stand in for others: pointers of Git LFS and git-annex, and web pages that a server
// sent in place of what was asked for.
#pragma once

#include <string>
#include <string_view>

namespace heed {

/// Whether a file begins with these bytes, at least 100 of it or all, because it is a pointer of
/// Git LFS: "version https://git-lfs.github.com/spec/v1", and the SHA-256 of the file in the second
/// line (https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md).
bool is_lfs_pointer(std::string_view bytes);

/// Whether a file begins with these bytes because git-annex has left a pointer: the line
/// "/annex/objects/KEY" (https://git-annex.branchable.com/internals/pointer_file/).
bool is_annex_pointer(std::string_view bytes);

/// Whether a file begins with these bytes because it is a page of HTML.
bool is_web_page(std::string_view bytes);

/// Says what the file is and how to get the one that it stands for, in a message that begins with
/// `name`. Empty: it stands for no other. `bytes`: its beginning, at least 100 bytes or all.
std::string stand_in_flaw(std::string_view bytes, const std::string& name);

/// Throws UserError with the message of stand_in_flaw(), if there is one.
void require_no_stand_in(std::string_view bytes, const std::string& name);

/// Says so where `path` is a link of git-annex to a file that is not on this machine; else empty.
std::string annex_link_flaw(const std::string& path);

}  // namespace heed
