// The files of a model as another program keeps them.
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

/// A folder, or a zip archive of one. What all files of an archive have in front of their names,
/// because it holds one folder, is left out. A file that gzip compressed is read as if it were not,
/// under its name without ".gz". Threads may not share one.
class Package {
 public:
  /// `path` may also be one of Marian's models (.npz) or its decoder.yml: the package then has the
  /// files beside it, but none of folders. Throws UserError where there is no such folder, or the
  /// file is no zip archive.
  explicit Package(const std::string& path);

  /// Paths from its root, in the order of the alphabet: "config.json", "model/model.bin".
  const std::vector<std::string>& files() const { return files_; }
  bool has(const std::string& file) const;
  /// Mapped, or unpacked in memory. Throws UserError where there is none, it is damaged, or a
  /// pointer of Git LFS lies in its place.
  Bytes read(const std::string& file) const;
  /// What messages call it: "FOLDER/config.json", "de_en.argosmodel: config.json".
  std::string place_of(const std::string& file) const;
  /// The file that was named in place of its folder; empty: none.
  const std::string& chosen() const { return chosen_; }
  /// What the folder or the archive is called: "opus-mt-de-en".
  std::string name() const;
  /// Paths of the files that were read so far, or of the archive.
  std::vector<std::string> paths_read() const;

 private:
  void open_archive();
  std::string stored_name(const std::string& file) const;

  std::string path_, chosen_;
  std::vector<std::string> files_;
  std::shared_ptr<const ZipArchive> archive_;  // null: a folder
  std::string root_;                           // what its archive has in front of all names
  std::set<std::string> compressed_;           // those of files_ that have ".gz" behind their names
  mutable std::set<std::string> read_;
};

}  // namespace heed::exchange
