#include "exchange/package.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <optional>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/shell_names.h"
#include "base/stand_in.h"
#include "exchange/formats.h"
#include "exchange/gzip.h"
#include "exchange/zip_archive.h"
#include "model/description/safetensors_file.h"

namespace heed::exchange {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepestFolder = 3;  // folders inside folders
constexpr std::size_t kMostFiles = 5000;
constexpr std::string_view kGzip = ".gz";

/// Whether a path stays below its root, however it is used, and fits in one line of a message.
bool is_plain(const std::string& file) {
  const fs::path path(file);
  const auto is_control = [](unsigned char c) { return c < ' ' || c == 127; };
  return !file.empty() && !path.is_absolute() && path.lexically_normal().string() == file &&
         *path.begin() != ".." && std::ranges::none_of(file, is_control);
}

/// The files of a folder and of the folders in it, at most `depth` levels deep, without hidden ones
/// such as those of git.
std::vector<std::string> files_below(const std::string& folder, int depth) {
  const std::size_t root = (fs::path(folder) / "").string().size();
  std::vector<std::string> files;
  std::error_code error;
  fs::recursive_directory_iterator at(folder, error);
  for (; !error && at != fs::end(at); at.increment(error)) {
    const bool hidden = at->path().filename().string().starts_with('.');
    if (hidden || at.depth() == depth) at.disable_recursion_pending();
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

std::string without_gz(const std::string& file) {
  return file.ends_with(kGzip) ? file.substr(0, file.size() - kGzip.size()) : file;
}

}  // namespace

Package::Package(const std::string& path) : path_(path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    files_ = files_below(path, kDeepestFolder);
  } else if (stands_for_folder(without_gz(fs::path(path).filename().string())) &&
             fs::is_regular_file(path, ignored)) {
    chosen_ = without_gz(fs::path(path).filename().string());
    path_ = fs::path(path).has_parent_path() ? fs::path(path).parent_path().string() : ".";
    files_ = files_below(path_, 0);
  } else {
    open_archive();
  }
  const std::set<std::string> names(files_.begin(), files_.end());
  for (std::string& file : files_)
    if (const std::string name = without_gz(file); name != file && !names.contains(name)) {
      compressed_.insert(name);
      file = name;
    }
  std::ranges::sort(files_);
}

void Package::open_archive() {
  if (const std::string note = shell_note(path_); !note.empty())
    throw UserError("{}: no such file or folder; {}", path_, note);
  const auto map = model::map_file(path_);
  require_no_stand_in({map->data(), map->size()}, path_);
  archive_ = std::make_shared<const ZipArchive>(Bytes{{map->data(), map->size()}, map}, path_);
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

std::string Package::stored_name(const std::string& file) const {
  return compressed_.contains(file) ? file + std::string(kGzip) : file;
}

Bytes Package::read(const std::string& file) const {
  const std::string place = place_of(file);
  if (!has(file)) throw UserError("{}: no such file", place);
  Bytes bytes;
  if (archive_) {
    bytes = archive_->read(root_ + stored_name(file));
  } else {
    const auto map = model::map_file(place);
    bytes = {{map->data(), map->size()}, map};
  }
  read_.insert(place);
  require_no_stand_in(bytes.view, place);
  return compressed_.contains(file) ? gunzipped(bytes.view, place) : bytes;
}

std::string Package::place_of(const std::string& file) const {
  const std::string name = stored_name(file);
  return archive_ ? path_ + ": " + name : (fs::path(path_) / name).string();
}

std::string Package::name() const {
  const fs::path path = fs::absolute(path_).lexically_normal();
  const fs::path name = path.has_filename() ? path.filename() : path.parent_path().filename();
  return (archive_ ? name.stem() : name).string();
}

std::vector<std::string> Package::paths_read() const {
  if (archive_) return {path_};
  return {read_.begin(), read_.end()};
}

}  // namespace heed::exchange
