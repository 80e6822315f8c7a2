#include <c10/util/Exception.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "apps/cli/libtorch.h"
#include "base/error.h"
#include "decode/translator.h"
#include "kernels/libtorch_version.h"
#include "model/device.h"
#include "run/check.h"
#include "run/config.h"
#include "run/model_folder.h"

namespace heed {
namespace {

PairScorer open_scorer(const std::string& model, const run::OpenOptions& options) {
  const auto translator =
      std::make_shared<decode::Translator>(run::open_model(model, options).translator());
  return [translator](const std::vector<std::string>& sources,
                      const std::vector<std::string>& targets) {
    std::vector<PairScore> scores;
    for (const auto& one : translator->score(sources, targets))
      scores.push_back({one.log_probability, one.tokens.size()});
    return scores;
  };
}

}  // namespace

const LibTorch& libtorch() {
  static constexpr LibTorch kLibTorch{
      .open_line_models =
          [](const std::string& models, const run::OpenOptions& options) {
            return run::line_models(run::open_models(models, options));
          },
      .open_scorer = open_scorer,
      .check = run::check_file};
  return kLibTorch;
}

void prepare_libtorch(char**) {
  kernels::require_libtorch_of_headers();
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
