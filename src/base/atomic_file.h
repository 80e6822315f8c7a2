// A file that is replaced as a whole, by whatever was written when it is whole.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.h"

namespace heed {

/// As write_atomic() (base/files.h), in pieces: write(), write(), commit(). Without commit() the
/// old file stays.
class AtomicFile {
 public:
  /// Waits for a reader where `path` is a pipe with a name.
  explicit AtomicFile(std::string path);
  ~AtomicFile() { discard(); }
  AtomicFile& operator=(AtomicFile&&) = delete;

  void write(std::string_view bytes);
  /// Syncs file and folder and renames. Nothing may be written afterwards.
  void commit();
  /// The same of files that belong together, as the two sides of a corpus. The older ones are moved
  /// away before the first new one takes its place: whoever looks in between, even after a kill or
  /// a power cut, finds some of them missing, never old and new ones together. Throws as commit();
  /// the older ones are there then.
  static void commit_together(const std::vector<AtomicFile*>& files);

 private:
  int open();
  void discard();
  void close_synced();
  [[noreturn]] void fail(int error);
  std::string path_;
  std::string target_, temporary_;  // empty where it is written in place
  Descriptor file_;
};

}  // namespace heed
