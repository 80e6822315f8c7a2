#include "base/output_folder.h"

#include <unistd.h>

#include <filesystem>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/strings.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

const char* const kList = ".heed.files";

/// The names of files that heed wrote in the folder and that are still there.
std::set<std::string> written_in(const fs::path& folder) {
  if (!is_there(folder / kList)) return {};
  std::set<std::string> names;
  std::error_code none;
  for (const std::string& name : split(read_regular_file((folder / kList).string()), '\n'))
    if (!name.empty() && fs::is_regular_file(fs::symlink_status(folder / name, none)))
      names.insert(name);
  return names;
}

void write_list(const fs::path& folder, const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += name + "\n";
  write_atomic((folder / kList).string(), text);
}

}  // namespace

void require_written_by_heed(const std::string& folder, const std::vector<std::string>& names) {
  const std::set<std::string> written = written_in(folder);
  for (const std::string& name : names)
    if (const fs::path path = fs::path(folder) / name; is_there(path) && !written.contains(name))
      throw UserError(
          "{}: is there already, and {} does not list it as written by heed; name another folder, "
          "or move it away",
          path.string(), kList);
}

OutputFolder::OutputFolder(std::string folder, std::vector<std::string> names)
    : folder_(std::move(folder)),
      temporary_((fs::path(folder_) / (".heed.tmp." + std::to_string(::getpid()))).string()),
      names_(std::move(names)),
      is_new_(!is_there(folder_)) {
  require_written_by_heed(folder_, names_);
  make_folder(folder_);
  remove_left_over((fs::path(folder_) / ".heed").string());
  std::error_code error;
  fs::remove_all(temporary_, error);  // left by a process that had the number of this one
  fs::create_directory(temporary_, error);
  if (error) throw Failure(folder_ + ": cannot write there: " + error.message());
}

OutputFolder::~OutputFolder() {
  std::error_code ignored;
  fs::remove_all(temporary_, ignored);
  if (is_new_) fs::remove(folder_, ignored);  // does so only where it is empty
}

void OutputFolder::commit() {
  std::set<std::string> now;
  for (const fs::directory_entry& entry : fs::directory_iterator(temporary_))
    now.insert(entry.path().filename().string());
  require_written_by_heed(folder_, {now.begin(), now.end()});
  const fs::path folder(folder_), old = fs::path(temporary_) / ".old";
  std::set<std::string> replaced = now, written = written_in(folder_);
  replaced.insert(names_.begin(), names_.end());
  written.insert(now.begin(), now.end());
  write_list(folder, written);  // first: after a kill the next command must know these files
  Moves moves;
  std::error_code error;
  fs::create_directory(old, error);
  if (error) throw Failure(folder_ + ": cannot write there: " + error.message());
  for (const std::string& name : replaced)
    if (is_there(folder / name)) moves.move((folder / name).string(), (old / name).string());
  for (const std::string& name : now)
    moves.move((fs::path(temporary_) / name).string(), (folder / name).string());
  moves.keep();
  is_new_ = false;
  fs::remove_all(temporary_, error);
  if (const auto left = written_in(folder); left != written) return write_list(folder, left);
  sync_folder(folder_);
}

}  // namespace heed
