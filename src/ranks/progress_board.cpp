#include "ranks/progress_board.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/error.h"
#include "base/files.h"

namespace heed::ranks {

ProgressBoard::ProgressBoard(const std::string& folder, int64_t size)
    : numbers_(nullptr),
      size_(size),
      bytes_((static_cast<std::size_t>(size) + 1) * sizeof(int64_t)) {
  static_assert(std::atomic<int64_t>::is_always_lock_free);
  const std::string path = folder + "/board";
  const bool shown = !folder.empty();
  const int file = shown ? ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
  int error = shown && file < 0 ? errno : 0;
  if (error == 0 && shown) error = take_room(file, bytes_);
  void* map = MAP_FAILED;
  if (error == 0) {
    map = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                 shown ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, file, 0);
    error = errno;
  }
  if (file >= 0) ::close(file);
  if (map == MAP_FAILED)
    throw Failure(path + ": cannot write: " + std::generic_category().message(error));
  numbers_ = static_cast<std::atomic<int64_t>*>(map);
}

ProgressBoard::~ProgressBoard() {
  ::munmap(numbers_, bytes_);
}

}  // namespace heed::ranks
