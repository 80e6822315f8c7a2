#include "exchange/package.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/error.h"
#include "base/lfs_pointer.h"
#include "exchange/zip_archive.h"
#include "model/description/safetensors_file.h"

namespace heed::exchange {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepestFolder = 3;  // folders inside folders
constexpr std::size_t kMostFiles = 5000;

/// A path that stays below its root, whoever uses it for what, and one line of a message.
bool is_plain(const std::string& file) {
  const fs::path path(file);
  const auto is_control = [](unsigned char c) { return c < ' ' || c == 127; };
  return !file.empty() && !path.is_absolute() && path.lexically_normal().string() == file &&
         *path.begin() != ".." && std::ranges::none_of(file, is_control);
}

/// Without hidden ones, among them those of git.
std::vector<std::string> files_below(const std::string& folder) {
  const std::size_t root = (fs::path(folder) / "").string().size();
  std::vector<std::string> files;
  std::error_code error;
  fs::recursive_directory_iterator at(folder, error);
  for (; !error && at != fs::end(at); at.increment(error)) {
    const bool hidden = at->path().filename().string().starts_with('.');
    if (hidden || at.depth() == kDeepestFolder) at.disable_recursion_pending();
    std::error_code ignored;
    const std::string file = at->path().string().substr(root);
    if (!hidden && is_plain(file) && at->is_regular_file(ignored)) files.push_back(file);
    if (files.size() > kMostFiles)
      throw UserError("{}: has more than {} files below it; name a folder with one model", folder,
                      kMostFiles);
  }
  if (error) throw UserError("{}: cannot be read: {}", folder, error.message());
  std::ranges::sort(files);
  return files;
}

}  // namespace

void refuse_pointer(std::string_view bytes, const std::string& place) {
  if (is_lfs_pointer(bytes))
    throw UserError(
        "{}: is a Git LFS pointer, and not the file that it stands for; run git lfs pull in its "
        "folder",
        place);
}

Package::Package(const std::string& path) : path_(path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    files_ = files_below(path);
    return;
  }
  const auto map = model::map_file(path);
  refuse_pointer({map->data(), map->size()}, path);
  archive_ = std::make_shared<const ZipArchive>(Bytes{{map->data(), map->size()}, map}, path);
  for (const auto& [file, entry] : archive_->files())
    if (is_plain(file)) files_.push_back(file);
  if (!files_.empty()) root_ = files_[0].substr(0, files_[0].find('/') + 1);
  const auto has_root = [&](const std::string& file) { return file.starts_with(root_); };
  if (!std::ranges::all_of(files_, has_root)) root_.clear();
  for (std::string& file : files_) file.erase(0, root_.size());
}

bool Package::has(const std::string& file) const {
  return std::ranges::binary_search(files_, file);
}

Bytes Package::read(const std::string& file) const {
  if (!has(file)) throw UserError("{}: no such file", place_of(file));
  const auto opened = [&]() -> Bytes {
    if (archive_) return archive_->read(root_ + file);
    const auto map = model::map_file(place_of(file));
    return {{map->data(), map->size()}, map};
  };
  Bytes bytes = opened();
  refuse_pointer(bytes.view, place_of(file));
  return bytes;
}

std::string Package::place_of(const std::string& file) const {
  return archive_ ? path_ + ": " + file : (fs::path(path_) / file).string();
}

}  // namespace heed::exchange
