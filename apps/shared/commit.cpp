#include "apps/shared/commit.h"

#include "commit.inc"  // made by cmake/Commit.cmake

namespace heed {

const char* commit() {
  return HEED_COMMIT;
}

}  // namespace heed
