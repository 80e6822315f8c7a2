// The files of another program's model, in a folder or an archive.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace heed::exchange {

/// Bytes that stay where they are while `owner` lives.
struct Bytes {
  std::string_view view;
  std::shared_ptr<const void> owner = {};
};

class ZipArchive;

/// A folder, or a zip archive of one. Where all files of an archive are in one folder, its name is
/// left out. A file that gzip compressed is read as if it were not, under its name without ".gz".
/// Threads may not share an object.
class Package {
 public:
  /// `path` may also be a file that stands for its folder, such as one of Marian's models (.npz):
  /// the package then has the files beside it, but none of folders. Throws UserError where there is
  /// no such folder, or the file is no zip archive.
  explicit Package(const std::string& path);

  /// The paths of the files from the package's root, in alphabetical order: "config.json",
  /// "model/model.bin".
  const std::vector<std::string>& files() const { return files_; }
  bool has(const std::string& file) const;
  /// The file's bytes, mapped, or unpacked in memory. Throws UserError where there is none, it is
  /// damaged, or a pointer of Git LFS lies in its place.
  Bytes read(const std::string& file) const;
  /// The file's name in messages: "FOLDER/config.json", "de_en.argosmodel: config.json".
  std::string place_of(const std::string& file) const;
  /// The file that the constructor's `path` named in place of its folder; empty: none.
  const std::string& chosen() const { return chosen_; }
  /// The name of the folder or the archive: "opus-mt-de-en".
  std::string name() const;
  /// The paths of the files that were read so far, or that of the archive.
  std::vector<std::string> paths_read() const;

 private:
  void open_archive();
  std::string stored_name(const std::string& file) const;

  std::string path_, chosen_;
  std::vector<std::string> files_;
  std::shared_ptr<const ZipArchive> archive_;  // null: a folder
  std::string root_;                           // the folder that begins all names of its archive
  std::set<std::string> compressed_;           // those of files_ whose names had ".gz" at the end
  mutable std::set<std::string> read_;
};

}  // namespace heed::exchange
