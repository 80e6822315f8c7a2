#include "run/commit.h"

#include "commit.inc"  // made by cmake/Commit.cmake

namespace heed::run {

const char* commit() {
  return HEED_COMMIT;
}

}  // namespace heed::run
