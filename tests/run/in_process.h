// `heed train` and `heed config FILE --check` in this process.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "base/subprocess.h"
#include "cli/program.h"
#include "cli/toy.h"
#include "run/check.h"
#include "run/training.h"

namespace heed::run {

/// The lines that `work` logs, and the exit code and last line that heed has for what it throws.
inline subprocess::Result outcome_of(const std::function<void()>& work) {
  ::setenv("CUDA_VISIBLE_DEVICES", "", /*replace=*/1);
  testing::internal::CaptureStderr();
  subprocess::Result result;
  std::string message;
  try {
    work();
  } catch (const UserError& error) {
    result.status = 2;
    message = error.what();
  } catch (const Failure& error) {
    result.status = 1;
    message = error.what();
  }
  log::close_files();
  result.err = testing::internal::GetCapturedStderr();
  if (result.status != 0) result.err += "heed: " + message + "\n";
  return result;
}

/// `options`: --set KEY=VALUE, --resume, --overwrite.
inline subprocess::Result train(const std::string& config,
                                const std::vector<std::string>& options = {}) {
  TrainingRequest request{.config = config};
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (options[i] == "--set")
      request.settings.push_back(options.at(++i));
    else
      (options[i] == "--resume" ? request.existing.resume : request.existing.overwrite) = true;
  }
  return outcome_of([&] { make_run(request); });
}

/// `heed --quiet`, as long as it lives.
struct Quiet {
  Quiet() { log::set_level(log::Level::warn); }
  ~Quiet() { log::set_level(log::Level::info); }
};

/// Throws where training fails.
inline void train_toy(const std::string& config, const std::vector<std::string>& options = {}) {
  const subprocess::Result result = train(config, options);
  if (result.status != 0) throw std::runtime_error("heed train " + config + ":\n" + result.err);
}

}  // namespace heed::run
