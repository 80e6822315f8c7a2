// heed-translate has no heed-torch beside it.
#include "apps/cli/libtorch.h"

namespace heed {

const LibTorch& libtorch() {
  throw Failure(
      "heed-translate translates and serves on a CPU, by models with an engine; for the rest "
      "install "
      "heed");
}

void prepare_libtorch(char**) {}

void rethrow() {
  throw;
}

}  // namespace heed
