// Two programs are made of apps/. `heed` is linked without LibTorch, so that it starts in no time,
// and has the commands that can do without. heed-torch has all of them. This is what the two do
// differently: with_libtorch.cpp and without_libtorch.cpp define it.
#pragma once

#include <string>
#include <vector>

#include "run/line_models.h"

namespace heed {

/// What commands of `heed` may need of LibTorch.
struct LibTorch {
  /// run::translate_all() with run::open_models().
  std::vector<std::string> (*translate)(const std::string& models, const run::OpenOptions& options,
                                        const std::vector<std::string>& lines);
  run::LineModelsPtr (*open_line_models)(const std::string& models,
                                         const run::OpenOptions& options);
  /// run::check_file()
  void (*check)(const std::string& file, const std::vector<std::string>& settings);
};

/// `heed` does not return: it becomes heed-torch, which begins again with the same arguments. To be
/// called before anything is printed or logged, and before a stream is read. Throws Failure where
/// heed-torch cannot be started.
const LibTorch& libtorch();

/// To be called first in main(), with its arguments.
void prepare_libtorch(char** arguments);

/// Throws the exception that is being handled; one of LibTorch's as one that says what to do.
[[noreturn]] void rethrow();

}  // namespace heed
