// The run that --overwrite deletes: put aside until the new one begins.
#pragma once

#include <string>
#include <utility>

#include "run/config.h"

namespace heed::run {

/// Moves the run in the config's folder, if there is one, and corpora kept there that are not the
/// config's, into .heed.older-run/ of the folder. Corpora just read of streams then take their
/// names (name_streams()). The caller holds the folder's lock. Throws Failure where something
/// cannot be moved; the older run is then where it was.
void put_aside(Config& config);

/// Deletes what is aside: the new run begins.
void delete_put_aside(const std::string& folder);

/// Moves what is aside back, over what a new run has written that never began; deletes it where
/// that run has a checkpoint. Does nothing where nothing is aside. Takes the folder's lock. Throws
/// UserError where another process holds it, Failure where something cannot be moved.
void restore_older_run(const std::string& folder);

/// Does the same at its end, for one who holds the lock. A failure is a warning.
class RestoreAtEnd {
 public:
  explicit RestoreAtEnd(std::string folder) : folder_(std::move(folder)) {}
  ~RestoreAtEnd();
  RestoreAtEnd(const RestoreAtEnd&) = delete;
  RestoreAtEnd& operator=(const RestoreAtEnd&) = delete;

 private:
  std::string folder_;
};

}  // namespace heed::run
