// The files of a model as another program keeps them.
#pragma once

#include <cstdint>
#include <memory>
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

/// Throws UserError that begins with `place`, and says what to do, where a file's bytes are a
/// pointer of Git LFS.
void refuse_pointer(std::string_view bytes, const std::string& place);

/// A folder, or a zip archive of one. What all files of an archive have in front of their names,
/// because it holds one folder, is left out. Threads may not share one.
class Package {
 public:
  /// Throws UserError where there is no such folder, or the file is no zip archive.
  explicit Package(const std::string& path);

  /// Paths from its root, in the order of the alphabet: "config.json", "model/model.bin".
  const std::vector<std::string>& files() const { return files_; }
  bool has(const std::string& file) const;
  /// Mapped, or unpacked in memory. Throws UserError where there is none, it is damaged, or Git
  /// left a pointer in its place.
  Bytes read(const std::string& file) const;
  /// What messages call it: "FOLDER/config.json", "de_en.argosmodel: config.json".
  std::string place_of(const std::string& file) const;

 private:
  std::string path_;
  std::vector<std::string> files_;
  std::shared_ptr<const ZipArchive> archive_;  // null: a folder
  std::string root_;                           // what its archive has in front of all names
};

}  // namespace heed::exchange
