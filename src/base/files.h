// Whole files: read, write so that a crash leaves the old or the new one, and errors that help.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heed {

/// The bytes of a file. Throws UserError where there is no such file, Failure where reading fails.
std::string read_file(const std::string& path);

/// The same for a file that heed itself keeps in a folder. Where somebody has put a pipe or a
/// device there, it throws UserError instead of waiting for it.
std::string read_regular_file(const std::string& path);

/// Throws UserError where there is something at `path` that is no regular file.
void require_regular(const std::string& path);

/// Replaces `path` by a file of `bytes`: whoever opens it, even after a crash or a power cut, finds
/// the old content or the new, whole. A link stays, and what it leads to is replaced or made.
/// Anything but a regular file (a device, a pipe, /dev/fd/N) is written to in place. Throws Failure
/// naming the path and the cause, and UserError where make_folder() does; the old file is then
/// untouched.
void write_atomic(const std::string& path, std::string_view bytes);

/// Throws UserError where `output` would replace one of `inputs`, by whatever path it is named.
/// Pipes and devices are not compared.
void require_not_read(const std::string& output, const std::vector<std::string>& inputs);

/// To be called before minutes of work: throws the error of write_atomic() where one of `outputs`
/// could not be written now, and UserError where it would replace one of `inputs` or another
/// output, or is "-". Empty paths are ignored; pipes and devices are neither opened nor compared.
void require_writable(const std::vector<std::string>& outputs,
                      const std::vector<std::string>& inputs = {});

/// The names in a folder, in no particular order; empty where it cannot be read.
std::vector<std::string> names_in(const std::string& folder);

/// Whether something has this path, be it a link that leads nowhere.
bool is_there(const std::string& path);

/// Renames a file or folder. Throws Failure naming both paths and the cause.
void move_path(const std::string& from, const std::string& to);

/// Moves files, and moves them back when it is destroyed without keep(), because not all could be
/// moved.
class Moves {
 public:
  Moves() = default;
  ~Moves();
  Moves& operator=(Moves&&) = delete;

  /// Moves a file or folder. Throws what move_path() throws.
  void move(const std::string& from, const std::string& to);
  void keep() { done_.clear(); }

 private:
  std::vector<std::pair<std::string, std::string>> done_;
};

/// Makes renames in the folder survive a power cut, where the file system can promise it.
void sync_folder(const std::string& folder);

/// Removes each PATH.tmp.PROCESS that a killed process left half written; a folder of that name
/// only where it begins with ".heed.".
void remove_left_over(const std::string& path);

/// The same for every NAME.tmp.PROCESS of a folder whose process is dead, or is this one, which
/// must not be writing there. Does nothing where there is no such folder.
void remove_left_overs(const std::string& folder);

/// Throws UserError unless `path` is a file that can be read: "training source: no file
/// 'data/trian.de'; did you mean 'data/train.de'?". `what` says what the file is for.
void require_file(const std::string& path, const std::string& what);

/// The folder that contains a path; "." where the path names no folder.
std::string parent_folder(const std::string& path);

/// The last name of a folder's path, also of one that ends with slashes.
std::string folder_name(const std::string& path);

/// folder_name() of each path, or the path itself where others have the same name. Throws UserError
/// where a path is there twice.
std::vector<std::string> distinct_names(const std::vector<std::string>& paths);

/// Makes an open file `bytes` long and allocates room for all of them. Without this, writing the
/// file through a map ends the process (SIGBUS) where the disk is full. Returns the number of the
/// error, or 0.
int reserve_space(int descriptor, std::size_t bytes);

/// Makes a folder and those above it. Throws Failure, and UserError where require_expanded() does.
void make_folder(const std::string& path);

}  // namespace heed
