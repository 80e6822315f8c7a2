// One process at a time writes in a folder.
#pragma once

#include <string>

#include "base/descriptor.h"

namespace heed {

/// Holds a folder for this process. The file .heed.lock in it says who does: process, machine, what
/// it does and since when. The system frees the lock together with the process, however that ends;
/// the file that a killed one leaves is taken over with a line in the log. Where the file system
/// has no locks the file's text alone counts, and only this machine's processes are known to be
/// dead.
class FolderLock {
 public:
  /// `doing` is what a user calls it: "heed train". Throws UserError with the holder and the cure
  /// where another lock holds the folder, be it this process's; Failure where the file cannot be
  /// written.
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
  Descriptor file_;  // none where the text alone counts
};

/// Whether a living process holds the folder; where the file system has no locks, whether the file
/// names one that is not known to be dead.
bool is_held(const std::string& folder);

}  // namespace heed
