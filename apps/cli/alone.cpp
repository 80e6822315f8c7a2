// heed-translate has no heed-torch beside it.
#include "apps/cli/libtorch.h"
#include "base/error.h"

namespace heed {

const LibTorch& libtorch() {
  throw Failure(
      "heed-translate translates and serves on a CPU, by engines alone; install heed for all else");
}

void prepare_libtorch(char**) {}

void rethrow() {
  throw;
}

}  // namespace heed
