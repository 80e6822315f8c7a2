#include "run/commit.inc"  // made by cmake/Commit.cmake

#include "run/summary.h"

namespace heed::run {

const char* commit() {
  return HEED_COMMIT;
}

}  // namespace heed::run
