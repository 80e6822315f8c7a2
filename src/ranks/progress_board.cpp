#include "ranks/progress_board.h"

#include <fcntl.h>

#include <cerrno>
#include <cstddef>

#include "base/error.h"
#include "base/files.h"

namespace heed::ranks {

ProgressBoard::ProgressBoard(const std::string& folder, int64_t size) : size_(size) {
  static_assert(std::atomic<int64_t>::is_always_lock_free);
  const std::string path = folder + "/board";
  const std::size_t bytes = (static_cast<std::size_t>(size) + 1) * sizeof(int64_t);
  Descriptor file;
  int error = 0;
  if (!folder.empty()) {
    file = Descriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    error = file.open() ? reserve_space(file.number(), bytes) : errno;
  }
  if (error == 0) {
    map_ = Mapping(file, bytes, Mapping::Access::write);
    if (map_.data() == nullptr) error = errno;
  }
  if (error != 0) throw Failure(path + ": cannot write: " + error_text(error));
}

}  // namespace heed::ranks
