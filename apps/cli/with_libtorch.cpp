#include <c10/util/Exception.h>

#include <stdexcept>
#include <string>

#include "apps/cli/libtorch.h"
#include "base/error.h"
#include "model/device.h"
#include "run/check.h"
#include "run/config.h"
#include "run/model_folder.h"

namespace heed {

const LibTorch& libtorch() {
  static constexpr LibTorch kLibTorch{
      .open_line_models =
          [](const std::string& models, const run::OpenOptions& options) {
            return run::line_models(run::open_models(models, options));
          },
      .check = run::check_file};
  return kLibTorch;
}

void prepare_libtorch(char**) {
  model::pool_host_memory();
}

void rethrow() {
  try {
    throw;
  } catch (const c10::OutOfMemoryError& error) {
    throw Failure("out of memory: {}; lower training.batch_size or decoding.batch_size",
                  error.what_without_backtrace());
  } catch (const c10::Error& error) {
    throw std::runtime_error(error.what_without_backtrace());
  }
}

}  // namespace heed
