#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "apps/cli/libtorch.h"
#include "base/error.h"
#include "base/installation.h"

namespace heed {
namespace {

char** own_arguments = nullptr;

}  // namespace

const LibTorch& libtorch() {
  const std::string program = own_part("heed-torch");
  ::execv(program.c_str(), own_arguments);
  throw Failure("{}: {}; this command needs it, because it uses LibTorch; install heed again",
                program, std::generic_category().message(errno));
}

void prepare_libtorch(char** arguments) {
  own_arguments = arguments;
}

void rethrow() {
  throw;
}

}  // namespace heed
