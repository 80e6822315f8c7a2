// A file that is replaced as a whole, once all of its new content is written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.h"

namespace heed {

/// Does what write_atomic() (base/files.h) does, in pieces: write(), write(), commit(). Without
/// commit() the old file stays.
class AtomicFile {
 public:
  /// Waits for a reader where `path` is a pipe with a name.
  explicit AtomicFile(std::string path);
  ~AtomicFile() { discard(); }
  AtomicFile& operator=(AtomicFile&&) = delete;

  void write(std::string_view bytes);
  /// Syncs file and folder and renames. Nothing may be written afterwards.
  void commit();
  /// Commits files that belong together, such as the two sides of a corpus. The older ones are
  /// moved away before the first new one takes its place: whoever looks in between, even after a
  /// kill or a power cut, finds some of them missing, never old and new ones together. Throws what
  /// commit() throws; the older files are then in their places.
  static void commit_together(const std::vector<AtomicFile*>& files);

 private:
  int open();
  void discard();
  void close_synced();
  [[noreturn]] void fail(int error);
  std::string path_;
  std::string target_, temporary_;  // empty where the file is written in place
  Descriptor file_;
};

}  // namespace heed
