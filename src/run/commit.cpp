#include "run/commit.h"

#include "run/commit.inc"  // made by cmake/Commit.cmake

namespace heed::run {

const char* commit() {
  return HEED_COMMIT;
}

}  // namespace heed::run
