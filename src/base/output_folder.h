// Writes several files in one folder, so that all are old or all are new.
#pragma once

#include <string>
#include <vector>

namespace heed {

/// Throws UserError where `folder` has something of one of these names that heed did not write
/// there: the file .heed.files in the folder lists what it wrote.
void require_written_by_heed(const std::string& folder, const std::vector<std::string>& names);

/// Writes files in a folder that belong together, such as the parts of a model. They are written
/// into a folder inside it first, so that a full disk changes nothing. Then the older ones are
/// moved away, and the new ones to where they were: whoever looks in between finds too few files,
/// never old and new ones together.
class OutputFolder {
 public:
  /// Makes the folder. `names` are the files that belong together; those that are not written this
  /// time are removed. Throws what require_written_by_heed() throws, and Failure that names the
  /// folder.
  explicit OutputFolder(std::string folder, std::vector<std::string> names = {});
  /// Without commit() the folder is as it was.
  ~OutputFolder();
  OutputFolder& operator=(OutputFolder&&) = delete;

  /// The folder into which the caller writes the files.
  const std::string& temporary() const { return temporary_; }
  /// The path at which the caller writes the file `name`.
  std::string path_of(const std::string& name) const { return temporary_ + "/" + name; }
  /// Moves the new files into the folder. Throws UserError where a file that was not among
  /// `names` would replace one that heed did not write, Failure where a file cannot be moved; the
  /// older files are then as they were.
  void commit();

 private:
  std::string folder_, temporary_;
  std::vector<std::string> names_;
  bool is_new_;  // whether this object made the folder
};

}  // namespace heed
