// A lock by which only one process at a time writes in a folder.
#pragma once

#include <string>

#include "base/descriptor.h"

namespace heed {

/// Holds a folder for this process. The file .heed.lock in it names the holder: process, machine,
/// what it does and since when. The system frees the lock when the process ends, however that
/// happens; the file of a killed process is taken over, with a line in the log. Where the file
/// system has no locks, only the file's text counts, and only processes of this machine can be
/// known to be dead.
class FolderLock {
 public:
  /// `doing` is a user's name for the work: "heed train". Throws UserError with the holder and the
  /// cure where another lock holds the folder, even one of this process; Failure where the file
  /// cannot be written.
  FolderLock(std::string folder, const std::string& doing);
  /// Removes the file.
  ~FolderLock() { release(); }
  FolderLock& operator=(FolderLock&&) = delete;

  /// Removes what killed processes left half written in the folder and in checkpoints/ of it
  /// (remove_left_overs() in base/files.h). To be called before this process writes there.
  void remove_left_overs() const;

 private:
  bool hold_by_lock();
  void hold_by_text();
  void release();
  [[noreturn]] void fail(int error);
  std::string folder_, path_, text_;
  Descriptor file_;  // no file where only the text counts
};

/// Whether a living process holds the folder; where the file system has no locks, whether the file
/// names one that is not known to be dead.
bool is_held(const std::string& folder);

}  // namespace heed
